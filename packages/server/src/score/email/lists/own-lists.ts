import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseDomain } from "@assay/core/identity"
import { categoryMark, isListCategory, LIST_CATEGORIES } from "./categories.ts"
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

/**
 * Reads the operator's lists: files `*.csv` with a line `domain,category,note` each, `#` for
 * comments. A line that cannot be used throws with its place, rather than being left out in
 * silence.
 */
export function readOwnLists(directory: string): OwnList[] {
  return listFiles(directory).map((file) => {
    const path = join(directory, file)
    let text: string
    let changedAtMs: number
    try {
      text = readFileSync(path, "utf8")
      changedAtMs = statSync(path).mtimeMs
    } catch (error) {
      throw new Explained("lists", `${file} cannot be read`, { cause: error })
    }
    return { file, table: readTable(text, file), changedAtMs }
  })
}

function listFiles(directory: string): string[] {
  try {
    return namesIn(directory).filter((name) => name.endsWith(".csv"))
  } catch (error) {
    throw new Explained("lists", "The directory of lists cannot be read", { cause: error })
  }
}

function readTable(text: string, file: string): DomainTable {
  const table = new DomainTable()
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return
    const [name = "", category = ""] = line.split(",").map((part) => part.trim())
    const parsed = parseDomain(name)
    if ("fault" in parsed)
      throw new Explained("lists", `${file}, line ${index + 1}: the first column is no domain`)
    if (!isListCategory(category))
      throw new Explained(
        "lists",
        `${file}, line ${index + 1}: the category must be one of ${LIST_CATEGORIES.join(", ")}`,
      )
    table.mark(parsed.domain, categoryMark(category))
  })
  return table
}
