import { type ProblemCode, type ProblemDetails, problems } from "@assay/core/contract"
import { type Static, type TSchema, Type, type TUnsafe } from "typebox"
import { problemDetails } from "../base/problem.ts"

/**
 * A reference to a schema registered under its `$id`, so that the API description names it once.
 */
export function named<T extends TSchema>(schema: T, description?: string): TUnsafe<Static<T>> {
  const { $id } = schema as { $id?: string }
  if ($id === undefined) throw new Error("Only a schema with an $id can be referred to")
  return Type.Unsafe<Static<T>>({
    $ref: `${$id}#`,
    ...(description === undefined ? {} : { description }),
  })
}

/** What any request can be answered with before its operation is known. */
const BEFORE_OPERATIONS = [
  "malformed-http",
  "request-incomplete",
  "request-timeout",
  "host-not-allowed",
  "headers-too-large",
] as const satisfies readonly ProblemCode[]

/** The failures an operation can answer with, by status, for the API description. */
export function failures(...codes: ProblemCode[]): Record<number, object> {
  const all = new Set<ProblemCode>([...codes, ...BEFORE_OPERATIONS])
  const byStatus = Map.groupBy(all, (code) => problems[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${problems[code].title}.`).join(" "),
        content: {
          "application/problem+json": {
            schema: { $ref: "Problem#" },
            examples: Object.fromEntries(group.map((code) => [code, exampleOf(code)])),
          },
        },
      },
    ]),
  )
}

/** Each made once: many operations fail in the same ways. */
const examples = new Map<ProblemCode, { readonly value: ProblemDetails }>()

function exampleOf(code: ProblemCode): { readonly value: ProblemDetails } {
  const known = examples.get(code)
  if (known !== undefined) return known
  const errors =
    code === "invalid-request" ? [{ pointer: "#/email", detail: "is missing" }] : undefined
  const problem = { code, message: problems[code].meaning, errors }
  const example = { value: problemDetails(problem, "4f1c9a7d2b6e830515aa90c4") }
  examples.set(code, example)
  return example
}

/** What every operation with a key or a session can answer besides its own failures. */
export const COMMON_FAILURES = [
  "malformed-json",
  "invalid-request",
  "unauthenticated",
  "insufficient-scope",
  "insufficient-role",
  "cross-site",
  "body-too-large",
  "unsupported-media-type",
  "rate-limited",
  "quota-exceeded",
  "identities-exceeded",
  "internal-error",
  "store-unavailable",
  "limits-unavailable",
  "overloaded",
] as const satisfies readonly ProblemCode[]

/** The same for operations that look nobody up, and so take of the rate alone. */
export const FAILURES_WITHOUT_LOOKUP = COMMON_FAILURES.filter(
  (code) => code !== "quota-exceeded" && code !== "identities-exceeded",
)

/** The same for operations that have no body either. */
export const FAILURES_OF_READING = FAILURES_WITHOUT_LOOKUP.filter(
  (code) =>
    code !== "malformed-json" && code !== "body-too-large" && code !== "unsupported-media-type",
)
