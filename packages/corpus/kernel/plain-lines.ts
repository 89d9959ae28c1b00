// Keys the plain lines of a list: AssemblyScript, compiled to WebAssembly by
// scripts/build-kernel.ts. src/engine/plain-lines.ts calls it and says what a plain line is.
//
// Four lines are hashed at once, one in each lane of a vector. The memory has a fixed place for
// everything, below; nothing is allocated.
import {
  absorb,
  compress,
  DIGEST,
  IDENTITY,
  INITIAL,
  PASSWORD,
  prepareHashes,
  SCHEDULE,
} from "./sha256"

/** What the caller puts in and reads out. Their places are exported at the end. */
const WINDOW: u32 = 0x2000
const WINDOW_BYTES: u32 = 0x10000
/** Eight bytes a row in each column. A plain line has more than eight bytes. */
const COLUMN_BYTES: u32 = WINDOW_BYTES + 64
const KEYS_HIGH: u32 = WINDOW + WINDOW_BYTES + 64
const KEYS_LOW: u32 = KEYS_HIGH + COLUMN_BYTES
const HEADS: u32 = KEYS_LOW + COLUMN_BYTES
/** Twelve bytes an event, and at most two events a row and one more. */
const EVENTS: u32 = HEADS + COLUMN_BYTES
const EVENT_BYTES: u32 = 12
const EVENTS_BYTES: u32 = 0x31000

/**
 * The domains that the core was asked about: 64 bytes each, the name with zeros after it, its hash,
 * and a word of length (6 bits), the three answers, and the number of its watch plus 1.
 */
const DOMAINS: u32 = EVENTS + EVENTS_BYTES
const DOMAINS_MAX: u32 = 0x10000
const DOMAIN_BYTES: u32 = 64
const DOMAIN_HASH: u32 = 56
const DOMAIN_WORD: u32 = 60
const LENGTH_BITS: u32 = 63
/** Answers about a domain, and what a name there has. */
const PLAIN: u32 = 1 << 6
const DOTS: u32 = 1 << 7
const HYPHENS: u32 = 1 << 8
const WATCHED_SHIFT: u32 = 9
/** Where a domain is, by its hash: its number plus 1, or 0. Half of the slots stay empty. */
const SLOTS: u32 = DOMAINS + DOMAINS_MAX * DOMAIN_BYTES
const SLOTS_MASK: u32 = 0x1ffff
const END: u32 = SLOTS + (SLOTS_MASK + 1) * 4

/** Of each lane: the last block of an address and of a password, padded as SHA-256 wants it. */
const FORMS: u32 = 0x1800
const PASSWORDS: u32 = 0x1900
const BLOCK_BYTES: u32 = 64
const LANES: u32 = 4
/** An address of more bytes takes two blocks. */
const FORM_MAX: u32 = 55
const PASSWORD_MIN: u32 = 5
const PASSWORD_MAX: u32 = 19
/** The password follows the key of the identity. */
const PASSWORD_AT: u32 = 16
/** Bits that come before the password in its hash: a block for the subkey, and the key. */
const PASSWORD_BITS: u32 = (64 + 16) * 8
/** Bits of the start of an identity's hash and of the digest that follows it. */
const IDENTITY_BITS: u32 = (64 + 32) * 8

const VECTOR_BYTES: u32 = 16
/** The bit after those of a vector's bytes, so that there is always one to find. */
const NO_BYTE: u32 = 1 << 16

const LF: u32 = 0x0a
const CR: u32 = 0x0d
const HYPHEN: u8 = 0x2d
const DOT: u8 = 0x2e
const AT: u32 = 0x40
const GRAPHIC_MIN: u8 = 0x21
const GRAPHIC_MAX: u8 = 0x7e
const ONE_BIT: u32 = 0x80

/** Kinds of events. */
const OTHER_LINES: u32 = 0
const WATCHED_ROW: u32 = 1

/** Any odd number with as many ones as zeros would do: 2^64 over the golden ratio. */
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15

let next: u32 = 0
let end: u32 = 0
let delimiter: u32 = 0
let headHigh: v128 = i32x4.splat(0)
let domains: u32 = 0

/** Plain lines so far, and what else there was between them. */
export let rows: u32 = 0
export let events: u32 = 0
/** The domain of the line that was read last; of the one that the core has to be asked about. */
export let domainAt: u32 = 0
export let domainLength: u32 = 0
let domainHash: u32 = 0

export function prepare(): void {
  prepareHashes()
}

/** Takes the start of identity hashes from the window, 64 bytes. */
export function startIdentities(): void {
  absorb(WINDOW, IDENTITY)
}

/** The same for passwords. */
export function startPasswords(): void {
  absorb(WINDOW, PASSWORD)
}

