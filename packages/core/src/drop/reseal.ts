import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Decrypter, type Recipient } from "age-encryption"
import { readAgeHeader } from "./age-header.ts"
import { EnvelopeFault } from "./envelope-fault.ts"
import type { Recipients } from "./recipients.ts"
import { encrypterTo, open } from "./seal.ts"

/** A sealed file whose content key was wrapped for other keys. */
export interface Resealed {
  /** All that changed, and all that a server has to be sent. */
  readonly header: Uint8Array<ArrayBuffer>
  /** The whole file: the new header and the old body. */
  readonly sealed: Uint8Array<ArrayBuffer>
}

/**
 * Rewraps a sealed file for other keys. The content key and every byte after the header stay: a
 * server that takes only a header cannot be given other content. The whole file is authenticated
 * first.
 */
export async function reseal(
  sealed: Uint8Array,
  identities: readonly string[],
  recipients: Recipients,
): Promise<Resealed> {
  await open(sealed, identities)
  const body = sealedBody(sealed)
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  const contentKey = await decrypter.decryptHeader(sealed.subarray(0, -body.length))
  const made = await encrypterFor(contentKey, recipients).encrypt(new Uint8Array())
  const header = made.slice(0, -sealedBody(made).length)
  const whole = new Uint8Array(header.length + body.length)
  whole.set(header)
  whole.set(body, header.length)
  return { header: new Uint8Array(header), sealed: whole }
}

/** Everything after the header; a change of keys leaves it unchanged. */
export function sealedBody(sealed: Uint8Array): Uint8Array {
  const header = readAgeHeader(sealed)
  if (header === "incomplete" || "fault" in header) throw new EnvelopeFault("header")
  return sealed.subarray(header.length)
}

/**
 * Identifies the content of a sealed file, whatever keys it is sealed to: SHA-256 over its body.
 * The same content sealed again has another mark. The mark reveals nothing about the content.
 */
export async function contentMark(sealed: Uint8Array): Promise<string> {
  const body = sealedBody(sealed)
  // Without a secure context a browser has no `subtle`.
  const { subtle } = globalThis.crypto as { subtle?: SubtleCrypto }
  if (subtle === undefined) return bytesToHex(sha256(body))
  return bytesToHex(new Uint8Array(await subtle.digest("SHA-256", new Uint8Array(body))))
}

/**
 * The library makes a content key and hands it to each recipient in turn. `first` replaces it by
 * ours, and `last` checks that all recipients between them got ours: otherwise nobody could open
 * the file any more.
 */
function encrypterFor(contentKey: Uint8Array, { keys, suite }: Recipients) {
  const first: Recipient = {
    wrapFileKey(made) {
      made.set(contentKey)
      return []
    },
  }
  const last: Recipient = {
    wrapFileKey(made) {
      if (made.some((byte, n) => byte !== contentKey[n])) throw new EnvelopeFault("damaged")
      return []
    },
  }
  return encrypterTo(keys, suite, { first, last })
}
