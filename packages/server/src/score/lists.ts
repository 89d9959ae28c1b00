import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseDomain } from "@assay/core/identity"

/** In order of precedence: a domain on several lists is the first of these. */
export const LIST_CATEGORIES = ["masked", "disposable", "free", "toxic"] as const
export type ListCategory = (typeof LIST_CATEGORIES)[number]

export interface ListEntry {
  readonly category: ListCategory
  /** The file the entry stands in. */
  readonly origin: string
}

export interface Lists {
  /** What is known of a domain in ASCII form, by itself or by the nearest parent that is listed. */
  find(domain: string): ListEntry | null
  readonly size: number
  /** When the newest list file changed; null where there is none. */
  readonly newestAt: number | null
}

export class ListsError extends Error {
  override readonly name = "ListsError"
}

/**
 * Reads the operator's lists: files `*.csv` with a line `domain,category,note` each, `#` for comments. A line that
 * cannot be used stops the start with its place, rather than being left out in silence.
 */
export function openLists(directory: string): Lists {
  const entries = new Map<string, ListEntry>()
  let newestAt: number | null = null
  for (const name of listFiles(directory)) {
    const file = join(directory, name)
    newestAt = Math.max(newestAt ?? 0, statSync(file).mtimeMs)
    readFileSync(file, "utf8")
      .split(/\r?\n/)
      .forEach((line, index) => {
        if (line.trim() === "" || line.startsWith("#")) return
        const entry = readLine(line, name, index + 1)
        const known = entries.get(entry.domain)
        if (known === undefined || rank(entry.category) < rank(known.category))
          entries.set(entry.domain, entry)
      })
  }
  return {
    find(domain) {
      for (let at = 0; at !== -1; at = domain.indexOf(".", at + 1)) {
        const found = entries.get(at === 0 ? domain : domain.slice(at + 1))
        if (found !== undefined) return found
      }
      return null
    },
    size: entries.size,
    newestAt,
  }
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".csv"))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw new ListsError("The directory of lists cannot be read", { cause: error })
  }
}

function readLine(line: string, file: string, number: number): ListEntry & { domain: string } {
  const [name = "", category = ""] = line.split(",").map((part) => part.trim())
  const domain = parseDomain(name)
  if ("fault" in domain)
    throw new ListsError(`${file}, line ${number}: the first column is no domain`)
  if (!isCategory(category))
    throw new ListsError(
      `${file}, line ${number}: the category must be one of ${LIST_CATEGORIES.join(", ")}`,
    )
  return { domain: domain.domain, category, origin: file }
}

function isCategory(text: string): text is ListCategory {
  return (LIST_CATEGORIES as readonly string[]).includes(text)
}

function rank(category: ListCategory): number {
  return LIST_CATEGORIES.indexOf(category)
}
