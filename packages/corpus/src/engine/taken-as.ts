import type { FileDays } from "@assay/stores/catalogue"
import type { EntryKind } from "@assay/stores/entry"
import type { ImportRecipe } from "@assay/stores/exposure-index"
import type { ExaminedMember } from "./examine.ts"
import { impliedKind } from "../formats/formats.ts"

/** What dates a row, in words for the person at the terminal. The first one known applies. */
export const DATINGS = {
  row: "the row itself",
  source: "the source",
  log: "the stealer's log",
  file: "the file's own date",
  import: "the day of the import",
} as const
export type Dating = keyof typeof DATINGS

/** The kind and date of rows in a file that do not give their own. */
export interface TakenAs {
  readonly kind: EntryKind
  /** null: the moment of the import. */
  readonly day: string | null
  readonly dating: Exclude<Dating, "row">
}

/**
 * Kind and date are decided per file. What the person gave for the source applies to all files,
 * everything else to one file.
 */
export function takenAs(
  { number, detected, logDay, fileDay }: ExaminedMember,
  { kind, eventDate, fileDays = null }: ImportRecipe["keyedAs"],
): TakenAs {
  const own = kind ?? (detected === null ? "breach" : impliedKind(detected.format))
  if (eventDate !== null) return { kind: own, day: eventDate, dating: "source" }
  if (logDay !== null) return { kind: own, day: logDay, dating: "log" }
  const written = fileDays === null ? fileDay : dayAt(fileDays, number)
  if (written !== null) return { kind: own, day: written, dating: "file" }
  return { kind: own, day: null, dating: "import" }
}

/**
 * A catalogue is read often, so it holds at most this many days. An import with more reads the
 * dates from the files again.
 */
const FILE_DAYS_MAX = 1_000

/**
 * The files' own dates, as an import keeps them so that it can be repeated after the files were
 * copied: where the day changes from one member to the next. Null where nothing depends on them, or
 * there are too many.
 */
export function fileDaysOf(members: readonly ExaminedMember[]): FileDays | null {
  const days: [number, string | null][] = []
  for (const { number, detected, fileDay } of members) {
    if (detected !== null && (days.length === 0 || days.at(-1)?.[1] !== fileDay)) {
      days.push([number, fileDay])
    }
  }
  return days.length > FILE_DAYS_MAX ? null : days
}

function dayAt(days: FileDays, member: number): string | null {
  return days.findLast(([from]) => from <= member)?.[1] ?? null
}
