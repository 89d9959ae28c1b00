// Writes packages/server/console: the console as browsers load it, each file packed, and the list
// of them. Run by scripts/prepare.cjs when a source changed, and before the server is packed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type Manifest } from "vite"
import { replaceFiles } from "./replace-files.ts"
import { root } from "./repository.ts"

const VITE_MANIFEST = "vite-manifest.json"
const LICENCES = "licences.md"

// Vite empties the folder it writes to, and a service may be reading the one it serves.
const outDir = mkdtempSync(join(tmpdir(), "assay-console-"))
process.once("exit", () => rmSync(outDir, { recursive: true, force: true }))
await build({
  configFile: join(root, "packages", "console", "vite.config.ts"),
  build: { outDir, emptyOutDir: true, manifest: VITE_MANIFEST, license: { fileName: LICENCES } },
})

const made = JSON.parse(readFileSync(join(outDir, VITE_MANIFEST), "utf8")) as Manifest
const first = Object.values(made).find(({ isEntry }) => isEntry === true)
if (first === undefined) throw new Error("vite named no entry")
const files = readdirSync(outDir).filter((name) => /\.(js|css)$/.test(name))
const packed = new Map(
  files.map((name) => [name, gzipSync(readFileSync(join(outDir, name)), { level: 9 })]),
)
/** It is a build of its own, which the list of the other does not name. */
const worker = files.find((name) => name.startsWith("work-thread-"))
if (worker === undefined) throw new Error("vite made no service worker")
const size = (name: string): number => packed.get(name)?.length ?? 0
/** What a page loads after the entry, all at once instead of one after the other. */
const preloaded = (source: string): string[] => [...importsOf(source)].sort()
const entry = {
  script: first.file,
  styles: first.css ?? [],
  worker,
  preload: {
    home: preloaded("playground/welcome.tsx"),
    console: preloaded("signed-in.tsx"),
  },
}

/** The chunk of a source and all that it imports, without the entry. */
function importsOf(source: string, found = new Set<string>()): Set<string> {
  const chunk = made[source]
  if (chunk === undefined) throw new Error(`vite made nothing of ${source}`)
  if (chunk === first || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const each of chunk.imports ?? []) importsOf(each, found)
  return found
}

replaceFiles(
  join(root, "packages", "server", "console"),
  new Map<string, Uint8Array>([
    ...[...packed].map(([name, gzip]) => [`${name}.gz`, gzip] as const),
    [LICENCES, readFileSync(join(outDir, LICENCES))],
  ]),
  { entry, files },
)
const total = (next: readonly string[]): number =>
  [entry.script, ...entry.styles, ...next].reduce((sum, name) => sum + size(name), 0)
console.error(
  `Console built: a first page is ${total(entry.preload.home)} bytes packed, the shell of the console ${total(entry.preload.console)}, in ${files.length} files in all`,
)