/** Lines are in the window, `length` bytes. `mark` is between address and password. */
export function begin(length: u32, mark: u32, high: u32): void {
  next = WINDOW
  end = WINDOW + length
  // So that no loop has to look for the end: every line has one.
  store<u8>(end, LF)
  delimiter = mark
  headHigh = i32x4.splat(bswap(high))
  rows = 0
  events = 0
}

/**
 * Keys the lines up to the end of the window, or to one whose domain is unknown: then false, and
 * after `addDomain` it goes on with that line.
 */
export function keyLines(): bool {
  while (next < end) {
    const from = next
    const form = FORMS + (rows & (LANES - 1)) * BLOCK_BYTES
    const password = PASSWORDS + (rows & (LANES - 1)) * BLOCK_BYTES
    const stop = readLine(from, form, password)
    if (stop == 0) {
      decline(from, lineEnd(lastRead))
      continue
    }
    const domain = findDomain()
    if (domain == 0) {
      if (domains == DOMAINS_MAX) forgetDomains()
      return false
    }
    const word = load<u32>(domain, DOMAIN_WORD)
    // What the name has must be among what a name there may have.
    if (((PLAIN | nameMarks) & ~word) != 0) {
      decline(from, min(stop + 1, end))
      continue
    }
    rows++
    if (word >> WATCHED_SHIFT != 0) addEvent(WATCHED_ROW, (word >> WATCHED_SHIFT) - 1, 0)
    if ((rows & (LANES - 1)) == 0) hashLanes(rows - LANES)
    next = min(stop + 1, end)
  }
  if ((rows & (LANES - 1)) != 0) hashLanes(rows & ~(LANES - 1))
  return true
}

/**
 * The core's answers about the domain that stopped `keyLines`. `watch` is 0, or the number of its
 * watch plus 1.
 */
export function addDomain(plain: bool, dots: bool, hyphens: bool, watch: u32): void {
  const domain = DOMAINS + domains * DOMAIN_BYTES
  memory.copy(domain, domainAt, domainLength)
  memory.fill(domain + domainLength, 0, DOMAIN_HASH - domainLength)
  store<u32>(domain, domainHash, DOMAIN_HASH)
  const answers = (plain ? PLAIN : 0) | (dots ? DOTS : 0) | (hyphens ? HYPHENS : 0)
  store<u32>(domain, domainLength | answers | (watch << WATCHED_SHIFT), DOMAIN_WORD)
  let slot = domainHash & SLOTS_MASK
  while (load<u32>(SLOTS + slot * 4) != 0) slot = (slot + 1) & SLOTS_MASK
  store<u32>(SLOTS + slot * 4, ++domains)
}

/** Leaves nothing of any line in this memory but the domains, and keyed rows. */
export function wipe(bytes: u32): void {
  memory.fill(SCHEDULE, 0, PASSWORDS + LANES * BLOCK_BYTES - SCHEDULE)
  memory.fill(WINDOW, 0, bytes + 1)
}

/** How far `readLine` came in a line that it declined: no line end is before that. */
let lastRead: u32 = 0
/** Of the line that was read. */
let nameMarks: u32 = 0

/**
 * Writes address and password of a line into their blocks, up to sixteen bytes at once. Returns
 * where the line ends, or 0 for a line that is not plain. A vector may be written over the end of
 * its block: what is there is written later or never read.
 */
