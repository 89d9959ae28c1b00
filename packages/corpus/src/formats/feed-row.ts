import type { IdentityType } from "@assay/core/identity"
import {
  DATA_CLASSES,
  ENTRY_KINDS,
  SECRET_CLASSES,
  type DataClass,
  type EntryKind,
  type SecretClass,
} from "@assay/stores/entry"
import type { Field } from "./columns.ts"
import type { ParsedRow, RejectReason } from "./parsed-row.ts"
import { observedHours } from "./written-day.ts"
import { secretClassOf } from "./secret-class.ts"

/**
 * The values of a row by field: text from CSV, or a JSON value. A missing, null or empty value
 * counts as not given.
 */
export type FeedFields = { readonly [F in Field]?: unknown }

export type FeedFault = Extract<
  RejectReason,
  "no-identity" | "bad-date" | "unknown-kind" | "bad-value"
>

/** A tenant reports what only it can know of its own accounts by its own calls, never in a file. */
const TENANTS_OWN: ReadonlySet<EntryKind> = new Set<EntryKind>([
  "fraud_confirmed",
  "credential_rotated",
  "ownership_verified",
  "not_fraud",
  "takeover_confirmed",
  "good_history",
  "decided",
])
const TELECOM: ReadonlySet<EntryKind> = new Set<EntryKind>([
  "sim_change",
  "port",
  "device_change",
  "recycled",
  "line_status",
  "call_forwarding",
  "route_change",
  "otp_failures",
  "fraud_report",
  "tenure",
  "subscription",
  "sim_unchanged",
])

/** The kinds of evidence a row may name. */
export const FEED_KINDS: ReadonlySet<string> = new Set(
  ENTRY_KINDS.filter((kind) => !TENANTS_OWN.has(kind)),
)

const ITEM_BYTES_MAX = 64
const VALUE_MAX = 2 ** 52 - 1
const secretClasses: ReadonlySet<string> = new Set(SECRET_CLASSES)
const dataClasses: ReadonlySet<string> = new Set(DATA_CLASSES)
const noClasses: readonly DataClass[] = Object.freeze([])
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
// How databases spell that there is nothing, a date of zeros included.
const NOTHING = /^(?:|NULL|null|\\N|0000-00-00(?: 00:00:00)?)$/
const NOTHING_LENGTH_MAX = 19

/**
 * The row in these fields, or why they are none. A row with an e-mail address is about that
 * address, even if it has a phone number too. A secret is passed on unchanged: the keyer classifies
 * it, and also checks the date and the identity.
 */
export function feedRow(fields: FeedFields): ParsedRow | FeedFault {
  const email = textOf(fields.email)
  const identity = email === null ? textOf(fields.phone) : email
  if (identity === null) return "no-identity"
  const identityType = email === null ? "phone" : "email"
  const kind = kindOf(fields.kind)
  if (kind === undefined) return "unknown-kind"
  const hours = hoursOf(fields.date)
  if (hours === undefined) return "bad-date"
  const password = secretOf(fields.password)
  const hash = secretOf(fields.hash)
  const salt = secretOf(fields.salt)
  const secretClass = secretClassSaid(fields.secret)
  const item = itemOf(fields.item)
  const confidence = confidenceOf(fields.confidence)
  const classes = classesOf(fields.classes)
  const value = valueOf(fields.value)
  if (
    identity === undefined ||
    password === undefined ||
    hash === undefined ||
    salt === undefined ||
    secretClass === undefined ||
    item === undefined ||
    confidence === undefined ||
    classes === undefined ||
    value === undefined ||
    !fits(kind, identityType, value)
  ) {
    return "bad-value"
  }
  // A dump with some of its hashes broken has both; the password is what an attacker would use.
  const hashed = hash !== null && secretClassOf(password, false) === "none"
  return {
    identityType,
    identity,
    secret: hashed ? hash : password,
    secretClass: secretClass ?? (hashed ? saltedClass(hash, salt) : null),
    secretIsHash: hashed,
    kind,
    hours,
    item,
    confidence,
    classes,
    value,
  }
}

// Each reader below returns null for a value that is not given and undefined for one that cannot be
// read.

function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value === "number") return String(value)
  if (typeof value !== "string") return undefined
  const text = value.trim()
  return text.length <= NOTHING_LENGTH_MAX && NOTHING.test(text) ? null : text
}

/**
 * Not even white space is removed from a secret. The classifier recognises the words for "none".
 */
function secretOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value === "number") return String(value)
  return typeof value === "string" ? value : undefined
}

/**
 * A salt beside a fast hash makes it a salted one. A slow hash carries its own salt and keeps its
 * class.
 */
function saltedClass(hash: string, salt: string | null): SecretClass | null {
  if (secretClassOf(salt, false) === "none") return null
  const bare = secretClassOf(hash, true)
  return bare === "weak_hash" || bare === "unknown" ? "salted_hash" : bare
}

function secretClassSaid(value: unknown): SecretClass | null | undefined {
  const word = wordOf(value)
  if (word === null || word === undefined) return word
  return secretClasses.has(word) ? (word as SecretClass) : undefined
}

function kindOf(value: unknown): EntryKind | null | undefined {
  const word = wordOf(value)
  if (word === null || word === undefined) return word
  return FEED_KINDS.has(word) ? (word as EntryKind) : undefined
}

function wordOf(value: unknown): string | null | undefined {
  const text = textOf(value)
  if (text === null || text === undefined) return text
  return text.toLowerCase().replaceAll("-", "_")
}

function hoursOf(value: unknown): number | null | undefined {
  const text = textOf(value)
  if (text === null || text === undefined) return text
  return observedHours(text) ?? undefined
}

function itemOf(value: unknown): string | null | undefined {
  const text = textOf(value)
  if (text === null || text === undefined) return text
  return text.isWellFormed() && Buffer.byteLength(text) <= ITEM_BYTES_MAX ? text : undefined
}

function confidenceOf(value: unknown): number | null | undefined {
  const number = numberOf(value)
  if (number === null || number === undefined) return number
  return number >= 0 && number <= 1 ? number : undefined
}

function valueOf(value: unknown): number | null | undefined {
  const number = numberOf(value)
  if (number === null || number === undefined) return number
  return Number.isInteger(number) && Math.abs(number) <= VALUE_MAX ? number : undefined
}

function numberOf(value: unknown): number | null | undefined {
  const text = textOf(value)
  if (text === null || text === undefined) return text
  return NUMBER.test(text) ? Number(text) : undefined
}

/** A JSON list, or its words in one text. */
function classesOf(value: unknown): readonly DataClass[] | undefined {
  const words = Array.isArray(value) ? (value as unknown[]) : textOf(value)
  if (words === null) return noClasses
  if (words === undefined) return undefined
  const list = typeof words === "string" ? words.split(/[\s,;|]+/).filter(Boolean) : words
  const said = new Set<string>()
  for (const word of list) {
    if (typeof word !== "string" || !dataClasses.has(word)) return undefined
    said.add(word)
  }
  return DATA_CLASSES.filter((name) => said.has(name))
}

/** Whether the kind applies to an e-mail address or a phone number, and takes this value. */
function fits(kind: EntryKind | null, identityType: IdentityType, value: number | null): boolean {
  if (kind === null) return true
  if (identityType === "email") return !TELECOM.has(kind)
  switch (kind) {
    case "line_status":
      return value === 1 || value === 0 || value === -1
    case "call_forwarding":
      return value === 1 || value === 0
    case "subscription":
      return value === 1 || value === 2
    case "tenure":
    case "sim_unchanged":
      return value !== null && value >= 0
    default:
      return true
  }
}
