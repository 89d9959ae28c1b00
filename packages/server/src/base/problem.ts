import { type ProblemCode, type ProblemDetails, problems } from "@assay/core/contract"
import type { FastifyError } from "fastify"
import { isExplained } from "@assay/runtime/explained"
import { IndexUnavailable } from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"

interface ProblemOptions extends ErrorOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly errors?: ProblemDetails["errors"]
}

/** A failure the caller can act on. `detail` is shown to them and never quotes their data back. */
export class Problem extends Error {
  override readonly name = "Problem"
  readonly code: ProblemCode
  readonly headers: Readonly<Record<string, string>>
  readonly errors: ProblemDetails["errors"]
  constructor(
    code: ProblemCode,
    detail: string,
    { headers = {}, errors, ...options }: ProblemOptions = {},
  ) {
    super(detail, options)
    this.code = code
    this.headers = headers
    this.errors = errors
  }
}

/** Fastify's refusals, by its codes, in our catalogue. Its messages are not passed on. */
const refusals: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported-media-type",
  FST_ERR_CTP_BODY_TOO_LARGE: "body-too-large",
  FST_ERR_CTP_EMPTY_JSON_BODY: "malformed-json",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "malformed-http",
  FST_ERR_BAD_URL: "not-found",
  FST_ERR_ASYNC_CONSTRAINT: "not-found",
}

/** Where a request did not fit, by Fastify's word for it. */
const places: Readonly<Record<string, string>> = {
  querystring: "the query",
  headers: "the headers",
  params: "the path",
}

/**
 * What any thrown value means to the caller: itself, a refusal of the framework, a store that is
 * away, or our bug.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (
    error instanceof IndexUnavailable ||
    (error instanceof RecordsError && error.code === "unavailable")
  ) {
    return new Problem("store-unavailable", "Nothing was evaluated.", {
      cause: error,
      headers: { "retry-after": "2" },
    })
  }
  if (isExplained(error, "model-not-loaded"))
    return new Problem("model-unavailable", "Nothing was evaluated.", { cause: error })
  const { code, validation, validationContext } = error as Partial<FastifyError>
  if (validation !== undefined) {
    const place = places[validationContext ?? "body"] ?? "the body"
    return new Problem(
      "invalid-request",
      `A member of ${place} is missing, has the wrong type or is out of bounds.`,
      {
        cause: error,
        errors: validation.map(({ instancePath, keyword, params }) =>
          describeFault(instancePath, keyword, params),
        ),
      },
    )
  }
  const refusal = code === undefined ? undefined : refusals[code]
  if (refusal !== undefined)
    return new Problem(refusal, problems[refusal].meaning, { cause: error })
  return new Problem("internal-error", "The fault is logged under the request id.", {
    cause: error,
  })
}

/** RFC 9457. */
export function problemDetails(
  { code, message, errors }: Pick<Problem, "code" | "message" | "errors">,
  requestId: string | null,
): ProblemDetails {
  const { status, title } = problems[code]
  return {
    type: `/problems/${code}`,
    title,
    status,
    code,
    detail: message,
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(errors === undefined ? {} : { errors }),
  }
}

/** Built from the schema's own words: a validator's message may quote the value it refused. */
function describeFault(
  instancePath: string,
  keyword: string,
  params: Record<string, unknown>,
): { pointer: string; detail: string } {
  if (keyword === "required")
    return {
      pointer: `#${instancePath}/${String(params["missingProperty"])}`,
      detail: "is missing",
    }
  if (keyword === "type")
    return { pointer: `#${instancePath}`, detail: `must be of type ${typesOf(params["type"])}` }
  if (keyword === "enum") {
    const words = (params["allowedValues"] as (string | null)[]).filter((value) => value !== null)
    return { pointer: `#${instancePath}`, detail: `must be one of ${words.join(", ")}` }
  }
  const describe = RULES[keyword]
  return {
    pointer: `#${instancePath}`,
    detail: describe === undefined ? `does not fit the rule "${keyword}"` : describe(params),
  }
}

/** Names the types a member may have, leaving out null. */
function typesOf(type: unknown): string {
  return Array.isArray(type) ? type.filter((one) => one !== "null").join(" or ") : String(type)
}

const RULES: Readonly<Record<string, (params: Record<string, unknown>) => string>> = {
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: ({ limit }) =>
    limit === 1 ? "must not be empty" : `must have at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  format: ({ format }) =>
    format === "date-time"
      ? "must be a date and time of RFC 3339, such as 2026-11-14T09:30:00Z"
      : `must have the format ${String(format)}`,
  minItems: ({ limit }) => `must have at least ${itemsOf(limit)}`,
  maxItems: ({ limit }) => `must have at most ${itemsOf(limit)}`,
}

function itemsOf(limit: unknown): string {
  return limit === 1 ? "1 item" : `${String(limit)} items`
}
