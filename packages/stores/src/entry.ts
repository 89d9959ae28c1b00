import { Cursor, MalformedBytes, putVarint } from "./bytes.ts"

/**
 * Entry v1, what the index keeps of one observation. Frozen: stored bytes are read by every later
 * version.
 *
 *   byte 0      kind (high 5 bits), secret class (low 3 bits)
 *   bytes 1-3   hours since 1970, big-endian
 *   bytes 4-5   has fingerprint, extended, two reserved bits (0), 12-bit password fingerprint
 *   bytes 6-7   alias tag
 *   varint      batch id
 *   extended    varint length of the rest; a byte that says which parts follow; the parts in this
 *               order: kind code (varint, kinds from 32 on), item (length byte, UTF-8), confidence
 *               (per mille, 2 bytes), classes (varint bit mask), value (zigzag varint)
 *
 * Each entry has exactly one spelling, so that byte-equal entries and equal entries are the same
 * thing.
 */

/** Codes are frozen. 0 is reserved, 31 means that the code stands in the extended part. */
const KIND_CODES = {
  breach: 1,
  paste: 2,
  combolist: 3,
  stealer: 4,
  phish: 5,
  repost: 6,
  listing: 7,
  sale: 8,
  mention: 9,
  ready: 10,
  tested: 11,
  attack: 12,
  monetized: 13,
  blocklisted: 14,
  bounced: 15,
  delivered: 16,
  catch_all: 17,
  sim_change: 18,
  port: 19,
  device_change: 20,
  recycled: 21,
  line_status: 22,
  call_forwarding: 23,
  route_change: 24,
  otp_failures: 25,
  fraud_report: 26,
  tenure: 27,
  subscription: 28,
  sim_unchanged: 29,
  fraud_confirmed: 30,
  credential_rotated: 32,
  ownership_verified: 33,
  not_fraud: 34,
  takeover_confirmed: 35,
  good_history: 36,
  decided: 37,
} as const
const ESCAPE = 31

/** Ordered by how much the secret's form helps an attacker; the place is the stored code. */
export const SECRET_CLASSES = [
  "none",
  "slow_hash",
  "unknown",
  "salted_hash",
  "weak_hash",
  "plaintext",
] as const

/** Other data about a person that an exposure holds; the position is the stored bit. */
export const DATA_CLASSES = [
  "phone",
  "dob",
  "address",
  "gov_id",
  "security_qa",
  "ip_geo",
  "device",
  "payment",
  "session",
] as const

export type EntryKind = keyof typeof KIND_CODES
export type SecretClass = (typeof SECRET_CLASSES)[number]
export type DataClass = (typeof DATA_CLASSES)[number]

export const ENTRY_KINDS = Object.keys(KIND_CODES) as readonly EntryKind[]

/** One dated observation about an identity. */
export interface Entry {
  readonly kind: EntryKind
  readonly secret: SecretClass
  /** Hours since 1970; kinds that know only the day use its first hour, in UTC. */
  readonly hours: number
  /** 12 bits of a keyed hash of the password: enough to see reuse, too few to test a guess. */
  readonly fingerprint: number | null
  /** 16 bits of a keyed hash of the address as written; 0 when it was the mailbox's own form. */
  readonly aliasTag: number
  readonly batchId: number
  /** Which item of the source this is about, if it names several; at most 64 bytes of UTF-8. */
  readonly item: string | null
  /** 0 to 1 in steps of a thousandth; null where the source's own confidence holds. */
  readonly confidence: number | null
  /** What this entry adds to the classes of its source, in the order of DATA_CLASSES. */
  readonly classes: readonly DataClass[]
  /**
   * What the kind counts: line_status 1 active, 0 inactive, -1 absent; tenure and sim_unchanged
   * days.
   */
  readonly value: number | null
}

/** An observation with only a kind and a time. */
export function plainEntry(kind: EntryKind, hours: number, batchId: number): Entry {
  return {
    kind,
    secret: "none",
    hours,
    fingerprint: null,
    aliasTag: 0,
    batchId,
    item: null,
    confidence: null,
    classes: noClasses,
    value: null,
  }
}

export const BATCH_ID_MAX = 0xffff_ffff
export const HOURS_MAX = 0xff_ffff
/** No entry is longer, so a buffer of this size always holds one. */
export const ENTRY_BYTES_MAX = 104
const ITEM_BYTES_MAX = 64

/** Up to the batch. */
const HEAD_BYTES = 8
const HAS_FINGERPRINT = 0x8000
const EXTENDED = 0x4000
const RESERVED = 0x3000
const FINGERPRINT_MAX = 0x0fff

const PART_KIND = 1
const PART_ITEM = 2
const PART_CONFIDENCE = 4
const PART_CLASSES = 8
const PART_VALUE = 16
const PARTS_MAX = 31

