import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const MANIFEST = "manifest.json"

/**
 * Puts files and the manifest that names them in place of what a folder holds. The manifest comes
 * last and old files are removed after it: a service that starts or answers meanwhile finds every
 * file that its manifest names and that is still made.
 */
export function replaceFiles(
  folder: string,
  files: ReadonlyMap<string, Uint8Array | string>,
  manifest: object,
): void {
  mkdirSync(folder, { recursive: true })
  const wanted = new Map(files).set(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`)
  for (const [name, content] of wanted) {
    // Whole or not at all: two builds may run beside each other.
    const partial = join(folder, `${name}.${process.pid}`)
    writeFileSync(partial, content)
    renameSync(partial, join(folder, name))
  }
  for (const name of readdirSync(folder))
    if (!wanted.has(name)) rmSync(join(folder, name), { force: true })
}
