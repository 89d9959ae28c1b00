import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { readRepositoryJson, root } from "./repository.ts"

/** Packages of hundreds of small modules, by every name under which something imports them. */
const LIBRARIES = {
  kysely: ["kysely", "kysely/migration"],
  typebox: ["typebox", "typebox/value"],
}

/**
 * A module for `--import`: a process that begins with it loads libraries of many modules from a few
 * files. Loading TypeBox or Kysely module by module takes 0.3 s of a test file's process, and most
 * processes load one of them. Made when a version is new, and kept in node_modules.
 */
export async function bundledLibraries(): Promise<string> {
  const versions = Object.keys(LIBRARIES).map((name) => `${name}-${versionOf(name)}`)
  const folder = join(root, "node_modules", ".cache", "libraries", versions.join("-"))
  const hook = join(folder, "resolve.mjs")
  if (!existsSync(hook)) await bundle(folder, hook)
  return hook
}

function versionOf(name: string): string {
  const { version } = readRepositoryJson(`node_modules/${name}/package.json`) as {
    readonly version: string
  }
  return version
}

async function bundle(folder: string, hook: string): Promise<void> {
  const names = Object.values(LIBRARIES).flat()
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: Object.fromEntries(names.map((name) => [name, name])),
    absWorkingDir: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // Two names of one library share what both import, as they do without this.
    splitting: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  })
  const urls = names.map((name) => [name, pathToFileURL(join(folder, `${name}.mjs`)).href])
  // Last and in one piece: where it is, the files are whole.
  writeFileSync(`${hook}.${process.pid}`, hookOf(urls))
  renameSync(`${hook}.${process.pid}`, hook)
}

function hookOf(urls: readonly (readonly string[])[]): string {
  return `import { registerHooks } from "node:module"

const urls = new Map(${JSON.stringify(urls)})
registerHooks({
  resolve(specifier, context, next) {
    const url = urls.get(specifier)
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
  },
})
`
}
