import { DAY_MS, dayOf } from "@assay/runtime/time"
import { type Field, FIELDS } from "./formats/columns.ts"

/** A day from 1990 to today, as YYYY-MM-DD. */
export function isEventDate(text: string, nowMs: number): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const ms = Date.parse(text)
  // The round trip refuses days that no month has, which some engines carry over into the next.
  return ms >= Date.UTC(1990, 0, 1) && ms <= nowMs + DAY_MS && dayOf(ms) === text
}

/** What columns mean, from FIELD=COLUMN separated by commas; null where that is not what it is. */
export function columnsSaid(map: string | undefined): Partial<Record<Field, string>> | null {
  const columns: Partial<Record<Field, string>> = {}
  for (const pair of map?.split(",") ?? []) {
    const cut = pair.indexOf("=")
    const field = FIELDS.find((name) => name === pair.slice(0, cut).trim())
    const column = pair.slice(cut + 1).trim()
    if (cut === -1 || field === undefined || column === "") return null
    columns[field] = column
  }
  return columns
}
