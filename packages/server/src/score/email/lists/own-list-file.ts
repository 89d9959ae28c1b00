import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { ListCategory } from "./categories.ts"

/** A name of an operator's list: what a file may be called everywhere, and never a path. */
export function isListName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)
}

/**
 * Writes a list as a whole: a reader finds the old file or the new one. The file keeps the date the
 * list was made, not that of the import. Returns false if the same list was there already.
 */
export function writeOwnList(
  directory: string,
  name: string,
  domains: readonly string[],
  category: ListCategory,
  note: string,
  madeAt: Date,
): boolean {
  const text = domains.map((domain) => `${domain},${category},${note}\n`).join("")
  const file = join(directory, `${name}.csv`)
  if (existsSync(file) && readFileSync(file, "utf8") === text) return false
  replaceOwnFile(directory, name, text, madeAt)
  return true
}

/** Writes a file as a whole, with the date of now unless another is given. */
export function replaceOwnFile(directory: string, name: string, text: string, madeAt?: Date): void {
  const file = join(directory, `${name}.csv`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  if (madeAt !== undefined) utimesSync(`${file}.new`, madeAt, madeAt)
  renameSync(`${file}.new`, file)
}

/** False where there is no such list. */
export function removeOwnList(directory: string, name: string): boolean {
  const file = join(directory, `${name}.csv`)
  if (!existsSync(file)) return false
  rmSync(file)
  return true
}