const codeByKind = new Map<string, number>(Object.entries(KIND_CODES))
const kindByCode = new Map<number, EntryKind>(ENTRY_KINDS.map((kind) => [KIND_CODES[kind], kind]))
const utf8 = {
  encoder: new TextEncoder(),
  decoder: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }),
}
const noClasses: readonly DataClass[] = Object.freeze([])

/** The stored form of an entry. Throws a RangeError for an entry that has none. */
export function entryBytes(entry: Entry): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES_MAX)
  return bytes.slice(0, putEntry(entry, bytes, 0))
}

/**
 * Writes an entry at `at` and returns the position after it. Throws a RangeError for an entry that
 * has no stored form.
 */
export function putEntry(entry: Entry, into: Uint8Array, at: number): number {
  const code = codeByKind.get(entry.kind)
  if (code === undefined) throw new RangeError("unknown kind")
  const secret = SECRET_CLASSES.indexOf(entry.secret)
  if (secret < 0) throw new RangeError("unknown secret class")
  requireInteger("hours", entry.hours, 0, HOURS_MAX)
  requireInteger("aliasTag", entry.aliasTag, 0, 0xffff)
  requireInteger("batchId", entry.batchId, 1, BATCH_ID_MAX)
  if (entry.fingerprint !== null) requireInteger("fingerprint", entry.fingerprint, 0, 0x0fff)

  const parts = partsOf(entry, code)
  const flags =
    (entry.fingerprint === null ? 0 : HAS_FINGERPRINT | entry.fingerprint) |
    (parts === 0 ? 0 : EXTENDED)
  into[at] = ((code > ESCAPE ? ESCAPE : code) << 3) | secret
  into[at + 1] = entry.hours >>> 16
  into[at + 2] = entry.hours >>> 8
  into[at + 3] = entry.hours
  into[at + 4] = flags >>> 8
  into[at + 5] = flags
  into[at + 6] = entry.aliasTag >>> 8
  into[at + 7] = entry.aliasTag
  const end = putVarint(entry.batchId, into, at + 8)
  return parts === 0 ? end : putParts(entry, code, parts, into, end)
}

/**
 * Reads the entry at the cursor and moves past it. Throws MalformedBytes for anything putEntry
 * cannot have written.
 */
export function readEntry(cursor: Cursor): Entry {
  const at = cursor.pass(HEAD_BYTES)
  const { bytes } = cursor
  const head = bytes[at] as number
  const secret = SECRET_CLASSES[head & 7]
  if (secret === undefined) throw new MalformedBytes("unknown secret class")
  const hours = (twoBytes(bytes, at + 1) << 8) | (bytes[at + 3] as number)
  const flags = twoBytes(bytes, at + 4)
  if ((flags & RESERVED) !== 0) throw new MalformedBytes("reserved flag set")
  const fingerprint = (flags & HAS_FINGERPRINT) === 0 ? null : flags & FINGERPRINT_MAX
  if (fingerprint === null && (flags & FINGERPRINT_MAX) !== 0) {
    throw new MalformedBytes("fingerprint bits without a fingerprint")
  }
  const aliasTag = twoBytes(bytes, at + 6)
  const batchId = cursor.varint(BATCH_ID_MAX)
  if (batchId === 0) throw new MalformedBytes("batch 0")
  const parts = (flags & EXTENDED) === 0 ? noParts : readParts(cursor)
  const shortCode = head >>> 3
  if ((shortCode === ESCAPE) !== (parts.code !== null)) {
    throw new MalformedBytes("kind escape and kind code do not belong together")
  }
  const kind = kindByCode.get(parts.code ?? shortCode)
  if (kind === undefined) throw new MalformedBytes("unknown kind")
  const { item, confidence, classes, value } = parts
  return {
    kind,
    secret,
    hours,
    fingerprint,
    aliasTag,
    batchId,
    item,
    confidence,
    classes,
    value,
  }
}

function twoBytes(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
}

/** Whether 8 bytes begin an entry without an extended part, one that putEntry can have written. */
export function isPlainHead(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at] as number
  const flags = ((bytes[at + 4] as number) << 8) | (bytes[at + 5] as number)
  return (
    first >= 8 &&
    first >>> 3 !== ESCAPE &&
    (first & 7) < SECRET_CLASSES.length &&
    (flags & (RESERVED | EXTENDED)) === 0 &&
    ((flags & HAS_FINGERPRINT) !== 0 || (flags & FINGERPRINT_MAX) === 0)
  )
}

/** Whether an entry that begins with these 8 bytes has an extended part. */
export function isExtendedHead(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at + 4] as number) & (EXTENDED >>> 8)) !== 0
}

/**
 * The kind of the entry at `at`, whose extended part, if it has one, begins at `extendedAt`;
 * undefined: an unknown kind.
 */
