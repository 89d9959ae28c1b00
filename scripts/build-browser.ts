// Writes packages/drop/browser: the files that the service serves to browsers, and their manifest.
// Run by scripts/prepare.cjs, and before the server is packed.
import { join } from "node:path"
import { buildBrowserFiles, manifestOf } from "./browser-files.ts"
import { replaceFiles } from "./replace-files.ts"
import { root } from "./repository.ts"

const folder = join(root, "packages", "drop", "browser")

const { files } = await buildBrowserFiles(root)
const manifest = manifestOf(files)
replaceFiles(folder, new Map(files.map(({ file, bytes }) => [file, bytes])), manifest)
const total = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (manifest[name]?.gzip ?? 0), 0)
console.error(
  `Browser files built: a visitor's script and worker are ${total(["sender-en", "worker"])} bytes, packed`,
)
