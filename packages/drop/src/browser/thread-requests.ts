import { threadKeys, WITHDRAWABLE, withdrawToken } from "@assay/core/drop"
import type { DropKeys, ThreadRequests } from "./worker-calls.ts"

/**
 * What the server sees of a code when a person fetches or deletes replies or withdraws messages.
 * Never the code itself.
 */
export async function threadRequests(
  secret: Uint8Array,
  { dropId, suite }: DropKeys,
): Promise<ThreadRequests> {
  const { mailbox, deleteToken } = await threadKeys(secret, dropId, suite)
  const tokens = Array.from({ length: WITHDRAWABLE }, (_, n) => withdrawToken(secret, dropId, n))
  return {
    mailbox,
    deletion: joined([mailbox, deleteToken]),
    withdrawal: joined(tokens),
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
