import type { BinaryDatabase } from "./environment.ts"
import { put } from "./stored.ts"

const ERASURES = Buffer.from("erasures")
const COMPACTION = Buffer.from("compaction")

/** When identities were erased whose bytes may still stand in pages that are free by now. */
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
export function noteErasure(meta: BinaryDatabase, at: number): void {
  const firstAt = readErasures(meta)?.firstAt ?? at
  putErasures(meta, { firstAt, lastAt: at })
}

export function readErasures(meta: BinaryDatabase): Erasures | null {
  return readJson(meta, ERASURES) as Erasures | null
}

export function putErasures(meta: BinaryDatabase, erasures: Erasures | null): void {
  if (erasures === null) meta.removeSync(ERASURES)
  else put(meta, ERASURES, Buffer.from(JSON.stringify(erasures)))
}

export function readCompaction(meta: BinaryDatabase): Compaction | null {
  return readJson(meta, COMPACTION) as Compaction | null
}

export function putCompaction(meta: BinaryDatabase, compaction: Compaction): void {
  put(meta, COMPACTION, Buffer.from(JSON.stringify(compaction)))
}

function readJson(meta: BinaryDatabase, key: Uint8Array): unknown {
  const stored = meta.getBinary(key)
  return stored === undefined ? null : JSON.parse(Buffer.from(stored).toString())
}
