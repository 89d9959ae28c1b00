import type { Readable } from "node:stream"
import type { ImportPreview } from "@assay/core/contract"
import { startReader } from "@assay/corpus/engine/children"
import type { Examined, ShownRow } from "@assay/corpus/engine/examine"
import { takenAs } from "@assay/corpus/engine/taken-as"
import { describeFormat } from "@assay/corpus/formats/formats"
import type { FormatHints } from "@assay/corpus/formats/head"
import { REJECT_REASONS } from "@assay/corpus/formats/parsed-row"
import type { NodeProgram } from "@assay/runtime/children"
import { dayOf, HOUR_MS } from "@assay/runtime/time"
import { Problem } from "../base/problem.ts"

const ROWS_SHOWN = 10
/** The name that messages have for a file: its own may name people. */
export const UPLOAD = "The file"
const STALL_MS = 60_000

/**
 * What the beginning of a file holds, by a reader of its own that ends with it. Identities leave
 * that process masked, and passwords not at all.
 */
export async function previewOf(
  program: NodeProgram,
  body: Readable,
  bytes: number,
  hints: FormatHints,
  nowMs: number,
): Promise<ImportPreview> {
  const reader = startReader(program, { stdin: "pipe", stallMs: STALL_MS })
  try {
    const { input } = reader
    if (input === null) throw new Problem("store-unavailable", "Nothing was read.")
    // The reader may end before it took all; its failure says why.
    input.on("error", () => undefined)
    body.pipe(input)
    const job = { paths: [], streamed: { name: UPLOAD, bytes }, hints, nowMs }
    const examined = await reader.examine(
      { ...job, rowsShown: ROWS_SHOWN, masked: true },
      () => undefined,
    )
    return shown(examined)
  } finally {
    body.unpipe()
    body.resume()
    await reader.kill()
  }
}

function shown({ members, shown: rows }: Examined): ImportPreview {
  const [member] = members.filter(({ detected }) => detected !== null)
  if (member?.detected === undefined || member.detected === null)
    throw new Problem("import-refused", "There is nothing in the file that can be imported.")
  const { kind } = takenAs(member, { kind: null, eventDate: null })
  return { format: describeFormat(member.detected), kind, rows: rows.map(shownRow) }
}

function shownRow(each: ShownRow): ImportPreview["rows"][number] {
  const { line } = each
  const nothing = { identity: null, secret: null, kind: null, day: null, rejected: null }
  if ("reject" in each) return { line, ...nothing, rejected: REJECT_REASONS[each.reject] }
  const { identity, secret, kind, hours } = each.row
  const day = hours === null ? null : dayOf(hours * HOUR_MS)
  return { line, identity, secret, kind, day, rejected: null }
}
