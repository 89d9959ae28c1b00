import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { PageFile, PageFiles } from "./pages/page-input.ts"

/** A file as browsers receive it. */
export interface ServedFile extends PageFile {
  readonly name: string
  readonly file: string
  readonly type: string
  readonly sha256: string
  readonly bytes: Buffer
}

/** All that browsers load, in memory: scripts, style, word lists, the page for use from a disk. */
export interface BrowserFiles extends PageFiles {
  get(name: string): ServedFile
  /** The file that is served under this name, or null. */
  named(file: string): ServedFile | null
  all(): readonly ServedFile[]
}

interface ManifestEntry {
  readonly file: string
  readonly sha256: string
  readonly integrity: string
}

/** Where the build puts them, beside the sources and beside the compiled code. */
const FOLDER = join(import.meta.dirname, "..", "browser")

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
}

/**
 * Reads what the build wrote. A file that is missing ends the start: pages that name it would be
 * broken.
 */
export function loadBrowserFiles(folder = FOLDER): BrowserFiles {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<
    string,
    ManifestEntry
  >
  const files = Object.entries(manifest).map(([name, { file, sha256, integrity }]): ServedFile => ({
    name,
    file,
    sha256,
    integrity,
    path: `/drop/files/${file}`,
    type: TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    bytes: readFileSync(join(folder, file)),
  }))
  const byName = new Map(files.map((file) => [file.name, file]))
  const byFile = new Map(files.map((file) => [file.file, file]))
  return {
    get(name) {
      const file = byName.get(name)
      if (file === undefined) throw new Error(`There is no browser file ${name}`)
      return file
    },
    named: (file) => byFile.get(file) ?? null,
    all: () => files,
  }
}
