import { isUtf8 } from "node:buffer"
import type { IdentityType } from "@assay/core/identity"
import { openLineSplitter } from "../http/lines.ts"
import type { Row, Rows } from "./score-row.ts"

const LINE_MAX = 1024 * 1024
const MEMBERS = { email: "email", phone: "phone_number" } as const

/**
 * Reads lines of JSON: texts, or objects that hold the identity as a member. The output repeats
 * each under `input`.
 */
export function readNdjson(
  input: AsyncIterable<Buffer>,
  identityType: IdentityType,
  member: string = MEMBERS[identityType],
): Rows {
  async function* rows(): AsyncGenerator<Row> {
    const splitter = openLineSplitter(LINE_MAX)
    for await (const piece of input)
      for (const line of splitter.push(piece)) yield rowOf(line, member)
    for (const line of splitter.end()) yield rowOf(line, member)
  }
  return { head: "", rows: rows() }
}

function rowOf(line: Buffer | null, member: string): Row {
  const value = valueOf(line)
  if (value === undefined)
    return { identity: null, problem: "malformed-json", outputLine: outputLineOf(null) }
  const identity = identityOf(value, member)
  return {
    identity,
    problem: identity === null ? "invalid-request" : null,
    outputLine: outputLineOf(value),
  }
}

/** The value of a line; undefined where it holds none that can be read. */
function valueOf(line: Buffer | null): unknown {
  if (line === null || !isUtf8(line)) return undefined
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    return undefined
  }
}

function identityOf(value: unknown, member: string): string | null {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) return null
  const identity: unknown = (value as Readonly<Record<string, unknown>>)[member]
  return typeof identity === "string" ? identity : null
}

function outputLineOf(input: unknown): Row["outputLine"] {
  return ({ result, problem }) =>
    `${JSON.stringify(problem === null ? { input, result } : { input, problem })}\n`
}
