import { problems, type ProblemCode } from "@assay/core/contract"
import { AssayProblem, AssayUnavailable, type ProblemErrors } from "./errors.ts"
import { retryAfterSeconds } from "./retry.ts"

/** What a response of status 200 has to hold to be the answer to a question. */
export interface Expected {
  /** Members that must be present. */
  readonly members: readonly string[]
  /** The member that repeats what was asked about, an identity or an id, and what was sent. */
  readonly echo: readonly [member: string, sent: string]
  /** The member that holds the score; without it, the result itself does. */
  readonly scoreIn?: string
}

/** The result a response holds. Throws the problem it holds instead, or that it is not the service's. */
export async function resultOf(response: Response, expected: Expected): Promise<object> {
  const { status, headers } = response
  const fields = {
    status,
    retryAfterSeconds: retryAfterSeconds(headers.get("retry-after"), Date.now()),
  }
  const body = jsonObject(await textOf(response, fields))
  if (status === 200) {
    if (body !== null && isResult(body, expected)) return body
    throw new AssayUnavailable("protocol", "The response is not a result of Assay", fields)
  }
  const code = body?.["code"]
  if (body === null || !isProblemCode(code))
    throw new AssayUnavailable("protocol", `The response, ${status}, is not one of Assay`, fields)
  throw new AssayProblem(code, {
    ...fields,
    detail: textOrNull(body["detail"]),
    requestId: textOrNull(body["request_id"]) ?? headers.get("x-request-id"),
    errors: problemErrors(body["errors"]),
  })
}

async function textOf(response: Response, fields: { status: number }): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    throw new AssayUnavailable("network", "The response broke off", { ...fields, cause })
  }
}

type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object in a text, or null. The parser's error is dropped: it quotes the text. */
function jsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? (value as JsonObject) : null
  } catch {
    return null
  }
}

/**
 * The service has checked its own answer; this tells one from somebody else's JSON. A score that is
 * no number would compare as low, and an answer about another identity must not be taken for this.
 */
function isResult(body: JsonObject, { members, echo, scoreIn }: Expected): boolean {
  const scored = (scoreIn === undefined ? body : body[scoreIn]) as Partial<JsonObject> | null
  return (
    members.every((member) => Object.hasOwn(body, member)) &&
    typeof scored?.["risk_score"] === "number" &&
    body[echo[0]] === echo[1]
  )
}

function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === "string" && Object.hasOwn(problems, code)
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

function problemErrors(value: unknown): ProblemErrors {
  if (!Array.isArray(value)) return []
  return value.filter(
    (each: unknown): each is ProblemErrors[number] =>
      typeof each === "object" &&
      each !== null &&
      "pointer" in each &&
      typeof each.pointer === "string" &&
      "detail" in each &&
      typeof each.detail === "string",
  )
}
