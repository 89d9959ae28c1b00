import { Cursor, MalformedBytes, putVarint } from "./bytes.ts"
import {
  BATCH_ID_MAX,
  ENTRY_BYTES_MAX,
  putEntry,
  readEntry,
  type Entry,
  type EntryKind,
} from "./entry.ts"

/**
 * What the index keeps for one identity: a set of entries in the order of their bytes, and for each
 * batch how many of its entries there was no room for. Merging is union, so the order of imports
 * does not matter.
 *
 *   varint      number of cut records (0 for all but a few identities)
 *   records     varint batch id, varint entries cut; ascending by batch
 *   entries     entry v1, ascending by bytes, none twice
 *
 * The cut is counted by batch for two reasons: a lookup counts only what it could have seen, and a
 * batch merged again after a crash finds its own number there instead of counting its entries a
 * second time.
 */
export interface EntrySet {
  readonly entries: readonly Entry[]
  readonly cuts: ReadonlyMap<number, number>
}

/**
 * Takes the place of an entry set for an identity whose subject had it erased. It cannot be read as
 * a set: it begins a number that does not end.
 */
export const TOMBSTONE: Uint8Array = Uint8Array.of(0x80)

export function isTombstone(bytes: Uint8Array | undefined): boolean {
  return bytes?.length === 1 && bytes[0] === TOMBSTONE[0]
}

/** The most entries of one identity an answer rests on. */
export const SHARED_ENTRIES_MAX = 256
export const TENANT_ENTRIES_MAX = 64

export type BatchState = "loading" | "live" | "removed"

interface Item {
  readonly entry: Entry
  readonly bytes: Uint8Array
}

const CUT_MAX = 0xffff_ffff
const none: EntrySet = { entries: [], cuts: new Map() }

/**
 * Reads a stored set; `undefined` is an identity never seen. Throws MalformedBytes rather than read
 * part of a value.
 */
export function readEntrySet(bytes: Uint8Array | undefined): EntrySet {
  if (bytes === undefined) return none
  const cursor = new Cursor(bytes)
  const cuts = readCuts(cursor)
  const entries: Entry[] = []
  let previous = cursor.at
  while (!cursor.done) {
    const start = cursor.at
    entries.push(readEntry(cursor))
    if (start > previous && compareSpans(bytes, previous, start, cursor.at) >= 0) {
      throw new MalformedBytes("entries out of order")
    }
    previous = start
  }
  return { entries, cuts }
}

/**
 * Where the entries of a stored set begin. Throws MalformedBytes where its cut records cannot be
 * read.
 */
export function entriesStart(bytes: Uint8Array): number {
  if (bytes[0] === 0) return 1
  const cursor = new Cursor(bytes)
  readCuts(cursor)
  return cursor.at
}

/**
 * The stored set with `incoming` added, as bytes to store. Entries of removed batches are dropped
 * on the way. Entries beyond the `max` best are cut, but entries of a loading batch never push out
 * visible ones: they compete with live entries for separate places, so that going live only adds.
 */
export function mergedEntrySet(
  stored: Uint8Array | undefined,
  incoming: readonly Entry[],
  max: number,
  stateOf: (batchId: number) => BatchState,
): Uint8Array {
  const { items, cuts } = readItems(stored, stateOf)
  return joined(items, cuts, incoming, max, stateOf)
}

/**
 * The stored set in which the batch has exactly `entries`, as bytes to store. Doing it again
 * changes nothing.
 */
export function replacedEntrySet(
  stored: Uint8Array | undefined,
  batchId: number,
  entries: readonly Entry[],
  max: number,
  stateOf: (batchId: number) => BatchState,
): Uint8Array {
  const { items, cuts } = readItems(stored, stateOf)
  const others = items.filter(({ entry }) => entry.batchId !== batchId)
  const cutsOfOthers = new Map([...cuts].filter(([id]) => id !== batchId))
  return joined(others, cutsOfOthers, entries, max, stateOf)
}

/** The stored set, with the entries of `incoming` whose batch has none for the identity yet. */
export function firstEntrySet(
  stored: Uint8Array | undefined,
  incoming: readonly Entry[],
  max: number,
  stateOf: (batchId: number) => BatchState,
): Uint8Array {
  const { items, cuts } = readItems(stored, stateOf)
  // A batch whose only entry was cut counts as well.
  const known = new Set([...cuts.keys(), ...items.map(({ entry }) => entry.batchId)])
  const first = incoming.filter(({ batchId }) => !known.has(batchId))
  return joined(items, cuts, first, max, stateOf)
}

