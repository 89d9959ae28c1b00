import type { Write } from "./records-engine.ts"

/**
 * A request that may be sent again: its API key, its route, its name, and a hash of its content.
 */
export interface IdempotencyClaim {
  readonly keyId: string
  readonly route: string
  /** Both are keyed hashes: names and bodies may contain anything, identities included. */
  readonly keyHash: Uint8Array
  readonly fingerprint: Uint8Array
}

/**
 * What became of a claim. Only `taken` may be carried out; `done` is answered with the first
 * response.
 */
export type ClaimOutcome =
  | { readonly state: "taken" }
  | { readonly state: "done"; readonly response: string }
  | { readonly state: "running" }
  | { readonly state: "mismatch" }

export const CLAIM_MS = 24 * 3_600_000

/**
 * Takes the claim for a request whose answer will be `response`, or returns what another request
 * made of it within the last 24 hours. Runs in the transaction that carries the request out, so
 * that neither exists without the other.
 */
export async function takeClaim(
  db: Write,
  { keyId, route, keyHash, fingerprint }: IdempotencyClaim,
  response: string,
  at: number,
): Promise<ClaimOutcome> {
  await db
    .deleteFrom("idempotency")
    .where("key_id", "=", keyId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .where("created_at", "<=", at - CLAIM_MS)
    .execute()
  const taken = await db
    .insertInto("idempotency")
    .values({
      key_id: keyId,
      route,
      key_hash: keyHash,
      fingerprint,
      status: "running",
      response,
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("status")
    .executeTakeFirst()
  if (taken !== undefined) return { state: "taken" }
  const earlier = await db
    .selectFrom("idempotency")
    .select(["fingerprint", "status", "response"])
    .where("key_id", "=", keyId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .executeTakeFirstOrThrow()
  if (Buffer.compare(earlier.fingerprint, fingerprint) !== 0) return { state: "mismatch" }
  return earlier.status === "done"
    ? { state: "done", response: earlier.response }
    : { state: "running" }
}

/** Sets the answer of a claim that was just taken, if it is known only after carrying it out. */
export async function answerClaim(
  db: Write,
  { keyId, route, keyHash }: Omit<IdempotencyClaim, "fingerprint">,
  response: string,
): Promise<void> {
  await db
    .updateTable("idempotency")
    .set({ response })
    .where("key_id", "=", keyId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .execute()
}

/** Marks the request behind a claim as carried out in full. */
export async function finishClaim(
  db: Write,
  { keyId, route, keyHash }: Omit<IdempotencyClaim, "fingerprint">,
): Promise<void> {
  await db
    .updateTable("idempotency")
    .set({ status: "done" })
    .where("key_id", "=", keyId)
    .where("route", "=", route)
    .where("key_hash", "=", keyHash)
    .execute()
}