function readLine(line: u32, form: u32, password: u32): u32 {
  const zero = i32x4.splat(0)
  v128.store(form, zero)
  v128.store(form, zero, 16)
  v128.store(form, zero, 32)
  v128.store(form, zero, 48)
  const formMax = form + FORM_MAX
  let at = line
  let to = form
  let marks: u32 = 0
  // A dot may stand neither first nor last nor after another one.
  let afterDot: u32 = 1
  let length: u32 = VECTOR_BYTES
  while (length == VECTOR_BYTES) {
    const bytes = v128.load(at)
    const letters = lettersOf(bytes)
    v128.store(to, lowerCase(bytes, letters))
    length = ctz(othersOf(bytes, letters) | NO_BYTE)
    const read = (1 << length) - 1
    const dots = placesOf(bytes, DOT) & read
    if ((dots & ((dots << 1) | afterDot)) != 0) return declined(at)
    if (dots != 0) marks |= DOTS
    if ((placesOf(bytes, HYPHEN) & read) != 0) marks |= HYPHENS
    afterDot = dots >> 15
    at += length
    to += length
    if (to >= formMax) return declined(at)
  }
  if (load<u8>(at) != AT || to == form || load<u8>(to - 1) == DOT) return declined(at)
  store<u8>(to++, AT)
  at++
  const domain = to
  length = VECTOR_BYTES
  while (length == VECTOR_BYTES) {
    const bytes = v128.load(at)
    const letters = lettersOf(bytes)
    v128.store(to, lowerCase(bytes, letters))
    length = ctz(othersOf(bytes, letters) | NO_BYTE)
    at += length
    to += length
    if (to > formMax) return declined(at)
  }
  if (load<u8>(at) != delimiter || to == domain) return declined(at)
  v128.store(to, zero)
  at++
  const bytes = v128.load(at)
  v128.store(password, bytes, PASSWORD_AT)
  v128.store(password, zero, PASSWORD_AT + 16)
  v128.store(password, zero, PASSWORD_AT + 32)
  length = ctz(unseenOf(bytes) | NO_BYTE)
  if (length == VECTOR_BYTES) {
    const more = v128.load(at, 16)
    v128.store(password, more, PASSWORD_AT + 16)
    length += ctz(unseenOf(more) | NO_BYTE)
  }
  v128.store(password + length, zero, PASSWORD_AT)
  at += length
  // A CR is part of a line end if LF or nothing follows it.
  const stop = load<u8>(at) == CR ? at + 1 : at
  if (length < PASSWORD_MIN || length > PASSWORD_MAX || load<u8>(stop) != LF) return declined(at)
  nameMarks = marks
  domainAt = domain
  domainLength = to - domain
  domainHash = hashOf(domain, to)
  store<u8>(to, ONE_BIT)
  store<u16>(form, bswap<u16>(((to - form) * 8) as u16), 62)
  store<u8>(password + length, ONE_BIT, PASSWORD_AT)
  store<u16>(password, bswap<u16>((PASSWORD_BITS + length * 8) as u16), 62)
  return stop
}

/** Where ASCII letters are. */
function lettersOf(bytes: v128): v128 {
  const lower = v128.or(bytes, i8x16.splat(0x20))
  return i8x16.le_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(25))
}

function lowerCase(bytes: v128, letters: v128): v128 {
  return v128.or(bytes, v128.and(letters, i8x16.splat(0x20)))
}

/** The places of bytes that neither a name nor a domain may have: a bit each. */
function othersOf(bytes: v128, letters: v128): u32 {
  // Hyphen, dot, slash and the digits follow each other.
  const digits = i8x16.le_u(i8x16.sub(bytes, i8x16.splat(0x2d)), i8x16.splat(12))
  const plain = v128.or(letters, v128.andnot(digits, i8x16.eq(bytes, i8x16.splat(0x2f))))
  return ~i8x16.bitmask(v128.or(plain, i8x16.eq(bytes, i8x16.splat(0x5f)))) & 0xffff
}

/** The places of bytes that are no visible ASCII characters. */
function unseenOf(bytes: v128): u32 {
  return i8x16.bitmask(
    i8x16.gt_u(i8x16.sub(bytes, i8x16.splat(GRAPHIC_MIN)), i8x16.splat(GRAPHIC_MAX - GRAPHIC_MIN)),
  )
}

function placesOf(bytes: v128, byte: u8): u32 {
  return i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(byte)))
}

/** Of bytes that zeros follow. */
function hashOf(from: u32, to: u32): u32 {
  let hash: u64 = to - from
  for (let at = from; at < to; at += 8) {
    hash = (hash ^ load<u64>(at)) * HASH_FACTOR
    hash ^= hash >> 29
  }
  return (hash >> 32) as u32
}

function declined(at: u32): u32 {
  lastRead = at
  return 0
}

/** The position after the end of a line, from any position within it. */
function lineEnd(from: u32): u32 {
  const lf = i8x16.splat(LF as i8)
  let at = from
  let found = i8x16.bitmask(i8x16.eq(v128.load(at), lf))
  while (found == 0) {
    at += 16
    found = i8x16.bitmask(i8x16.eq(v128.load(at), lf))
  }
  return min(at + ctz(found) + 1, end)
}

function decline(from: u32, to: u32): void {
  next = to
  const last = EVENTS + (events - 1) * EVENT_BYTES
  // Lines that follow each other are handed over together.
  if (
    events > 0 &&
    load<u32>(last) == ((rows << 1) | OTHER_LINES) &&
    load<u32>(last, 8) == from - WINDOW
  ) {
    store<u32>(last, to - WINDOW, 8)
    return
  }
  addEvent(OTHER_LINES, from - WINDOW, to - WINDOW)
}

/** After `rows` rows. */
function addEvent(kind: u32, first: u32, second: u32): void {
  const event = EVENTS + events * EVENT_BYTES
  store<u32>(event, (rows << 1) | kind)
  store<u32>(event, first, 4)
  store<u32>(event, second, 8)
  events++
}

