import { hash, hkdfSync, randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const BODY_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHAPE = /^ask_(live|demo)_[0-9A-Za-z]{36}$/

/**
 * Scanners find a leaked key by its prefix; a demo key is refused in production by the same prefix.
 */
export type KeyKind = "live" | "demo"

/**
 * A new key: 30 random base-62 characters (178 bits) and a checksum. Shown once; only its hash is
 * stored.
 */
export function mintApiKey(): string {
  return keyOf("live", base62Stream(randomBytes))
}

/**
 * A key of the demo follows from the master secret, so that every start can show it without storing
 * it: the one it prints, and the one on its first page, which may only score.
 */
export function demoApiKey(demoSubkey: Uint8Array, of: "shell" | "page" = "shell"): string {
  const name = of === "shell" ? "demo key" : "page key"
  let block = 0
  const stretch = (length: number): Buffer =>
    Buffer.from(hkdfSync("sha256", demoSubkey, new Uint8Array(0), `${name} ${block++}`, length))
  return keyOf("demo", base62Stream(stretch))
}

/**
 * The kind of a well-formed key, or null for a typing mistake: caught by the checksum, without any
 * lookup.
 */
export function readApiKey(text: string): KeyKind | null {
  const kind = SHAPE.exec(text)?.[1]
  if (kind === undefined) return null
  const stem = text.slice(0, -CHECKSUM_LENGTH)
  return text.endsWith(checksum(stem)) ? (kind as KeyKind) : null
}

/** A fast hash is enough: 178 random bits cannot be searched. */
export function hashApiKey(key: string): Buffer {
  return Buffer.from(hash("sha256", key, "latin1"), "latin1")
}

/** What lists and pages show of a key. */
export function hintOf(key: string): string {
  return `${key.slice(0, 9)}…${key.slice(-4)}`
}

function keyOf(kind: KeyKind, characters: Iterator<string, never>): string {
  let stem = `ask_${kind}_`
  for (let n = 0; n < BODY_LENGTH; n++) stem += characters.next().value
  return stem + checksum(stem)
}

/**
 * Bytes from 248 on are thrown away, since 256 is no multiple of 62 and the first letters would be
 * likelier.
 */
function* base62Stream(bytes: (length: number) => Uint8Array): Generator<string, never> {
  for (;;) {
    for (const byte of bytes(64)) if (byte < 248) yield ALPHABET.charAt(byte % 62)
  }
}

function checksum(stem: string): string {
  let value = crc32(stem)
  let text = ""
  for (let n = 0; n < CHECKSUM_LENGTH; n++) {
    text = ALPHABET.charAt(value % 62) + text
    value = Math.floor(value / 62)
  }
  return text
}
