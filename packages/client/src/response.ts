import { problems, type ProblemCode } from "@assay/core/contract"
import { retryAfterSeconds } from "./attempts.ts"
import { AssayProblem, AssayUnavailable, type ProblemErrors } from "./errors.ts"

/** What a response of status 200 has to hold to be the answer to a question. */
export interface Expected {
  /** Members that must be present. */
  readonly members: readonly string[]
  /** The member that repeats the identity or id asked about, and the value that was sent. */
  readonly echo: readonly [member: string, sent: string]
  /** The member that holds the score; without it, the result itself does. */
  readonly scoreIn?: string
}

/**
 * The result a response holds. Throws the problem it holds instead, or that it is not the
 * service's.
 */
export async function resultOf(response: Response, expected: Expected): Promise<object> {
  return await answerOf(response, 200, (body) => body !== null && isResult(body, expected))
}

/**
 * The body of a response with this status that `fits` accepts; a body that is no JSON object is
 * passed as null. Throws like `resultOf`.
 */
export async function answerOf(
  response: Response,
  expectedStatus = 200,
  fits: (body: JsonObject | null) => boolean = (body) => body !== null,
): Promise<JsonObject> {
  const { status, headers } = response
  const fields = {
    status,
    retryAfterSeconds: retryAfterSeconds(headers.get("retry-after"), Date.now()),
  }
  const body = jsonObject(await textOf(response, fields))
  if (status === expectedStatus) {
    if (fits(body)) return body ?? {}
    throw notAssays(status)
  }
  if (body === null || !isProblemCode(body["code"]))
    throw new AssayUnavailable("protocol", `The response, ${status}, is not one of Assay`, fields)
  throw problemOf(body["code"], body, fields, headers.get("x-request-id"))
}

/** The problem of one item among many. */
export function itemProblem(body: JsonObject): AssayProblem {
  const { code, status } = body
  if (!isProblemCode(code) || typeof status !== "number") throw notAssays()
  return problemOf(code, body, { status, retryAfterSeconds: null }, null)
}

/** An answer that is not the service's, or is broken: nothing is known about the identity or id. */
export function notAssays(status = 200): AssayUnavailable {
  return new AssayUnavailable("protocol", "The response is not a result of Assay", { status })
}

function problemOf(
  code: ProblemCode,
  body: JsonObject,
  fields: { readonly status: number; readonly retryAfterSeconds: number | null },
  requestId: string | null,
): AssayProblem {
  return new AssayProblem(code, {
    ...fields,
    detail: textOrNull(body["detail"]),
    requestId: textOrNull(body["request_id"]) ?? requestId,
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

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object in a text, or null. The parser's error is dropped: it quotes the text. */
export function jsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * The service has checked its own answer; this check distinguishes it from other JSON. A score that
 * is no number would compare as low, and an answer about another identity must not be taken for
 * this one.
 */
export function isResult(body: JsonObject, { members, echo, scoreIn }: Expected): boolean {
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
