import { randomBytes } from "node:crypto"
import { HOUR_MS } from "@assay/runtime/time"
import { openSignatures, spentHash } from "./signatures.ts"
import type { Spent } from "./spent.ts"

/** A machine fills a form in at once; a person reads first. */
const EARLIEST_MS = 15_000
/**
 * Long, because an upload over a slow circuit takes long and nobody should write against a clock.
 */
const LATEST_MS = 24 * HOUR_MS

const RANDOM_BYTES = 16

/**
 * `early`: filled in faster than a person writes; `expired`: older than a day; `wrong`: not from
 * here.
 */
export type FormTokenState = "ok" | "early" | "expired" | "wrong"
export type FormTokenOutcome = FormTokenState | "spent"

export interface FormTokens {
  make(): string
  state(token: string): FormTokenState
  spend(token: string): FormTokenOutcome
}

/** Every form carries a token: the signed time at which the form was given out. It works once. */
export function openFormTokens({
  secret,
  spent,
  now,
}: {
  readonly secret: Uint8Array
  readonly spent: Spent
  readonly now: () => number
}): FormTokens {
  const signatures = openSignatures(secret, "form")
  const read = (token: string): { state: FormTokenState; body: Buffer; madeAtMs: number } => {
    const body = signatures.read(token) ?? Buffer.alloc(0)
    if (body.length !== RANDOM_BYTES + 6) return { state: "wrong", body, madeAtMs: 0 }
    const madeAtMs = body.readUIntBE(RANDOM_BYTES, 6)
    const age = now() - madeAtMs
    const state = age < EARLIEST_MS ? "early" : age > LATEST_MS ? "expired" : "ok"
    return { state, body, madeAtMs }
  }
  return {
    make: () => formToken(secret, now()),
    state: (token) => read(token).state,
    spend(token) {
      const { state, body, madeAtMs } = read(token)
      if (state !== "ok") return state
      return spent.spend(spentHash(body), madeAtMs + LATEST_MS) ? "ok" : "spent"
    },
  }
}

/** A token as if its form had been given out at that time. */
export function formToken(secret: Uint8Array, madeAtMs: number): string {
  const body = Buffer.alloc(RANDOM_BYTES + 6)
  randomBytes(RANDOM_BYTES).copy(body)
  body.writeUIntBE(madeAtMs, RANDOM_BYTES, 6)
  return openSignatures(secret, "form").sign(body)
}
