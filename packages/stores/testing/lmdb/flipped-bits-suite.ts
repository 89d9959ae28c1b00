import { openSync, closeSync, readFileSync, readSync, writeSync } from "node:fs"
import { join } from "node:path"
import { importRows } from "../exposure-index-process-suite.ts"
import { type ExposureIndex, IndexUnavailable } from "../../src/exposure-index.ts"
import { examineIndex } from "../../src/lmdb/examine.ts"
import { openLmdbIndex } from "../../src/lmdb/exposure-index.ts"

/** Numbers that are the same in each run: mulberry32. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b_79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Flips one bit of a file. Doing it again undoes it. */
export function flipBit(file: string, offset: number, bit: number): void {
  const descriptor = openSync(file, "r+")
  try {
    const byte = Buffer.alloc(1)
    readSync(descriptor, byte, 0, 1, offset)
    byte[0] = (byte[0] as number) ^ (1 << bit)
    writeSync(descriptor, byte, 0, 1, offset)
  } finally {
    closeSync(descriptor)
  }
}

/** Where the only copy of a key stands in the data file of an index. */
export function placeOfKey(dataFile: string, key: Uint8Array): number {
  const bytes = readFileSync(dataFile)
  const place = bytes.indexOf(key)
  if (place < 0) throw new Error("The key is not in the file")
  return place
}

export interface Outcomes {
  right: number
  refused: number
  /** An identity in the index was reported as unknown, or with other data. */
  wrong: number
}

/** Looks up every imported identity, and counts right, refused and wrong answers. */
export async function askedForAll(
  index: ExposureIndex,
  identities: number,
  tenantId: number | null = null,
): Promise<Outcomes> {
  const outcomes: Outcomes = { right: 0, refused: 0, wrong: 0 }
  for (const { key, entries } of importRows(1, identities)) {
    try {
      const found = await index.lookup(key, tenantId)
      const { length } = found.entries
      const hours = new Set(entries.map((entry) => entry.hours))
      const same =
        length + found.cut === entries.length &&
        found.entries.every((entry) => hours.has(entry.hours))
      if (same) outcomes.right++
      else outcomes.wrong++
    } catch (error) {
      if (!(error instanceof IndexUnavailable)) throw error
      outcomes.refused++
    }
  }
  return outcomes
}

/** What came of one flip. */
export interface Trial extends Outcomes {
  /** How many kinds of faults a walk through the index names. */
  readonly faults: number
}

/**
 * A process that flips bits of an index one after the other, undoing each, and prints the outcome.
 * LMDB may end it. Arguments: the index, its number of identities, the tenant who asks (0: none),
 * and places as offset:bit.
 */
if (import.meta.main) {
  const [path, count, tenant, ...places] = process.argv.slice(2) as [string, string, string]
  const identities = Number(count)
  const tenantId = Number(tenant) || null
  for (const place of places as readonly string[]) {
    const [offset, bit] = place.split(":").map(Number) as [number, number]
    const flip = (): void => flipBit(dataFileOf(path), offset, bit)
    flip()
    const trial = {
      ...(await outcomesOf(path, identities, tenantId)),
      faults: await faultsOf(path),
    }
    flip()
    process.stdout.write(`${JSON.stringify(trial)}\n`)
  }
}

async function outcomesOf(
  path: string,
  identities: number,
  tenantId: number | null,
): Promise<Outcomes> {
  try {
    const index = await openLmdbIndex({ path, readOnly: true })
    return await askedForAll(index, identities, tenantId).finally(() => index.close())
  } catch (error) {
    if (!(error instanceof IndexUnavailable)) throw error
    return { right: 0, refused: identities, wrong: 0 }
  }
}

async function faultsOf(path: string): Promise<number> {
  try {
    return (await examineIndex(path, () => undefined)).faults.size
  } catch {
    return 1
  }
}

export function dataFileOf(path: string): string {
  return join(path, "data.mdb")
}
