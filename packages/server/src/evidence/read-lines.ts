import { isUtf8 } from "node:buffer"
import { setImmediate as turn } from "node:timers/promises"
import { EVIDENCE_LINES_MAX } from "@assay/core/contract"
import { type Line, openLineSplitter } from "../bulk/lines.ts"
import { LINE_MAX } from "../http/sizes.ts"
import { Problem } from "../problem.ts"
import type { Secrets } from "../secrets.ts"
import type { RefusedLine, SentObservation } from "../stores/records-observations.ts"
import { readLine } from "./read-line.ts"
import { refusedLine } from "./refusal.ts"

/** Lines read before other requests get their turn. */
const LINES_AT_ONCE = 200
/** Cut in pieces, so that a body of nothing but ends of lines is refused before all its lines are held. */
const PIECE_BYTES = 64 * 1024

/** Reads a body: values, or bytes with a JSON value a line. A line that does not fit is refused by itself. */
export async function readLines(
  body: readonly unknown[] | Buffer,
  secrets: Pick<Secrets, "subkeys">,
  nowMs: number,
): Promise<(SentObservation | RefusedLine)[]> {
  const given = Buffer.isBuffer(body) ? linesOf(body) : body
  const valueOf = Buffer.isBuffer(body) ? (line: unknown) => parsed(line as Line) : itself
  if (given.length === 0)
    throw new Problem("invalid-request", "The body has no line.", {
      errors: [{ pointer: "#", detail: "must have at least 1 line" }],
    })
  if (given.length > EVIDENCE_LINES_MAX) throw tooManyLines()
  const lines: (SentObservation | RefusedLine)[] = []
  for (const line of given) {
    if (lines.length > 0 && lines.length % LINES_AT_ONCE === 0) await turn()
    try {
      lines.push(readLine(valueOf(line), secrets, nowMs))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      lines.push(refusedLine(error))
    }
  }
  return lines
}

function linesOf(body: Buffer): Line[] {
  const splitter = openLineSplitter(LINE_MAX)
  const lines: Line[] = []
  for (let from = 0; from < body.length; from += PIECE_BYTES) {
    lines.push(...splitter.push(body.subarray(from, from + PIECE_BYTES)))
    if (lines.length > EVIDENCE_LINES_MAX) throw tooManyLines()
  }
  lines.push(...splitter.end())
  return lines
}

function parsed(line: Line): unknown {
  if (line === null) throw new Problem("body-too-large", "A line may have 4 KiB.")
  if (!isUtf8(line)) throw new Problem("malformed-json", "The line is not valid UTF-8.")
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    // The parser's message quotes the line.
    throw new Problem("malformed-json", "The line is not valid JSON.")
  }
}

function itself(value: unknown): unknown {
  return value
}

function tooManyLines(): Problem {
  const most = EVIDENCE_LINES_MAX.toLocaleString("en")
  return new Problem("body-too-large", `A request may have ${most} lines.`)
}
