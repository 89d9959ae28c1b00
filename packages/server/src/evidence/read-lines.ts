import { EVIDENCE_LINES_MAX } from "@assay/core/contract"
import { heldLines, lineValue, tooLongLine, tooManyLines } from "../http/held-lines.ts"
import type { Line } from "../http/lines.ts"
import { openTimeSlices, type TimeSlices } from "../http/time-slices.ts"
import { Problem } from "../base/problem.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { RefusedLine, SentEvidence } from "@assay/stores/records-evidence"
import { readLine } from "./read-line.ts"
import { TOO_LONG } from "./read-json-lines.ts"
import { refusedLine } from "../intake/refusal.ts"

/**
 * Reads a body: values, or bytes with a JSON value a line. A line that does not fit is refused by
 * itself.
 */
export async function readLines(
  body: readonly unknown[] | Buffer,
  secrets: Pick<Secrets, "subkeys">,
  nowMs: number,
  slices: TimeSlices = openTimeSlices(),
): Promise<(SentEvidence | RefusedLine)[]> {
  const given = Buffer.isBuffer(body) ? await heldLines(body, EVIDENCE_LINES_MAX, slices) : body
  const valueOf = Buffer.isBuffer(body) ? (line: unknown) => lineValue(line as Line) : itself
  if (given.length === 0)
    throw new Problem("invalid-request", "The body has no line.", {
      errors: [{ pointer: "#", detail: "must have at least 1 line" }],
    })
  if (given.length > EVIDENCE_LINES_MAX) throw tooManyLines(EVIDENCE_LINES_MAX)
  const lines: (SentEvidence | RefusedLine)[] = []
  for (const line of given) {
    if (slices.isOver()) await slices.next()
    try {
      lines.push(readLine(valueOf(line), secrets, nowMs))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      lines.push(refusedLine(error))
    }
  }
  return lines
}

function itself(value: unknown): unknown {
  if (value === TOO_LONG) throw tooLongLine()
  return value
}
