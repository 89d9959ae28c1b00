import type { ImportQuery } from "@assay/core/contract"
import { FIELDS } from "@assay/corpus/formats/columns"
import { FORMAT_NAMES } from "@assay/corpus/formats/formats"
import type { FormatHints } from "@assay/corpus/formats/head"
import { columnsSaid, isEventDate } from "@assay/corpus/said-options"
import { IMPORT_KINDS, isSourceName, type SourceRequest } from "@assay/corpus/source-request"
import { Problem } from "../base/problem.ts"

type Said = Readonly<Partial<Record<keyof ImportQuery, unknown>>>

/** What a request says of the source. Throws where it is not what the reference describes. */
export function saidSource(said: Said, nowMs: number): SourceRequest {
  const { source, title, kind, date } = said
  if (typeof source !== "string" || !isSourceName(source))
    throw wrong("source", "takes up to 64 lower-case letters, digits, hyphens, dots, underscores")
  const known = IMPORT_KINDS.find((each) => each === kind)
  if (kind !== undefined && known === undefined)
    throw wrong("kind", `takes ${IMPORT_KINDS.join(", ")}`)
  if (date !== undefined && (typeof date !== "string" || !isEventDate(date, nowMs)))
    throw wrong("date", "takes a day from 1990-01-01 to today, as YYYY-MM-DD")
  if (title !== undefined && (typeof title !== "string" || title === "" || title.length > 200))
    throw wrong("title", "takes 1 to 200 characters")
  return {
    name: source,
    ...(title !== undefined && { title }),
    ...(known !== undefined && { kind: known }),
    ...(date !== undefined && { date }),
  }
}

/** What a request says of the file. */
export function saidHints({ format, map }: Said): FormatHints {
  if (format !== undefined && (typeof format !== "string" || !FORMAT_NAMES.includes(format)))
    throw wrong("format", `takes ${FORMAT_NAMES.join(", ")}`)
  const columns = map === undefined || typeof map === "string" ? columnsSaid(map) : null
  if (columns === null)
    throw wrong("map", `takes FIELD=COLUMN, separated by commas: ${FIELDS.join(", ")}`)
  return { map: columns, ...(format !== undefined && { format }) }
}

function wrong(member: string, detail: string): Problem {
  return new Problem("invalid-request", "Nothing was imported.", {
    errors: [{ pointer: `#/${member}`, detail }],
  })
}
