import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { readRepositoryJson, root, toolEnvironment } from "./repository.ts"

/** Packages of hundreds of small modules, by every name under which something imports them. */
const LIBRARIES = {
  kysely: ["kysely", "kysely/migration"],
  typebox: ["typebox", "typebox/value"],
}
const NAMES = Object.values(LIBRARIES).flat()

/**
 * A module for `--import`: a process that begins with it loads libraries of many modules from a few
 * files. Loading TypeBox or Kysely module by module takes 0.3 s of a test file's process, and most
 * processes load one of them. Made when a version is new, and kept in node_modules. It also keeps
 * compiled code where that is not in the environment: the processes of an import and of the drop
 * have an empty one, and compiling their modules from sources is a quarter of what most of them do.
 */
export async function bundledLibraries(): Promise<string> {
  const folder = folderOfVersions()
  const hook = join(folder, "begin.mjs")
  if (!existsSync(hook)) await bundle(folder, hook)
  return hook
}

/**
 * For programs that are built: a start would call a function for each of their modules, in every
 * process and thread.
 */
export async function inFewFiles(): Promise<Plugin> {
  await bundledLibraries()
  const folder = folderOfVersions()
  const files = new Map(NAMES.map((name) => [name, join(folder, `${name}.mjs`)]))
  return {
    name: "in few files",
    setup({ onResolve }) {
      onResolve({ filter: /^[a-z]/ }, ({ path: name }) => {
        const path = files.get(name)
        return path === undefined ? null : { path }
      })
    },
  }
}

function folderOfVersions(): string {
  const versions = Object.keys(LIBRARIES).map((name) => `${name}-${versionOf(name)}`)
  return join(root, "node_modules", ".cache", "libraries", versions.join("-"))
}

function versionOf(name: string): string {
  const { version } = readRepositoryJson(`node_modules/${name}/package.json`) as {
    readonly version: string
  }
  return version
}

async function bundle(folder: string, hook: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: Object.fromEntries(NAMES.map((name) => [name, name])),
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
  const urls = NAMES.map((name) => [name, pathToFileURL(join(folder, `${name}.mjs`)).href])
  // Last and in one piece: where it is, the files are whole.
  writeFileSync(`${hook}.${process.pid}`, hookOf(urls))
  renameSync(`${hook}.${process.pid}`, hook)
}

function hookOf(urls: readonly (readonly string[])[]): string {
  const { NODE_COMPILE_CACHE } = toolEnvironment()
  return `import { enableCompileCache, registerHooks } from "node:module"

enableCompileCache(${JSON.stringify(NODE_COMPILE_CACHE)})
const urls = new Map(${JSON.stringify(urls)})
registerHooks({
  resolve(specifier, context, next) {
    const url = urls.get(specifier)
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
  },
})
`
}
