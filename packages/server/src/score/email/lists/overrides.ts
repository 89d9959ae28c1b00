import { createHash } from "node:crypto"
import type { ListCategory } from "./categories.ts"
import { removeOwnList, replaceOwnFile } from "./own-list-file.ts"
import { linesOf, type OwnLine, ownLines, readOwnFiles } from "./own-lists.ts"

/** A line of an operator's list, and where it stands. */
export interface Override extends OwnLine {
  readonly id: string
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
export function overrideId(file: string, domain: string, category: ListCategory): string {
  const digest = createHash("sha256").update(`${file}\n${domain}\n${category}`)
  return `ovr_${digest.digest("base64url").slice(0, 22)}`
}

/**
 * All overrides as they stand in the files now. A line that stands twice in a file counts once, by
 * the last note. Throws with the place of a line that cannot be used.
 */
export function readOverrides(directory: string): OverrideFile[] {
  return readOwnFiles(directory).map(({ file, text, changedAtMs }) => {
    const found = new Map<string, OwnLine>()
    for (const line of ownLines(text, file))
      if (line !== null) found.set(`${line.domain},${line.category}`, line)
    const overrides = [...found.values()].map((line) => overrideOf(line, file, changedAtMs))
    return { file, changedAtMs, overrides }
  })
}

/** The file of added overrides with one more, or with another note beside one that it has. */
export function withOverride(directory: string, line: OwnLine, nowMs: number): ListEdit {
  // Reads all of them: a list that is broken already is named before anything changes.
  const files = readOwnFiles(directory)
  for (const { file, text } of files) ownLines(text, file)
  const present = files.find(({ file }) => file === ADDED)
  const before = present?.text ?? ""
  const kept = linesBut(before, ADDED, line)
  const written = `${line.domain},${line.category},${line.note}`
  const text = `${kept}${kept === "" || kept.endsWith("\n") ? "" : "\n"}${written}\n`
  const isThere = ownLines(before, ADDED).some(
    (each) => each !== null && says(each, line) && each.note === line.note,
  )
  const override = overrideOf(line, ADDED, isThere ? (present?.changedAtMs ?? nowMs) : nowMs)
  return { file: ADDED, override, text: isThere ? null : text }
}

/** The file of an override without it, whichever it is; null where no file has it. */
export function withoutOverride(directory: string, id: string): ListEdit | null {
  const override = readOverrides(directory)
    .flatMap(({ overrides }) => overrides)
    .find((each) => each.id === id)
  if (override === undefined) return null
  const { file } = override
  const { text = "" } = readOwnFiles(directory).find((each) => each.file === file) ?? {}
  return { file, override, text: linesBut(text, file, override) }
}

/** Writes an edit; a file that has nothing left to say is removed. */
export function applyEdit(directory: string, { file, text }: ListEdit): void {
  if (text === null) return
  const name = file.slice(0, -".csv".length)
  if (text.trim() === "") removeOwnList(directory, name)
  else replaceOwnFile(directory, name, text)
}

function overrideOf(line: OwnLine, file: string, changedAtMs: number): Override {
  return { ...line, id: overrideId(file, line.domain, line.category), file, changedAtMs }
}

/** A text without the lines that say this; all others, comments too, stay as they are. */
function linesBut(text: string, file: string, line: OwnLine): string {
  const read = ownLines(text, file)
  return linesOf(text)
    .filter((_, index) => {
      const each = read[index] ?? null
      return each === null || !says(each, line)
    })
    .join("\n")
}

function says(line: OwnLine, { domain, category }: OwnLine): boolean {
  return line.domain === domain && line.category === category
}
