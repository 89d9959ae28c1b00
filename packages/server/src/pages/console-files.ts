import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/** What a browser loads first, by the names under which the files are served. */
export interface ConsoleEntry {
  readonly script: string
  readonly styles: readonly string[]
  /** The service worker, which does long work. */
  readonly worker: string
  /** What the script asks for next, on the first page of a demo and on any other. */
  readonly preload: { readonly home: readonly string[]; readonly console: readonly string[] }
}

export interface ConsoleFiles {
  readonly entry: ConsoleEntry
  /** A file packed by gzip; null: there is none of this name. */
  packed(name: string): ConsoleFile | null
}

export interface ConsoleFile {
  readonly type: string
  readonly gzip: Buffer
  plain(): Buffer
}

interface Manifest {
  readonly entry: ConsoleEntry
  readonly files: readonly string[]
}

/** Where scripts/build-console.ts puts them, beside the sources and beside the compiled code. */
const FOLDER = join(import.meta.dirname, "..", "..", "console")

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
}

/** Reads the list of the files; a file itself is read when it is asked for, and kept. */
export function loadConsoleFiles(folder = FOLDER): ConsoleFiles {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest
  const known = new Set(manifest.files)
  const kept = new Map<string, ConsoleFile>()
  return {
    entry: manifest.entry,
    packed(name) {
      if (!known.has(name)) return null
      const found = kept.get(name)
      if (found !== undefined) return found
      const gzip = readFileSync(join(folder, `${name}.gz`))
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
      const file = { type, gzip, plain: () => gunzipSync(gzip) }
      kept.set(name, file)
      return file
    },
  }
}
