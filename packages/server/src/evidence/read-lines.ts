import { isUtf8 } from "node:buffer"
import { EVIDENCE_LINES_MAX } from "@assay/core/contract"
import { type Line, openLineSplitter } from "../http/lines.ts"
import { LINE_MAX } from "../http/sizes.ts"
import { openTimeSlices, type TimeSlices } from "../http/time-slices.ts"
import { Problem } from "../base/problem.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { RefusedLine, SentEvidence } from "@assay/stores/records-evidence"
import { readLine } from "./read-line.ts"
import { TOO_LONG } from "./read-json-lines.ts"
import { refusedLine, tooManyLines } from "../intake/refusal.ts"

/**
 * Cut in pieces, so that a body of nothing but ends of lines is refused before all its lines are
 * held.
 */
const PIECE_BYTES = 4 * 1024

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
  const given = Buffer.isBuffer(body) ? await linesOf(body, slices) : body
  const valueOf = Buffer.isBuffer(body) ? (line: unknown) => parsed(line as Line) : itself
  if (given.length === 0)
    throw new Problem("invalid-request", "The body has no line.", {
      errors: [{ pointer: "#", detail: "must have at least 1 line" }],
    })
  if (given.length > EVIDENCE_LINES_MAX) throw tooManyLines()
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

async function linesOf(body: Buffer, slices: TimeSlices): Promise<Line[]> {
  const splitter = openLineSplitter(LINE_MAX)
  const lines: Line[] = []
  for (let from = 0; from < body.length; from += PIECE_BYTES) {
    lines.push(...splitter.push(body.subarray(from, from + PIECE_BYTES)))
    if (lines.length > EVIDENCE_LINES_MAX) throw tooManyLines()
    if (slices.isOver()) await slices.next()
  }
  lines.push(...splitter.end())
  return lines
}

function parsed(line: Line): unknown {
  if (line === null) throw tooLong()
  if (!isUtf8(line)) throw new Problem("malformed-json", "The line is not valid UTF-8.")
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    // The parser's message quotes the line.
    throw new Problem("malformed-json", "The line is not valid JSON.")
  }
}

function itself(value: unknown): unknown {
  if (value === TOO_LONG) throw tooLong()
  return value
}

function tooLong(): Problem {
  return new Problem("body-too-large", "A line may have 4 KiB.")
}
