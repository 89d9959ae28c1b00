import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

// RFC 6238 as authenticator apps have it: SHA-1, six digits, steps of 30 seconds.
const STEP_MS = 30_000
const DIGITS = 6
/** Clocks of phones are some seconds off, and people type slowly: a step before and after. */
const STEPS_OFF = 1
const SECRET_BYTES = 20
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** A new secret, in base 32, as apps take it. */
export function newTotpSecret(): string {
  return base32(randomBytes(SECRET_BYTES))
}

/** What a QR code for an app holds. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

/** The time step whose code this is; null for a wrong code. All steps are compared. */
export function totpStepOf(secret: string, code: string, nowMs: number): number | null {
  const given = Buffer.from(code.replaceAll(" ", ""))
  const current = Math.floor(nowMs / STEP_MS)
  let found: number | null = null
  for (let step = current - STEPS_OFF; step <= current + STEPS_OFF; step++) {
    const due = Buffer.from(totpCode(secret, step))
    if (given.length === due.length && timingSafeEqual(given, due)) found = step
  }
  return found
}

/** The code of a time step: the number of half minutes since 1970. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac("sha1", bytesOf(secret)).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0")
}

export const totpStepAt = (nowMs: number): number => Math.floor(nowMs / STEP_MS)

/** A recovery code: 60 random bits in three groups. */
export function newRecoveryCode(): string {
  const text = base32(randomBytes(8)).slice(0, 12)
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}

/** As it was made, however it is typed. */
export function asRecoveryCode(typed: string): string {
  const text = typed.toUpperCase().replaceAll(/[^A-Z2-7]/g, "")
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}

function base32(bytes: Uint8Array): string {
  let bits = ""
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0")
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join("")
}

function bytesOf(text: string): Buffer {
  let bits = ""
  for (const letter of text) bits += ALPHABET.indexOf(letter).toString(2).padStart(5, "0")
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
