import { randomBytes, timingSafeEqual } from "node:crypto"
import type { Secrets } from "@assay/runtime/secrets"
import { openSealer } from "../../accounts/sealed.ts"
import { Problem } from "../../base/problem.ts"

/** What is remembered of a sign-in while its person is at the provider. */
export interface Transaction {
  readonly id: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Where the person comes back to. */
  readonly origin: string
  readonly endsAt: number
}

export const TRANSACTION_MS = 10 * 60_000

/** Carried by the browser, sealed: a worker that did not begin a sign-in can finish it. */
export interface Transactions {
  begin(origin: string): { transaction: Transaction; cookie: string }
  /** The transaction of the cookie, or a Problem where it is over, or another was begun since. */
  read(cookie: string | null, origin: string): Transaction
  /** What the provider sent back, sealed for the page that completes the sign-in. */
  sealReturn(transaction: Transaction, query: string): string
  /** The same opened, or a Problem: another transaction's, or nobody's. */
  openReturn(transaction: Transaction, sealed: string): string
}

export function openTransactions(
  { subkeys }: Pick<Secrets, "subkeys">,
  now: () => number,
): Transactions {
  const begun = openSealer(subkeys["sealed-identity"], "oidc transaction")
  const returned = openSealer(subkeys["sealed-identity"], "oidc return")
  return {
    begin(origin) {
      const transaction = {
        id: newValue(),
        state: newValue(),
        nonce: newValue(),
        verifier: newValue(),
        origin,
        endsAt: now() + TRANSACTION_MS,
      }
      return { transaction, cookie: base64url(begun.seal(JSON.stringify(transaction))) }
    },
    read(cookie, origin) {
      const text = cookie === null ? null : begun.open(Buffer.from(cookie, "base64url"))
      if (text === null) throw over()
      const transaction = JSON.parse(text) as Transaction
      if (transaction.endsAt <= now() || transaction.origin !== origin) throw over()
      return transaction
    },
    sealReturn: ({ id }, query) => base64url(returned.seal(JSON.stringify({ id, query }))),
    openReturn({ id }, sealed) {
      const text = returned.open(Buffer.from(sealed, "base64url"))
      if (text === null) throw over()
      const found = JSON.parse(text) as { id: string; query: string }
      if (found.id !== id) throw over()
      return found.query
    },
  }
}

/** Whether what came back belongs to the transaction: nobody else knows its state. */
export function isOwnState({ state }: Transaction, given: string | null): boolean {
  const [due, sent] = [Buffer.from(state), Buffer.from(given ?? "")]
  return due.length === sent.length && timingSafeEqual(due, sent)
}

function newValue(): string {
  return randomBytes(32).toString("base64url")
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url")
}

function over(): Problem {
  return new Problem("step-over", "Begin again at the address of the console.")
}