/** The place of the domain that was read last, or 0. */
function findDomain(): u32 {
  let slot = domainHash & SLOTS_MASK
  let number = load<u32>(SLOTS + slot * 4)
  while (number != 0) {
    const domain = DOMAINS + (number - 1) * DOMAIN_BYTES
    if (
      load<u32>(domain, DOMAIN_HASH) == domainHash &&
      (load<u32>(domain, DOMAIN_WORD) & LENGTH_BITS) == domainLength &&
      isSame(domain, domainAt, domainLength)
    )
      return domain
    slot = (slot + 1) & SLOTS_MASK
    number = load<u32>(SLOTS + slot * 4)
  }
  return 0
}

function isSame(one: u32, other: u32, length: u32): bool {
  let at: u32 = 0
  for (; at + 8 <= length; at += 8) {
    if (load<u64>(one + at) != load<u64>(other + at)) return false
  }
  const rest = length - at
  if (rest == 0) return true
  // The bytes after the end differ: they are shifted out.
  return (load<u64>(one + at) ^ load<u64>(other + at)) << (64 - rest * 8) == 0
}

function forgetDomains(): void {
  memory.fill(SLOTS, 0, (SLOTS_MASK + 1) * 4)
  domains = 0
}

/** Hashes what is in the lanes; their rows begin at `row`. Lanes without a line do no harm. */
function hashLanes(row: u32): void {
  spread(FORMS, 0)
  spread(FORMS, 1)
  spread(FORMS, 2)
  spread(FORMS, 3)
  compress(INITIAL)
  for (let at: u32 = 0; at < 8 * 16; at += 16) v128.store(SCHEDULE + at, v128.load(DIGEST + at))
  const zero = i32x4.splat(0)
  v128.store(SCHEDULE, i32x4.splat(0x8000_0000), 8 * 16)
  for (let at: u32 = 9 * 16; at < 15 * 16; at += 16) v128.store(SCHEDULE + at, zero)
  v128.store(SCHEDULE, i32x4.splat(IDENTITY_BITS), 15 * 16)
  compress(IDENTITY)
  const a = v128.load(DIGEST)
  const b = v128.load(DIGEST, 16)
  const c = v128.load(DIGEST, 32)
  const d = v128.load(DIGEST, 48)
  const at = row * 8
  storePairs(KEYS_HIGH + at, bigEndian(a), bigEndian(b))
  storePairs(KEYS_LOW + at, bigEndian(c), bigEndian(d))
  v128.store(SCHEDULE, a)
  v128.store(SCHEDULE, b, 16)
  v128.store(SCHEDULE, c, 32)
  v128.store(SCHEDULE, d, 48)
  spread(PASSWORDS, 1)
  spread(PASSWORDS, 2)
  spread(PASSWORDS, 3)
  compress(PASSWORD)
  // Of the password's hash the first twelve bits, after a bit that says there are some.
  const fingerprint = i32x4.shl(i32x4.shr_u(v128.load(DIGEST), 20), 16)
  const low = v128.or(fingerprint, i32x4.splat(0x8000_0000))
  storePairs(HEADS + at, headHigh, bigEndian(low))
}

/**
 * Sixteen bytes of each lane's block as four words of the schedule: the first word of every lane in
 * one vector, and so on.
 */
function spread(blocks: u32, quarter: u32): void {
  const from = blocks + quarter * 16
  const one = bigEndian(v128.load(from))
  const two = bigEndian(v128.load(from, 64))
  const three = bigEndian(v128.load(from, 128))
  const four = bigEndian(v128.load(from, 192))
  const low = i32x4.shuffle(one, two, 0, 4, 1, 5)
  const lowToo = i32x4.shuffle(three, four, 0, 4, 1, 5)
  const high = i32x4.shuffle(one, two, 2, 6, 3, 7)
  const highToo = i32x4.shuffle(three, four, 2, 6, 3, 7)
  const to = SCHEDULE + quarter * 64
  v128.store(to, i64x2.shuffle(low, lowToo, 0, 2))
  v128.store(to, i64x2.shuffle(low, lowToo, 1, 3), 16)
  v128.store(to, i64x2.shuffle(high, highToo, 0, 2), 32)
  v128.store(to, i64x2.shuffle(high, highToo, 1, 3), 48)
}

/** Two words of every lane side by side, lane after lane. */
function storePairs(to: u32, first: v128, second: v128): void {
  v128.store(to, i32x4.shuffle(first, second, 0, 4, 1, 5))
  v128.store(to, i32x4.shuffle(first, second, 2, 6, 3, 7), 16)
}

function bigEndian(words: v128): v128 {
  return i8x16.shuffle(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
}

export const window: u32 = WINDOW
export const windowBytes: u32 = WINDOW_BYTES
export const columnBytes: u32 = COLUMN_BYTES
export const keysHigh: u32 = KEYS_HIGH
export const keysLow: u32 = KEYS_LOW
export const heads: u32 = HEADS
export const eventsAt: u32 = EVENTS
