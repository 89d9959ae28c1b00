import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseDomain } from "@assay/core/identity"
import { categoryMark, isListCategory, LIST_CATEGORIES, type ListCategory } from "./categories.ts"
import { DomainTable } from "./domain-table.ts"
import { Explained } from "@assay/runtime/explained"
import { namesIn } from "@assay/runtime/if-present"

/** A file of the operator's. */
export interface OwnList {
  /** The file, `mine.csv`; an explanation names it so. */
  readonly file: string
  /** Its domains, each with the marks of its categories. */
  readonly table: DomainTable
  readonly changedAtMs: number
}

/** What a line of such a file says. */
export interface OwnLine {
  /** In ASCII form. */
  readonly domain: string
  readonly category: ListCategory
  readonly note: string
}

/** A file as it is on the disk. */
export interface OwnFile {
  readonly file: string
  readonly text: string
  readonly changedAtMs: number
}

/**
 * Reads the operator's lists: files `*.csv` with a line `domain,category,note` each, `#` for
 * comments. A line that cannot be used throws with its place, rather than being left out in
 * silence. `before` is what an earlier reading gave, and makes this one quick.
 */
export function readOwnLists(directory: string, before: readonly OwnList[] = []): OwnList[] {
  return readOwnFiles(directory).map(({ file, text, changedAtMs }) => {
    const table = new DomainTable()
    for (const line of ownLines(text, file, before)) {
      if (line !== null) table.mark(line.domain, categoryMark(line.category))
    }
    return { file, table, changedAtMs }
  })
}

export function readOwnFiles(directory: string): OwnFile[] {
  return listFiles(directory).map((file) => {
    const path = join(directory, file)
    try {
      return { file, text: readFileSync(path, "utf8"), changedAtMs: statSync(path).mtimeMs }
    } catch (error) {
      throw new Explained("lists", `${file} cannot be read`, { cause: error })
    }
  })
}

function listFiles(directory: string): string[] {
  try {
    return namesIn(directory).filter((name) => name.endsWith(".csv"))
  } catch (error) {
    throw new Explained("lists", "The directory of lists cannot be read", { cause: error })
  }
}

/** What each line of a file says; null for comments and empty lines. */
export function ownLines(
  text: string,
  file: string,
  before: readonly OwnList[] = [],
): (OwnLine | null)[] {
  const known = before.find((list) => list.file === file)?.table
  return linesOf(text).map((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return null
    const [name = "", category = "", ...rest] = line.split(",").map((part) => part.trim())
    // A name that a table has is a domain in ASCII form. Parsing takes ten times as long, which
    // tells in a list of 100,000.
    const parsed =
      known !== undefined && known.marks(name, 0) !== 0 ? { domain: name } : parseDomain(name)
    if ("fault" in parsed)
      throw new Explained("lists", `${file}, line ${index + 1}: the first column is no domain`)
    if (!isListCategory(category))
      throw new Explained(
        "lists",
        `${file}, line ${index + 1}: the category must be one of ${LIST_CATEGORIES.join(", ")}`,
      )
    return { domain: parsed.domain, category, note: noteIn(line, rest) }
  })
}

export function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}

/** All that stands behind the second comma: a note may have commas of its own. */
function noteIn(line: string, rest: readonly string[]): string {
  if (rest.length < 2) return rest[0] ?? ""
  return line.slice(line.indexOf(",", line.indexOf(",") + 1) + 1).trim()
}
