import { randomFillSync } from "node:crypto"

/**
 * Crockford's base 32: no letter that is read as another or as a digit, and in the order of its
 * characters.
 */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
/** Every text of two digits, so that ten bits cost one look-up. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, bits) => `${DIGITS[bits >> 5] ?? ""}${DIGITS[bits & 31] ?? ""}`,
)
/** The value of every digit by the code of its character; -1 for all other characters. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  DIGITS.indexOf(String.fromCharCode(code)),
)
const PREFIX = "dec_"
const TIME_DIGITS = 10
const RANDOM_DIGITS = 16
/** Of the random digits, as many as a tag has: 35 bits. */
const TAG_DIGITS = 7
const TAG_AT = PREFIX.length + TIME_DIGITS
const ID_LENGTH = TAG_AT + RANDOM_DIGITS
/** 48 bits of time leave 3 for its first digit. */
const SHAPE = /^dec_[0-7][0-9a-hjkmnp-tv-z]{25}$/

const pool = new Uint16Array(8 * 1024)
let poolAt = pool.length
let last = { ms: -1, text: "" }

/**
 * A new id: the millisecond, by which ids sort and which names the month they are kept in, then 80
 * bits: the tag of the request, if it has one, and random ones.
 */
export function newDecisionId(atMs: number, requestTag = ""): string {
  if (last.ms !== atMs) last = { ms: atMs, text: PREFIX + timeDigits(atMs) }
  let id = last.text + requestTag
  while (id.length < ID_LENGTH - 1) id += PAIRS[randomBits() & 1023] ?? ""
  if (id.length < ID_LENGTH) id += DIGITS.charAt(randomBits() & 31)
  return id
}

function randomBits(): number {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  return pool[poolAt++] ?? 0
}

/**
 * What the ids of all decisions of one request have in common, made of a keyed hash of its id: a
 * request is found by it, and decisions take no more room for it.
 */
export function requestTagOf(hash: Uint8Array): string {
  let tag = ""
  // 5 bits of each byte.
  for (let n = 0; n < TAG_DIGITS; n++) tag += DIGITS.charAt((hash[n] ?? 0) & 31)
  return tag
}

export function hasRequestTag(id: string, tag: string): boolean {
  return id.startsWith(tag, TAG_AT)
}

export function isDecisionId(text: string): boolean {
  return SHAPE.test(text)
}

/** When the decision of this id was made, in epoch milliseconds. */
export function timeOfDecisionId(id: string): number {
  let ms = 0
  for (let at = PREFIX.length; at < PREFIX.length + TIME_DIGITS; at++)
    ms = ms * 32 + (VALUES[id.charCodeAt(at)] ?? -1)
  return ms
}

/** No id of this moment or a later one sorts before this text, and every earlier id does. */
export function firstDecisionIdAt(atMs: number): string {
  return PREFIX + timeDigits(atMs) + DIGITS.charAt(0).repeat(RANDOM_DIGITS)
}

function timeDigits(atMs: number): string {
  let text = ""
  for (let left = atMs, at = 0; at < TIME_DIGITS; at += 2) {
    text = (PAIRS[left % 1024] ?? "") + text
    left = Math.floor(left / 1024)
  }
  return text
}
