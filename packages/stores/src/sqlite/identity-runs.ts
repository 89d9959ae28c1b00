import type { DatabaseSync } from "node:sqlite"
import { eachIdentity, IDENTITY_BYTES } from "../decision-block.ts"

// Which blocks of a month have decisions about an identity. An entry in a tree would have a random
// place, and so cost a page of the file each; entries are instead written once for many blocks: a
// run of 256 rows, one for each first byte of a key. A search reads one row of each run, and the
// facts of the blocks since the last run.

/** Bytes of a key that tell identities apart here; a block has all of them. */
const PREFIX_BYTES = 8
const ENTRY_BYTES = PREFIX_BYTES + 4
const PARTS = 256
/** A run is written when there are this many blocks that are in none. */
const BLOCKS_MAX = 256

export function createIdentityRuns(db: DatabaseSync): void {
  // The number of a row is that of its run times 256, and the first byte of its keys.
  db.exec(`
    create table identity_runs (n integer primary key, entries blob not null) strict;
    create table identity_runs_end (n integer not null) strict;
    insert into identity_runs_end values (0)`)
}

/** The number of the last block that is in a run. */
export function lastBlockInRuns(db: DatabaseSync): number {
  return Number(db.prepare("select n from identity_runs_end").get()?.["n"])
}

/** Writes the runs of the blocks that are in none, where these have become many. */
export function addIdentityRuns(db: DatabaseSync): void {
  for (;;) {
    const blocks = db
      .prepare("select n, facts from blocks where n > ? order by n limit ?")
      .all(lastBlockInRuns(db), BLOCKS_MAX) as unknown as { n: number; facts: Uint8Array }[]
    if (blocks.length < BLOCKS_MAX) return
    addRun(db, blocks)
    db.prepare("update identity_runs_end set n = ?").run(blocks.at(-1)?.n ?? 0)
  }
}

function addRun(
  db: DatabaseSync,
  blocks: readonly { readonly n: number; readonly facts: Uint8Array }[],
): void {
  const sizes = new Uint32Array(PARTS)
  for (const { facts } of blocks)
    eachIdentity(
      facts,
      (at) => (sizes[facts[at] ?? 0] = (sizes[facts[at] ?? 0] ?? 0) + ENTRY_BYTES),
    )
  const parts = Array.from(sizes, (size) => Buffer.allocUnsafe(size))
  const ends = new Uint32Array(PARTS)
  for (const { n, facts } of blocks) {
    eachIdentity(facts, (at) => {
      const part = facts[at] ?? 0
      const end = ends[part] ?? 0
      const entries = parts[part] as Buffer
      for (let byte = 0; byte < PREFIX_BYTES; byte++) entries[end + byte] = facts[at + byte] ?? 0
      entries.writeUInt32LE(n, end + PREFIX_BYTES)
      ends[part] = end + ENTRY_BYTES
    })
  }
  const run = runsOf(db)
  const insert = db.prepare("insert into identity_runs values (?, ?)")
  parts.forEach((entries, part) => insert.run(run * PARTS + part, entries))
}

function runsOf(db: DatabaseSync): number {
  const last = db.prepare("select max(n) as n from identity_runs").get()?.["n"]
  return last === null ? 0 : Math.floor(Number(last) / PARTS) + 1
}

/** The numbers of blocks that may have decisions about an identity; some may have gone since. */
export function blocksOfIdentity(db: DatabaseSync, key: Uint8Array): number[] {
  if (key.length !== IDENTITY_BYTES) return []
  const found = new Set<number>()
  eachPart(db, key, (entries) => {
    for (const at of placesOf(entries, key)) found.add(entries.readUInt32LE(at + PREFIX_BYTES))
  })
  const since = db
    .prepare("select n from blocks where n > ? and instr(facts, ?) > 0")
    .all(lastBlockInRuns(db), key)
  for (const { n } of since) found.add(Number(n))
  return [...found]
}

/** Leaves nothing of an identity in the runs but what concerns these blocks. */
export function forgetIdentity(db: DatabaseSync, key: Uint8Array, kept: ReadonlySet<number>): void {
  const update = db.prepare("update identity_runs set entries = ? where n = ?")
  eachPart(db, key, (entries, n) => {
    const gone = placesOf(entries, key).filter(
      (at) => !kept.has(entries.readUInt32LE(at + PREFIX_BYTES)),
    )
    if (gone.length === 0) return
    const left: Buffer[] = []
    for (let at = 0; at < entries.length; at += ENTRY_BYTES)
      if (!gone.includes(at)) left.push(entries.subarray(at, at + ENTRY_BYTES))
    update.run(Buffer.concat(left), n)
  })
}

/** Writes every run anew from the blocks there are, so that none names one that has gone. */
export function rewriteIdentityRuns(db: DatabaseSync): void {
  db.exec("delete from identity_runs; update identity_runs_end set n = 0")
  addIdentityRuns(db)
}

function eachPart(
  db: DatabaseSync,
  key: Uint8Array,
  visit: (entries: Buffer, n: number) => void,
): void {
  const select = db.prepare("select entries from identity_runs where n = ?")
  const runs = runsOf(db)
  for (let n = key[0] ?? 0; n < runs * PARTS; n += PARTS) {
    const entries = select.get(n)?.["entries"] as Uint8Array
    visit(Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength), n)
  }
}

function placesOf(entries: Buffer, key: Uint8Array): number[] {
  const prefix = key.subarray(0, PREFIX_BYTES)
  const places: number[] = []
  for (let at = entries.indexOf(prefix); at >= 0; at = entries.indexOf(prefix, at + 1))
    if (at % ENTRY_BYTES === 0) places.push(at)
  return places
}
