import { isUtf8 } from "node:buffer"
import { Problem } from "../base/problem.ts"
import { type Line, openLineSplitter } from "./lines.ts"
import { LINE_MAX } from "./sizes.ts"
import type { TimeSlices } from "./time-slices.ts"

/**
 * Cut in pieces, so that a body of nothing but ends of lines is refused before all its lines are
 * held.
 */
const PIECE_BYTES = 4 * 1024

/** The lines of a body that is held as a whole. Throws a Problem for more than `linesMax`. */
export async function heldLines(
  body: Buffer,
  linesMax: number,
  slices: TimeSlices,
): Promise<Line[]> {
  const splitter = openLineSplitter(LINE_MAX)
  const lines: Line[] = []
  for (let from = 0; from < body.length; from += PIECE_BYTES) {
    lines.push(...splitter.push(body.subarray(from, from + PIECE_BYTES)))
    if (lines.length > linesMax) break
    if (slices.isOver()) await slices.next()
  }
  if (lines.length <= linesMax) lines.push(...splitter.end())
  if (lines.length > linesMax) throw tooManyLines(linesMax)
  if (lines.length === 0)
    throw new Problem("invalid-request", "The body has no line.", {
      errors: [{ pointer: "#", detail: "must have at least 1 line" }],
    })
  return lines
}

export function tooManyLines(linesMax: number): Problem {
  return new Problem("body-too-large", `A request may have ${linesMax.toLocaleString("en")} lines.`)
}

/** The value of a line of JSON, or a Problem. */
export function lineValue(line: Line): unknown {
  if (line === null) throw tooLongLine()
  if (!isUtf8(line)) throw new Problem("malformed-json", "The line is not valid UTF-8.")
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    // The parser's message quotes the line.
    throw new Problem("malformed-json", "The line is not valid JSON.")
  }
}

export function tooLongLine(): Problem {
  return new Problem("body-too-large", "A line may have 4 KiB.")
}
