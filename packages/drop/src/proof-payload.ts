import type { Payload } from "altcha-lib"

/**
 * The shape the library expects. It checks the values of the members by the signature over all of
 * them.
 */
export function isPayload(value: unknown): value is Payload {
  const { challenge, solution } = asObject(value)
  const { parameters, signature } = asObject(challenge)
  const { expiresAt } = asObject(parameters)
  const { counter, derivedKey } = asObject(solution)
  return (
    typeof signature === "string" &&
    /^[0-9a-f]{64}$/.test(signature) &&
    Number.isSafeInteger(expiresAt) &&
    Number.isSafeInteger(counter) &&
    typeof derivedKey === "string"
  )
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}
