import { type ProblemCode, problems } from "@assay/core/contract"
import { type Static, type TSchema, Type, type TUnsafe } from "typebox"

/** A reference to a schema registered under its `$id`, so that the API description names it once. */
export function named<T extends TSchema>(schema: T, description?: string): TUnsafe<Static<T>> {
  const { $id } = schema as { $id?: string }
  if ($id === undefined) throw new Error("Only a schema with an $id can be referred to")
  return Type.Unsafe<Static<T>>({
    $ref: `${$id}#`,
    ...(description === undefined ? {} : { description }),
  })
}

/** The failures an operation can answer with, by status, for the API description. */
export function failures(...codes: ProblemCode[]): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${problems[code].title}.`).join(" "),
        content: { "application/problem+json": { schema: { $ref: "Problem#" } } },
      },
    ]),
  )
}

/** What every operation with a key can answer besides its own failures. */
export const COMMON_FAILURES = [
  "malformed-json",
  "invalid-request",
  "unauthenticated",
  "insufficient-scope",
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
