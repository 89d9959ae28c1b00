/**
 * SHA-256 over the parts one after another. Passed in, so that this package runs in Node and
 * browsers alike.
 */
export type Sha256 = (...parts: Uint8Array[]) => Uint8Array

declare const identityKeyBrand: unique symbol

/** Sixteen bytes that stand for one mailbox, phone number or domain. No store ever sees more. */
export type IdentityKey = Uint8Array & { readonly [identityKeyBrand]: true }

/** Keeps keys of different kinds apart, should their canonical forms ever be the same text. */
export const IDENTITY_TAGS = { email: 1, phone: 2, domain: 3 } as const

/** What an identity is: an e-mail address or a phone number. */
export type IdentityType = "email" | "phone"

export type IdentityTag = (typeof IDENTITY_TAGS)[keyof typeof IDENTITY_TAGS]

export const IDENTITY_KEY_BYTES = 16

/** One block of SHA-256. */
export const HASH_START_BYTES = 64

const SUBKEY_BYTES = 32
const encoder = new TextEncoder()
const scratch = new Uint8Array(1024)

/**
 * The UTF-8 bytes of a text, good until the next call: every request needs them once, for a hash.
 */
function utf8(text: string): Uint8Array {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 > scratch.length) return encoder.encode(text)
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written)
}

/**
 * What every keyed hash begins with: subkey, tag and zeros up to one block of SHA-256, so that the
 * state after it can be kept and used for many. A hash without a tag has a zero in its place, which
 * no kind of identity has.
 */
export function hashStart(subkey: Uint8Array, tag: IdentityTag | 0 = 0): Uint8Array {
  if (subkey.length !== SUBKEY_BYTES) {
    // An empty one would turn every key into a plain hash that anybody can compute.
    throw new RangeError(`A subkey has ${SUBKEY_BYTES} bytes, not ${subkey.length}`)
  }
  const start = new Uint8Array(HASH_START_BYTES)
  start.set(subkey)
  start[SUBKEY_BYTES] = tag
  return start
}

/**
 * The key of a canonical form: SHA-256(start of K_identity and tag ‖ SHA-256(UTF-8 canonical
 * form)), first 16 bytes.
 */
export function identityKey(
  sha256: Sha256,
  identitySubkey: Uint8Array,
  tag: IdentityTag,
  canonical: string,
): IdentityKey {
  const start = hashStart(identitySubkey, tag)
  const digest = sha256(start, sha256(utf8(canonical)))
  // Copied, not sliced: a slice of Node's Buffer would keep the whole digest alive.
  return identityKeyOf(new Uint8Array(digest.subarray(0, IDENTITY_KEY_BYTES)))
}

/** Takes bytes read back from a store as a key. Throws on any other length than 16. */
export function identityKeyOf(bytes: Uint8Array): IdentityKey {
  if (bytes.length !== IDENTITY_KEY_BYTES) {
    throw new RangeError(`An identity key has ${IDENTITY_KEY_BYTES} bytes, not ${bytes.length}`)
  }
  return bytes as IdentityKey
}

/**
 * Distinguishes the aliases of one mailbox: 0 for the canonical address itself, else 1 to 65535.
 * The tag is keyed and bound to the mailbox, so equal tags of two mailboxes mean nothing.
 */
export function aliasTag(
  sha256: Sha256,
  aliasSubkey: Uint8Array,
  key: IdentityKey,
  { exact, canonical }: { readonly exact: string; readonly canonical: string },
): number {
  if (exact === canonical) return 0
  const [high = 0, low = 0] = sha256(hashStart(aliasSubkey), key, utf8(exact))
  // 0 is taken by the canonical address, so the one alias in 65536 that hashes to it becomes 1.
  return (high << 8) | low || 1
}

/**
 * Stored beside keyed data, to notice another secret or other rules: "v2:" and 16 hexadecimal
 * digits. It is hashed with tag 0, which no identity has, so it can never be the beginning of
 * someone's key.
 */
export function keyCheckValue(sha256: Sha256, identitySubkey: Uint8Array): string {
  const digest = sha256(hashStart(identitySubkey), utf8("assay key check v2"))
  const digits = Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0"))
  return `v2:${digits.join("")}`
}

/**
 * Twelve bits of a keyed hash, 0 to 4095: enough to notice that a password came up again for the
 * same identity, too few to find out which one it was, since one guess in 4096 fits by chance.
 */
export function passwordFingerprint(
  sha256: Sha256,
  passwordSubkey: Uint8Array,
  key: IdentityKey,
  password: Uint8Array,
): number {
  const [first = 0, second = 0] = sha256(hashStart(passwordSubkey), key, password)
  return (first << 4) | (second >> 4)
}

/**
 * What each subkey of the master secret is for. The server derives them by HKDF-SHA256 with
 * `subkeyInfo(name)` as info, so a key leaked from one use reveals nothing about another.
 */
export const SUBKEY_NAMES = [
  "identity",
  "alias",
  "password",
  "context",
  "audit",
  "demo-key",
  "sealed-identity",
  "request",
  "nodes",
] as const

export type SubkeyName = (typeof SUBKEY_NAMES)[number]

/**
 * The HKDF info of a subkey. Frozen: another info is another key, and stored data would read as
 * unknown.
 */
export function subkeyInfo(name: SubkeyName): `assay/v1/${SubkeyName}` {
  return `assay/v1/${name}`
}
