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
const size = (name: string): number => packed.get(name)?.length ?? 0
const entry = { script: first.file, styles: first.css ?? [] }
const chunks = Object.values(made).map(({ file, name = "", imports = [] }) => ({
  file,
  name,
  gzip: size(file),
  imports: imports.map((each) => made[each]?.file ?? ""),
}))
replaceFiles(
  join(root, "packages", "server", "console"),
  new Map<string, Uint8Array>([
    ...[...packed].map(([name, gzip]) => [`${name}.gz`, gzip] as const),
    [LICENCES, readFileSync(join(outDir, LICENCES))],
  ]),
  { entry, files, chunks },
)
const shell = [
  entry.script,
  ...entry.styles,
  ...(chunks.find(({ file }) => file === entry.script)?.imports ?? []),
]
const total = shell.reduce((sum, name) => sum + size(name), 0)
console.error(`Console built: the shell is ${total} bytes packed, in ${files.length} files in all`)
