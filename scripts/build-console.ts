// Writes packages/server/console: the console as browsers load it, each file packed, and the list
// of them. Run by scripts/prepare.cjs when a source changed, and before the server is packed.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type Manifest } from "vite"
import { root } from "./repository.ts"

const folder = join(root, "packages", "server", "console")
const VITE_MANIFEST = "vite-manifest.json"

await build({ configFile: join(root, "packages", "console", "vite.config.ts") })

const made = JSON.parse(readFileSync(join(folder, VITE_MANIFEST), "utf8")) as Manifest
rmSync(join(folder, VITE_MANIFEST))
const first = Object.values(made).find(({ isEntry }) => isEntry === true)
if (first === undefined) throw new Error("vite named no entry")
const files = readdirSync(folder).filter((name) => /\.(js|css)$/.test(name))
const packed = new Map(
  files.map((name) => {
    const gzip = gzipSync(readFileSync(join(folder, name)), { level: 9 })
    writeFileSync(join(folder, `${name}.gz`), gzip)
    rmSync(join(folder, name))
    return [name, gzip.length]
  }),
)
const entry = { script: first.file, styles: first.css ?? [] }
const chunks = Object.values(made).map(({ file, name = "", imports = [] }) => ({
  file,
  name,
  gzip: packed.get(file) ?? 0,
  imports: imports.map((each) => made[each]?.file ?? ""),
}))
writeFileSync(
  join(folder, "manifest.json"),
  `${JSON.stringify({ entry, files, chunks }, null, 2)}\n`,
)
const shell = [
  entry.script,
  ...entry.styles,
  ...(chunks.find(({ file }) => file === entry.script)?.imports ?? []),
]
const total = shell.reduce((sum, name) => sum + (packed.get(name) ?? 0), 0)
console.error(`Console built: the shell is ${total} bytes packed, in ${files.length} files in all`)
