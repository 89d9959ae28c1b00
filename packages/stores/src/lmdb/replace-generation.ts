import { Explained } from "@assay/runtime/explained"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { lockDataDirectory } from "@assay/runtime/data-directory"
import type { CatalogueDocument } from "../catalogue.ts"
import { IndexDamaged } from "../exposure-index.ts"
import {
  beginNotes,
  type ChangedKey,
  endNotes,
  isNoting,
  isOfCopying,
  takeNotes,
} from "./changes.ts"
import { Buckets } from "./buckets.ts"
import { putFormat } from "./format.ts"
import {
  createGeneration,
  deleteGeneration,
  generationNumbers,
  linkedGeneration,
  linkGeneration,
  openCurrent,
  type OpenGeneration,
} from "./generations.ts"
import { putCompaction, putErasures, readErasures } from "./history.ts"
import { markSuperseded, readDocument, supersededBy } from "./stored.ts"

export interface ReplaceOptions {
  readonly path: string
  readonly mapSize: number
  readonly now: () => number
}

/** The generation in use, the one to take its place, and the catalogue when its making began. */
export interface Making {
  readonly from: OpenGeneration
  readonly to: OpenGeneration
  readonly document: CatalogueDocument
}

export interface Maker {
  /** Writes the sets as they are now or were a moment ago: later changes are settled afterwards. */
  fill(making: Making): Promise<void>
  /**
   * The value for a key that changed meanwhile, given the values of both generations; null: none.
   */
  settle(
    changed: ChangedKey,
    stored: Uint8Array | undefined,
    made: () => Uint8Array | undefined,
    making: Making,
  ): Uint8Array | null
}

export interface Replaced {
  readonly generation: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** Few enough that settling them delays no write for long. */
const SETTLED_LAST_MAX = 1_000

/**
 * Makes a new generation and replaces the one in use, which is read and written all the while. Each
 * write after the start leaves a note of its keys, which are settled: most of them beside further
 * writes, the last few in a transaction of the old generation that ends by naming its successor.
 * That commit is the moment of the change.
 */
export async function replaceGeneration(options: ReplaceOptions, maker: Maker): Promise<Replaced> {
  const { path, mapSize, now } = options
  const lock = lockDataDirectory(path)
  if (lock === null)
    throw new Explained("index-in-replacement", "The index is being compacted or rebuilt already")
  const from = openCurrent(path, false, mapSize)
  try {
    dropOthers(path, from.generation)
    const bytesBefore = statSync(from.dataFile).size
    const startedAt = now()
    const to = createGeneration(path, from.generation + 1, mapSize)
    try {
      await from.root.childTransaction(() => {
        beginNotes(from.meta)
      })
      await to.root.childTransaction(() => {
        if (to.shared instanceof Buckets) to.shared.prepare()
      })
      from.root.resetReadTxn()
      const making = { from, to, document: readDocument(from.meta, null) }
      await maker.fill(making)
      await settleWhileWritten(making, maker)
      await takeThePlace(making, maker, startedAt)
    } catch (error) {
      await to.close()
      deleteGeneration(path, to.generation)
      await from.root.childTransaction(() => {
        endNotes(from.meta)
      })
      throw error
    }
    const bytesAfter = statSync(to.dataFile).size
    await to.close()
    dropOthers(path, to.generation)
    return { generation: to.generation, bytesBefore, bytesAfter }
  } finally {
    await from.close()
    lock.release()
  }
}

/** Removes what a replacement left that was killed, unless one is running. */
export async function tidyGenerations(path: string, on: OpenGeneration): Promise<void> {
  const isTidy = (): boolean =>
    linkedGeneration(path) === on.generation &&
    generationNumbers(path).every((number) => number === on.generation) &&
    !isNoting(on.meta)
  on.root.resetReadTxn()
  if (isTidy()) return
  const lock = lockDataDirectory(path)
  if (lock === null) return
  try {
    await on.root.childTransaction(() => {
      // Only with the lock, and in a transaction, is it certain that this is the generation in use.
      if (supersededBy(on.meta) !== null) return
      dropOthers(path, on.generation)
      endNotes(on.meta)
    })
  } finally {
    lock.release()
  }
}

async function settleWhileWritten(making: Making, maker: Maker): Promise<void> {
  const { from, to } = making
  for (;;) {
    const changed = await from.root.childTransaction(() => takeNotes(from.meta))
    from.root.resetReadTxn()
    await to.root.childTransaction(() => {
      settleKeys(changed, making, maker)
    })
    if (changed.length <= SETTLED_LAST_MAX) return
  }
}

async function takeThePlace(making: Making, maker: Maker, startedAt: number): Promise<void> {
  const { from, to, document } = making
  to.root.resetReadTxn()
  const keys = Math.max(1, to.shared.count() + to.tenants.count())
  const bytesPerKey = statSync(to.dataFile).size / keys
  const dropped = [...document.batches.values()]
    .filter(({ state }) => state === "removed")
    .map(({ id }) => id)
  await from.root.childTransaction(() => {
    const changed = takeNotes(from.meta)
    // On the disk when this returns, so that an incomplete generation can never be named as the one
    // in use.
    to.root.transactionSync(() => {
      settleKeys(changed, making, maker)
      const made = to.shared instanceof Buckets ? to.shared.described : null
      for (const { key, value, intact } of from.meta.range({})) {
        if (isOfCopying(key)) continue
        if (!intact) throw new IndexDamaged("What the index says of itself is damaged")
        to.meta.put(key, value)
      }
      if (made !== null && to.shared instanceof Buckets) to.shared.described = made
      putFormat(to.meta)
      putCompaction(to.meta, { at: startedAt, bytesPerKey, dropped })
      const erasures = readErasures(from.meta)
      // An erasure during the copy may have left its identity's bytes in a page of the copy.
      const recent = erasures !== null && erasures.lastAt >= startedAt
      putErasures(to.meta, recent ? { firstAt: startedAt, lastAt: erasures.lastAt } : null)
    })
    markSuperseded(from.meta, to.generation)
  })
}

/** Inside a write transaction of the generation being made. */
function settleKeys(changed: readonly ChangedKey[], making: Making, maker: Maker): void {
  const { from, to } = making
  for (const each of changed) {
    const { database, key } = each
    const stored = from[database].copied(key)
    const settled = maker.settle(each, stored, () => to[database].copied(key), making)
    if (settled !== null) to[database].put(key, settled)
    else to[database].remove(key)
  }
}

/** Only while holding the directory's lock: no other generation is being made. */
function dropOthers(path: string, generation: number): void {
  if (linkedGeneration(path) !== generation) linkGeneration(path, generation)
  for (const number of generationNumbers(path)) {
    if (number !== generation) deleteGeneration(path, number)
  }
  // The link has taken the place of the first generation's data.
  if (generation > 0) rmSync(join(path, "lock.mdb"), { force: true })
}
