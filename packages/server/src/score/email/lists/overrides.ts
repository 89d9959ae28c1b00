import { createHash } from "node:crypto"
import { parseDomain } from "@assay/core/identity"
import { removeOwnList, replaceOwnFile } from "./own-list-file.ts"
import { linesOf, type OwnLine, type OwnList, ownLines, readOwnFiles } from "./own-lists.ts"

/** A line of an operator's list, and where it stands. */
export interface Override extends OwnLine {
  /** The file, `mine.csv`. */
  readonly file: string
  readonly changedAtMs: number
}

/** A file of the operator's with all that it says. */
export interface OverrideFile {
  readonly file: string
  readonly changedAtMs: number
  readonly overrides: readonly Override[]
}

/** A file as a change leaves it. */
export interface ListEdit {
  readonly file: string
  readonly override: Override
  /** null: the file says this already. */
  readonly text: string | null
}

/** Where overrides go that are not imported or written by hand. */
const ADDED = "console.csv"

/**
 * Names a line by what it says, so that it stays the same while lines around it come and go. A
 * domain in a URL would get into logs of proxies.
 */
export function overrideId({
  file,
  domain,
  category,
}: Omit<Override, "note" | "changedAtMs">): string {
  const digest = createHash("sha256").update(`${file}\n${domain}\n${category}`)
  return `ovr_${digest.digest("base64url").slice(0, 22)}`
}

/**
 * All overrides as they stand in the files now. A line that stands twice in a file counts once, by
 * the last note. Throws with the place of a line that cannot be used. `before` is what an earlier
 * reading of the lists gave, and makes this one quick.
 */
export function readOverrides(directory: string, before: readonly OwnList[] = []): OverrideFile[] {
  return readOwnFiles(directory).map(({ file, text, changedAtMs }) => {
    const found = new Map<string, Override>()
    for (const line of ownLines(text, file, before))
      if (line !== null)
        found.set(`${line.domain},${line.category}`, { ...line, file, changedAtMs })
    return { file, changedAtMs, overrides: [...found.values()] }
  })
}

/** The file of added overrides with one more, or with another note beside one that it has. */
export function withOverride(directory: string, line: OwnLine, nowMs: number): ListEdit {
  const present = readOwnFiles(directory).find(({ file }) => file === ADDED)
  const before = present?.text ?? ""
  const isThere = ownLines(before, ADDED).some(
    (each) => each !== null && isSame(each, line) && each.note === line.note,
  )
  const changedAtMs = isThere ? (present?.changedAtMs ?? nowMs) : nowMs
  const override = { ...line, file: ADDED, changedAtMs }
  if (isThere) return { file: ADDED, override, text: null }
  const kept = linesBut(before, line)
  const end = kept === "" || kept.endsWith("\n") ? "" : "\n"
  const text = `${kept}${end}${line.domain},${line.category},${line.note}\n`
  return { file: ADDED, override, text }
}

/** The file of an override without it; null where it has it no more. */
export function withoutOverride(directory: string, override: Override): ListEdit | null {
  const { file } = override
  const before = readOwnFiles(directory).find((each) => each.file === file)?.text ?? ""
  const text = linesBut(before, override)
  return text === linesOf(before).join("\n") ? null : { file, override, text }
}

/** Writes an edit; a file that has nothing left to say is removed. */
export function applyEdit(directory: string, { file, text }: ListEdit): void {
  if (text === null) return
  const name = file.slice(0, -".csv".length)
  if (text.trim() === "") removeOwnList(directory, name)
  else replaceOwnFile(directory, name, text)
}

/** A text without the lines that say this; all others, comments too, stay. */
function linesBut(text: string, { domain, category }: OwnLine): string {
  return linesOf(text)
    .filter((line) => {
      const [name = "", says] = line.split(",").map((part) => part.trim())
      return line.startsWith("#") || says !== category || !isName(name, domain)
    })
    .join("\n")
}

/** Whether a name, however it is spelled, is this domain in ASCII form. */
function isName(name: string, domain: string): boolean {
  // Most lines are about other domains, and need no parsing to tell.
  if (/^[a-z0-9.-]*[a-z0-9]$/.test(name) && !name.includes("xn--")) return name === domain
  const parsed = parseDomain(name)
  return !("fault" in parsed) && parsed.domain === domain
}

function isSame(line: OwnLine, { domain, category }: OwnLine): boolean {
  return line.domain === domain && line.category === category
}