function joined(
  before: readonly Item[],
  cuts: ReadonlyMap<number, number>,
  incoming: readonly Entry[],
  max: number,
  stateOf: (batchId: number) => BatchState,
): Uint8Array {
  const arriving = unique(incoming.map(itemOf))
  const union = before.length === 0 ? arriving : unique([...before, ...arriving])
  const kept = union.length <= max ? union : withRoom(union, max, stateOf)
  return setBytes(
    kept,
    kept.length === union.length ? cuts : cutsAfter(before, arriving, kept, cuts),
  )
}

/**
 * The `max` best of the entries that `isVisible` admits, in stored order, and how many more there
 * are or were.
 */
export function visibleEntries(
  set: EntrySet,
  max: number,
  isVisible: (batchId: number) => boolean,
): { entries: readonly Entry[]; cut: number } {
  let cut = 0
  for (const [batchId, count] of set.cuts) if (isVisible(batchId)) cut += count
  const visible = set.entries.filter((entry) => isVisible(entry.batchId))
  if (visible.length <= max) return { entries: visible, cut }
  const best = new Set(
    visible
      .map(itemOf)
      .sort(byWorth)
      .slice(0, max)
      .map(({ entry }) => entry),
  )
  return {
    entries: visible.filter((entry) => best.has(entry)),
    cut: cut + visible.length - max,
  }
}

/**
 * The rank of an entry against being cut, highest first. Model 1.0, section 5.4, gives exposures
 * and signals their native stage. Two groups have none. Findings that change an answer on their
 * own, each rare, rank with the highest stage: losing a SIM change or a confirmed takeover to a
 * pile of old breaches would make a victim look safe. Readings of which only the newest counts rank
 * below everything: a sender who reports each delivered mail must not push a fraud report out of
 * the set. That a tenant asked about an identity ranks below even those.
 */
const WORTH: Readonly<Record<EntryKind, number>> = {
  monetized: 6,
  attack: 5,
  tested: 4,
  ready: 4,
  phish: 4,
  listing: 3,
  sale: 3,
  stealer: 3,
  repost: 2,
  combolist: 2,
  breach: 1,
  paste: 1,
  mention: 0,
  takeover_confirmed: 6,
  fraud_confirmed: 6,
  fraud_report: 6,
  not_fraud: 6,
  credential_rotated: 6,
  ownership_verified: 6,
  good_history: 6,
  blocklisted: 6,
  sim_change: 6,
  port: 6,
  device_change: 6,
  recycled: 6,
  call_forwarding: 6,
  route_change: 6,
  otp_failures: 0,
  line_status: 0,
  tenure: 0,
  subscription: 0,
  sim_unchanged: 0,
  bounced: 0,
  delivered: 0,
  catch_all: 0,
  decided: -1,
}
const exposures: ReadonlySet<EntryKind> = new Set([
  "breach",
  "paste",
  "combolist",
  "stealer",
  "phish",
])

function worth({ kind, secret }: Entry): number {
  return secret === "none" && exposures.has(kind) ? 1 : WORTH[kind]
}

function byWorth(a: Item, b: Item): number {
  return (
    worth(b.entry) - worth(a.entry) ||
    b.entry.hours - a.entry.hours ||
    Buffer.compare(a.bytes, b.bytes)
  )
}

// Stays correct over time: an entry that is cut has `max` better entries above it that are live or
// become so together with it, so it can never be among the best again. Only removing a batch makes
// room, and rebuilding fills it.
function withRoom(
  union: readonly Item[],
  max: number,
  stateOf: (batchId: number) => BatchState,
): Item[] {
  const room = new Set<Item>()
  const loading = new Map<number, number>()
  let live = 0
  for (const item of union.toSorted(byWorth)) {
    const { batchId } = item.entry
    if (stateOf(batchId) === "live") {
      if (live++ < max) room.add(item)
    } else {
      const own = loading.get(batchId) ?? 0
      if (live + own < max) room.add(item)
      loading.set(batchId, own + 1)
    }
  }
  return union.filter((item) => room.has(item))
}

