import { accessSync, constants, type Dirent, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { InputFile } from "./member.ts"
import type { SkipTally } from "./skipped.ts"

/** What the paths of all that is in a folder begin with, as if each were joined to it. */
export function pathsBegin(folder: string): string {
  return join(folder, "x").slice(0, -1)
}

/** What is wanted of a file or a folder. */
export interface SeenFile {
  readonly isFile: boolean
  readonly isFolder: boolean
  readonly bytes: number
  readonly modifiedMs: number
  readonly ino: number
}

/** The files of inputs, and what was left out of their folders. */
export interface FoundInputs {
  readonly files: readonly InputFile[]
  readonly skipped: SkipTally
}

/**
 * Files and folders as they were when they were first asked for: of a folder with a thousand small
 * files, each further walk costs as much as their digest. Whether something has changed since, only
 * a new one tells.
 */
// Without promises: a folder may have a hundred thousand small files, and each promise of a file's
// size costs as much as reading it.
export class SeenDisk {
  readonly #listed = new Map<string, readonly Dirent[]>()
  readonly #files = new Map<string, SeenFile>()
  readonly #readable = new Set<string>()
  readonly #inputs = new Map<string, FoundInputs>()

  /** What lies in a folder, in the order of its names. */
  list(folder: string): readonly Dirent[] {
    const known = this.#listed.get(folder)
    if (known !== undefined) return known
    const entries = readdirSync(folder, { withFileTypes: true })
    entries.sort((one, other) => (one.name < other.name ? -1 : 1))
    this.#listed.set(folder, entries)
    return entries
  }

  file(path: string): SeenFile {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const stats = statSync(path)
    const seen: SeenFile = {
      isFile: stats.isFile(),
      isFolder: stats.isDirectory(),
      bytes: stats.size,
      modifiedMs: stats.mtimeMs,
      ino: stats.ino,
    }
    this.#files.set(path, seen)
    return seen
  }

  /** What was found under these names, which is looked for once. */
  inputs(paths: readonly string[], find: () => FoundInputs): FoundInputs {
    const key = paths.join("\0")
    const known = this.#inputs.get(key) ?? find()
    this.#inputs.set(key, known)
    return known
  }

  /** Throws where the file may not be read. */
  requireReadable(path: string): void {
    if (this.#readable.has(path)) return
    accessSync(path, constants.R_OK)
    this.#readable.add(path)
  }
}
