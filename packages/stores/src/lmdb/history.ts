import type { CheckedDatabase } from "./checked-database.ts"

const ERASURES = Buffer.from("erasures")
const COMPACTION = Buffer.from("compaction")

/** When identities were erased whose bytes may still be in free pages. */
export interface Erasures {
  readonly firstAt: number
  readonly lastAt: number
}

/** What the compaction that made this generation came to. */
export interface Compaction {
  readonly at: number
  /** Bytes of the file for each identity then: what a full set of pages takes here. */
  readonly bytesPerKey: number
  /** Removed batches of which it left no entry. */
  readonly dropped: readonly number[]
}

/** Inside a write transaction. */
export function noteErasure(meta: CheckedDatabase, at: number): void {
  const firstAt = readErasures(meta)?.firstAt ?? at
  putErasures(meta, { firstAt, lastAt: at })
}

export function readErasures(meta: CheckedDatabase): Erasures | null {
  return readJson(meta, ERASURES) as Erasures | null
}

export function putErasures(meta: CheckedDatabase, erasures: Erasures | null): void {
  if (erasures === null) meta.remove(ERASURES)
  else meta.put(ERASURES, Buffer.from(JSON.stringify(erasures)))
}

export function readCompaction(meta: CheckedDatabase): Compaction | null {
  return readJson(meta, COMPACTION) as Compaction | null
}

export function putCompaction(meta: CheckedDatabase, compaction: Compaction): void {
  meta.put(COMPACTION, Buffer.from(JSON.stringify(compaction)))
}

function readJson(meta: CheckedDatabase, key: Uint8Array): unknown {
  const stored = meta.copied(key)
  return stored === undefined ? null : JSON.parse(Buffer.from(stored).toString())
}
