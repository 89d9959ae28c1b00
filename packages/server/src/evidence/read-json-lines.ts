import { EVIDENCE_LINES_MAX } from "@assay/core/contract"
import type { FastifyRequest } from "fastify"
import { tooManyLines } from "../http/held-lines.ts"
import {
  malformed,
  outlineInSlices,
  refuseCompression,
  refuseOtherText,
  tooDeep,
  withoutByteOrderMark,
} from "../http/json-body.ts"
import { LINE_MAX } from "../http/sizes.ts"
import { openTimeSlices } from "../http/time-slices.ts"
import { Problem } from "../base/problem.ts"

/** Stands for a line of an array that has too many bytes to be parsed. */
export const TOO_LONG = Symbol("too long")

const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/**
 * Reads a body of JSON that should be an array, line by line: parsed whole, 8 MiB would keep a
 * worker from all others for a tenth of a second.
 */
export async function readJsonLines(
  { headers }: Pick<FastifyRequest, "headers">,
  bytes: Buffer,
): Promise<unknown> {
  const refused = refuseCompression(headers["content-encoding"]) ?? refuseOtherText(bytes)
  if (refused !== null) throw refused
  const body = withoutByteOrderMark(bytes)
  // Offsets of the opening bracket, the commas between the lines, and the closing bracket.
  const splits: number[] = []
  let opening = 0
  const outline = await outlineInSlices(body, (at, byte) => {
    if (splits.length === 0) opening = byte
    if (splits.push(at) > EVIDENCE_LINES_MAX + 1) throw tooManyLines(EVIDENCE_LINES_MAX)
  })
  const deep = tooDeep(outline)
  if (deep !== null) throw deep
  const [first = 0] = splits
  const last = splits.at(-1) ?? 0
  if (opening !== OPEN_ARRAY || !isBlank(body.subarray(0, first))) throw noArray(body)
  if (body.at(last) !== CLOSE_ARRAY || !isBlank(body.subarray(last + 1))) throw malformed(bytes)
  const slices = openTimeSlices()
  const values: unknown[] = []
  for (let n = 1; n < splits.length; n++) {
    if (slices.isOver()) await slices.next()
    const line = body.subarray((splits[n - 1] ?? 0) + 1, splits[n])
    if (splits.length === 2 && isBlank(line)) break
    values.push(line.length > LINE_MAX ? TOO_LONG : parsed(line, bytes))
  }
  return values
}

function parsed(text: Buffer, body: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"))
  } catch {
    // The parser's message quotes the body.
    throw malformed(body)
  }
}

/** A body that is too long to parse is judged by its first byte. */
function noArray(body: Buffer): Problem {
  if (body.length <= LINE_MAX) parsed(body, body)
  return new Problem("invalid-request", "The body has the wrong type.", {
    errors: [{ pointer: "#", detail: "must be of type array" }],
  })
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length <= LINE_MAX && bytes.every((byte) => BLANKS.has(byte))
}

const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