/**
 * How many entries each batch has lost. There are two lower bounds for the number of a batch's
 * distinct entries: those known before plus those newly kept (an entry once cut never returns, so
 * these are new), and those now in sight. The larger is exact if a batch names an identity in one
 * row, and merging the same row again does not change it.
 */
function cutsAfter(
  before: readonly Item[],
  arriving: readonly Item[],
  kept: readonly Item[],
  cuts: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const known = new Set(before.map(spelling))
  const beforeBy = countByBatch(before)
  const freshBy = countByBatch(arriving.filter((item) => !known.has(spelling(item))))
  const keptBy = countByBatch(kept)
  const newlyKeptBy = countByBatch(kept.filter((item) => !known.has(spelling(item))))
  const after = new Map<number, number>()
  for (const batchId of new Set([...cuts.keys(), ...beforeBy.keys(), ...freshBy.keys()])) {
    const had = beforeBy.get(batchId) ?? 0
    const everKnown = (cuts.get(batchId) ?? 0) + had + (newlyKeptBy.get(batchId) ?? 0)
    const inSight = had + (freshBy.get(batchId) ?? 0)
    const cut = Math.max(everKnown, inSight) - (keptBy.get(batchId) ?? 0)
    if (cut > 0) after.set(batchId, Math.min(cut, CUT_MAX))
  }
  return after
}

function countByBatch(items: readonly Item[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { entry } of items) counts.set(entry.batchId, (counts.get(entry.batchId) ?? 0) + 1)
  return counts
}

function itemOf(entry: Entry): Item {
  const bytes = Buffer.allocUnsafe(ENTRY_BYTES_MAX)
  return { entry, bytes: bytes.subarray(0, putEntry(entry, bytes, 0)) }
}

function spelling({ bytes }: Item): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
}

function unique(items: readonly Item[]): readonly Item[] {
  if (items.length < 2) return items
  const sorted = items.toSorted((a, b) => Buffer.compare(a.bytes, b.bytes))
  return sorted.filter((item, i) => {
    const previous = sorted[i - 1]
    return previous === undefined || Buffer.compare(previous.bytes, item.bytes) !== 0
  })
}

function readItems(
  stored: Uint8Array | undefined,
  stateOf: (batchId: number) => BatchState,
): { items: Item[]; cuts: ReadonlyMap<number, number> } {
  const { entries, cuts } = readEntrySet(stored)
  return {
    items: entries.filter(({ batchId }) => stateOf(batchId) !== "removed").map(itemOf),
    cuts: new Map([...cuts].filter(([batchId]) => stateOf(batchId) !== "removed")),
  }
}

function readCuts(cursor: Cursor): ReadonlyMap<number, number> {
  const count = cursor.varint(CUT_MAX)
  if (count === 0) return none.cuts
  const cuts = new Map<number, number>()
  let last = 0
  for (let i = 0; i < count; i++) {
    const batchId = cursor.varint(BATCH_ID_MAX)
    const cut = cursor.varint(CUT_MAX)
    if (batchId <= last || cut === 0) throw new MalformedBytes("cut records out of order")
    cuts.set(batchId, cut)
    last = batchId
  }
  return cuts
}

function setBytes(items: readonly Item[], cuts: ReadonlyMap<number, number>): Uint8Array {
  const length = items.reduce((sum, { bytes }) => sum + bytes.length, 5 + 10 * cuts.size)
  const into = Buffer.allocUnsafe(length)
  let at = putVarint(cuts.size, into, 0)
  for (const [batchId, cut] of [...cuts].sort(([a], [b]) => a - b)) {
    at = putVarint(cut, into, putVarint(batchId, into, at))
  }
  for (const { bytes } of items) {
    into.set(bytes, at)
    at += bytes.length
  }
  return into.subarray(0, at)
}

/** Compares the entry from `a` to `b` with its neighbour from `b` to `end`, byte by byte. */
function compareSpans(bytes: Uint8Array, a: number, b: number, end: number): number {
  const shorter = Math.min(b - a, end - b)
  for (let i = 0; i < shorter; i++) {
    const difference = (bytes[a + i] as number) - (bytes[b + i] as number)
    if (difference !== 0) return difference
  }
  return b - a - (end - b)
}
