import { isUtf8 } from "node:buffer"
import { Problem } from "../../base/problem.ts"
import type { Line } from "../../http/lines.ts"

/**
 * The identity a line of a stream holds: a JSON text, or an object with it as `member`; else why it
 * holds none.
 */
export function identityOfLine(line: Line, member: string): string | Problem {
  if (line === null) return new Problem("body-too-large", "A line may have 4 KiB.")
  if (!isUtf8(line)) return new Problem("malformed-json", "The line is not valid UTF-8.")
  let value: unknown
  try {
    value = JSON.parse(line.toString("utf8"))
  } catch {
    // The parser's message quotes the line.
    return new Problem("malformed-json", "The line is not valid JSON.")
  }
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return wrongType("#", "must be of type string or object")
  if (!Object.hasOwn(value, member)) return wrongType(`#/${member}`, "is missing")
  const identity: unknown = (value as Readonly<Record<string, unknown>>)[member]
  return typeof identity === "string"
    ? identity
    : wrongType(`#/${member}`, "must be of type string")
}

function wrongType(pointer: string, detail: string): Problem {
  return new Problem("invalid-request", "The line does not hold an identity.", {
    errors: [{ pointer, detail }],
  })
}
