import { problems, type ProblemCode, type ProblemDetails } from "@assay/core/contract"

export type ProblemErrors = readonly Readonly<NonNullable<ProblemDetails["errors"]>[number]>[]

interface ProblemFields {
  readonly status: number
  readonly detail: string | null
  readonly requestId: string | null
  readonly errors: ProblemErrors
  readonly retryAfterSeconds: number | null
}

/** The service answered, and the answer is a refusal or a fault of its own. Switch on `code`. */
export class AssayProblem extends Error {
  override readonly name = "AssayProblem"
  readonly code: ProblemCode
  /** The HTTP status. */
  readonly status: number
  readonly title: string
  /** What the service said about this request. It never quotes what was sent. */
  readonly detail: string | null
  /** The id under which the service logged the request. */
  readonly requestId: string | null
  /** Where the request does not fit, by JSON pointer. */
  readonly errors: ProblemErrors
  readonly retryAfterSeconds: number | null

  constructor(code: ProblemCode, fields: ProblemFields) {
    // Words of the catalogue alone: a message ends up in logs, and whatever stands between the
    // service and its caller could have put an identity into the answer.
    super(`${problems[code].title} (${fields.status} ${code})`)
    this.code = code
    this.status = fields.status
    this.title = problems[code].title
    this.detail = fields.detail
    this.requestId = fields.requestId
    this.errors = fields.errors
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

interface UnavailableFields {
  readonly status?: number
  readonly retryAfterSeconds?: number | null
  readonly cause?: unknown
}

/**
 * No answer of the service arrived: nothing in time ("timeout"), no or half a response ("network"),
 * or a response that is not the service's ("protocol"). Nothing is known about the identity.
 */
export class AssayUnavailable extends Error {
  override readonly name = "AssayUnavailable"
  readonly reason: "timeout" | "network" | "protocol"
  /** The HTTP status of the response, such as one of a proxy; null where none arrived. */
  readonly status: number | null
  readonly retryAfterSeconds: number | null

  constructor(
    reason: AssayUnavailable["reason"],
    message: string,
    { status, retryAfterSeconds = null, ...options }: UnavailableFields = {},
  ) {
    super(message, options)
    this.reason = reason
    this.status = status ?? null
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What a call can fail with, a wrong argument and the caller's own cancellation aside. */
export type Failure = AssayProblem | AssayUnavailable

export function isFailure(error: unknown): error is Failure {
  return error instanceof AssayProblem || error instanceof AssayUnavailable
}
