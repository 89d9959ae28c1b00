// Writes packages/drop/browser: the files that the service serves to browsers, and their manifest.
// Run by scripts/prepare.cjs, and before the server is packed.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildBrowserFiles, manifestOf } from "./browser-files.ts"
import { root } from "./repository.ts"

const folder = join(root, "packages", "drop", "browser")

const { files } = await buildBrowserFiles(root)
mkdirSync(folder, { recursive: true })
for (const { file, bytes } of files) write(file, bytes)
// The manifest comes last and old files are removed after it: a service that starts meanwhile finds
// every file that its manifest names.
const manifest = manifestOf(files)
write("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`)
const wanted = new Set(["manifest.json", ...files.map(({ file }) => file)])
for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name))
const total = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (manifest[name]?.gzip ?? 0), 0)
console.error(
  `Browser files built: a visitor's script and worker are ${total(["sender-en", "worker"])} bytes, packed`,
)

/** Whole or not at all: two builds may run beside each other. */
function write(name: string, content: Uint8Array | string): void {
  const file = join(folder, name)
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, content)
  renameSync(partial, file)
}
