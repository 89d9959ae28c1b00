import type { Caller } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import { sha256 } from "@assay/runtime/secrets"
import type { IdempotencyClaim } from "@assay/stores/records-idempotency"

/**
 * What an `Idempotency-Key` claims for a request: that it is the one request of this API key and
 * route under this name. null without the header. Names and bodies leave here as keyed hashes only,
 * since either may hold an identity.
 */
export function idempotencyClaim(
  name: string | undefined,
  { keyId }: Caller,
  route: string,
  body: unknown,
  contextSubkey: Uint8Array,
): IdempotencyClaim | null {
  if (name === undefined) return null
  const keyed = (what: string, bytes: Uint8Array): Uint8Array =>
    sha256(contextSubkey, Buffer.from(`idempotency ${what} `), bytes)
  return {
    keyId,
    route,
    keyHash: keyed("key", Buffer.from(name)),
    // A body of lines is compared as it came; JSON by what it says.
    fingerprint:
      body instanceof Uint8Array
        ? keyed("lines", body)
        : keyed("body", Buffer.from(JSON.stringify(body))),
  }
}

/** The refusal of a request whose claim another one holds. */
export function claimRefusal(state: "running" | "mismatch"): Problem {
  if (state === "mismatch")
    return new Problem("idempotency-mismatch", "Nothing was done for this request.")
  return new Problem("idempotency-in-progress", "The first request is still being carried out.", {
    headers: { "retry-after": "1" },
  })
}
