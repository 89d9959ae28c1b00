import { bytesToHex } from "@noble/hashes/utils.js"
import type { ThreadAddress } from "./manifest.ts"
import { type ThreadKeys, verifierOf } from "./thread-keys.ts"

/**
 * What a two-way message tells its recipients of its thread: where replies go and what they are
 * sealed to.
 */
export function threadAddress(keys: ThreadKeys, n: number | null): ThreadAddress {
  return {
    mailbox: bytesToHex(keys.mailbox),
    reply_to: keys.replyTo,
    ...(keys.replyToPq === undefined ? {} : { reply_to_pq: keys.replyToPq }),
    delete_verifier: bytesToHex(verifierOf(keys.deleteToken)),
    n,
  }
}
