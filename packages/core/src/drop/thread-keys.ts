import { hkdf } from "@noble/hashes/hkdf.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { bech32 } from "@scure/base"
import { identityToRecipient } from "age-encryption"
import { WITHDRAWABLE } from "./limits.ts"
import type { ThreadAddress } from "./manifest.ts"
import type { Suite } from "./recipients.ts"
import { SECRET_BYTES } from "./thread-code.ts"

export const DROP_ID_BYTES = 16

/** All that a code opens, on one drop. */
export interface ThreadKeys {
  /** 32 bytes. Shown to the server to ask for replies; it keeps only its tag. */
  readonly mailbox: Uint8Array<ArrayBuffer>
  /** 32 bytes. Shown to the server to delete replies. */
  readonly deleteToken: Uint8Array<ArrayBuffer>
  /** Opens replies; never leaves the device of the person who holds the code. */
  readonly identity: string
  /** What replies are sealed to. */
  readonly replyTo: string
  /** Only where the drop's suite is `pq`. */
  readonly pqIdentity?: string
  readonly replyToPq?: string
}

/**
 * The keys of a thread. No slow derivation: a secret of 120 random bits cannot be guessed, and a
 * slow one locks out old phones.
 */
export async function threadKeys(
  secret: Uint8Array,
  dropId: Uint8Array,
  suite: Suite,
): Promise<ThreadKeys> {
  const derive = derivation(secret, dropId)
  const identity = identityOf("AGE-SECRET-KEY-", derive("reply-x25519"))
  const keys = {
    mailbox: derive("mailbox"),
    deleteToken: derive("delete"),
    identity,
    replyTo: await identityToRecipient(identity),
  }
  if (suite === "x25519") return keys
  const pqIdentity = identityOf("AGE-SECRET-KEY-PQ-", derive("reply-mlkem768x25519"))
  return { ...keys, pqIdentity, replyToPq: await identityToRecipient(pqIdentity) }
}

/** Shown to the server, it deletes message `n` of a visit. 32 bytes. */
export function withdrawToken(
  secret: Uint8Array,
  dropId: Uint8Array,
  n: number,
): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(n) || n < 0 || n >= WITHDRAWABLE)
    throw new RangeError(`Messages that can be withdrawn are numbered 0 to ${WITHDRAWABLE - 1}`)
  return derivation(secret, dropId)(`withdraw/${n}`)
}

/**
 * The server stores this in place of a mailbox, so that its file does not hold the secret that
 * fetches replies.
 */
export function mailboxTag(mailbox: Uint8Array): Uint8Array<ArrayBuffer> {
  return own(sha256.create().update(utf8("drop/v1/tag")).update(mailbox).digest())
}

/** What the server stores in place of a token. */
export function verifierOf(token: Uint8Array): Uint8Array<ArrayBuffer> {
  return own(sha256(token))
}

/**
 * What a two-way message tells its recipients about its thread: where replies go, and the keys they
 * are sealed to.
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

// The id identifies the drop, not its address: a code works on its onion address and its other
// name, and on no other drop.
function derivation(
  secret: Uint8Array,
  dropId: Uint8Array,
): (label: string) => Uint8Array<ArrayBuffer> {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`A secret has ${SECRET_BYTES} bytes`)
  if (dropId.length !== DROP_ID_BYTES) throw new RangeError(`A drop id has ${DROP_ID_BYTES} bytes`)
  const salt = sha256.create().update(utf8("drop/v1/salt")).update(dropId).digest()
  return (label) => own(hkdf(sha256, secret, salt, utf8(`drop/v1/${label}`), 32))
}

function identityOf(prefix: string, scalar: Uint8Array): string {
  return bech32.encodeFromBytes(prefix, scalar).toUpperCase()
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