export function kindAt(bytes: Uint8Array, at: number, extendedAt: number): EntryKind | undefined {
  const code = (bytes[at] as number) >>> 3
  if (code !== ESCAPE) return kindByCode.get(code)
  // After the length and the parts.
  return kindByCode.get(new Cursor(bytes, extendedAt + 2).varint(0xffff))
}

interface Parts {
  readonly code: number | null
  readonly item: string | null
  readonly confidence: number | null
  readonly classes: readonly DataClass[]
  readonly value: number | null
}
const noParts: Parts = { code: null, item: null, confidence: null, classes: noClasses, value: null }

function partsOf(entry: Entry, code: number): number {
  return (
    (code > ESCAPE ? PART_KIND : 0) |
    (entry.item === null ? 0 : PART_ITEM) |
    (entry.confidence === null ? 0 : PART_CONFIDENCE) |
    (entry.classes.length === 0 ? 0 : PART_CLASSES) |
    (entry.value === null ? 0 : PART_VALUE)
  )
}

function putParts(entry: Entry, code: number, parts: number, into: Uint8Array, at: number): number {
  // The parts take at most 82 bytes, so their length is always a varint of one byte, filled in
  // last.
  const start = at + 1
  into[start] = parts
  let end = start + 1
  if ((parts & PART_KIND) !== 0) end = putVarint(code, into, end)
  if (entry.item !== null) {
    if (!entry.item.isWellFormed()) throw new RangeError("item is not well-formed Unicode")
    const item = utf8.encoder.encode(entry.item)
    if (item.length > ITEM_BYTES_MAX) throw new RangeError("item takes at most 64 bytes of UTF-8")
    into[end++] = item.length
    into.set(item, end)
    end += item.length
  }
  if (entry.confidence !== null) {
    const perMille = Math.round(entry.confidence * 1000)
    requireInteger("confidence in thousandths", perMille, 0, 1000)
    into[end++] = perMille >>> 8
    into[end++] = perMille
  }
  if (entry.classes.length > 0) {
    let mask = 0
    for (const name of entry.classes) {
      const bit = DATA_CLASSES.indexOf(name)
      if (bit < 0) throw new RangeError("unknown data class")
      mask |= 1 << bit
    }
    end = putVarint(mask, into, end)
  }
  if (entry.value !== null) {
    requireInteger("value", entry.value, -VALUE_MAX, VALUE_MAX)
    end = putVarint(entry.value < 0 ? -2 * entry.value - 1 : 2 * entry.value, into, end)
  }
  into[at] = end - start
  return end
}

/** Zigzag doubles a number, and the stored number must stay exact in a double. */
const VALUE_MAX = 2 ** 52 - 1

function readParts(cursor: Cursor): Parts {
  const length = cursor.varint(ENTRY_BYTES_MAX)
  const end = cursor.at + length
  if (end > cursor.end) throw new MalformedBytes("extended part cut short")
  const parts = cursor.byte()
  if (parts === 0 || parts > PARTS_MAX) throw new MalformedBytes("unknown extended part")
  const has = (part: number): boolean => (parts & part) !== 0
  const code = has(PART_KIND) ? cursor.varint(0xffff) : null
  if (code !== null && code <= ESCAPE) throw new MalformedBytes("kind escaped without need")
  const item = has(PART_ITEM) ? readItem(cursor) : null
  const perMille = has(PART_CONFIDENCE) ? cursor.bigEndian(2) : null
  if (perMille !== null && perMille > 1000) throw new MalformedBytes("confidence above 1")
  const classes = has(PART_CLASSES) ? readClasses(cursor) : noClasses
  const zigzag = has(PART_VALUE) ? cursor.varint(2 * VALUE_MAX) : null
  if (cursor.at !== end) throw new MalformedBytes("extended part of another length")
  return {
    code,
    item,
    confidence: perMille === null ? null : perMille / 1000,
    classes,
    value: zigzag === null ? null : zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2,
  }
}

function readItem(cursor: Cursor): string {
  const length = cursor.byte()
  if (length > ITEM_BYTES_MAX) throw new MalformedBytes("item too long")
  try {
    return utf8.decoder.decode(cursor.take(length))
  } catch (cause) {
    if (cause instanceof MalformedBytes) throw cause
    throw new MalformedBytes("item is not UTF-8", { cause })
  }
}

function readClasses(cursor: Cursor): readonly DataClass[] {
  const mask = cursor.varint((1 << DATA_CLASSES.length) - 1)
  if (mask === 0) throw new MalformedBytes("no classes where some were promised")
  return DATA_CLASSES.filter((_, bit) => (mask & (1 << bit)) !== 0)
}

function requireInteger(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} takes an integer from ${min} to ${max}`)
  }
}
