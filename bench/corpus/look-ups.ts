import { median } from "../statistics.ts"

export type Lookup = (key: Uint8Array) => unknown

/** One look-up is too short for the clock, so that many are timed at once. */
const BATCH = 200
/** The kernel counts a thread's processor time in steps of up to 4 ms. */
const CPU_BATCH = 10_000

/**
 * Processor time of this thread for a look-up in each of several stores, in microseconds: the
 * median of batches that take turns. What other programs do takes no processor time of it.
 */
export async function lookupCpuMicros(
  keys: readonly Uint8Array[],
  lookups: readonly Lookup[],
): Promise<number[]> {
  const micros = lookups.map((): number[] => [])
  const size = Math.min(CPU_BATCH, keys.length)
  for (let from = 0; from + size <= keys.length; from += size) {
    const batch = keys.slice(from, from + size)
    for (const [n, lookup] of lookups.entries()) {
      // Once before, so that the pages are in memory.
      await lookUp(batch, lookup)
      const before = process.threadCpuUsage()
      await lookUp(batch, lookup)
      const { user, system } = process.threadCpuUsage(before)
      micros[n]?.push((user + system) / size)
    }
  }
  return micros.map(median)
}

/**
 * By the clock, for stores that each have keys of their own: the median over batches of look-ups
 * that take turns, in microseconds.
 */
export async function lookupMicros(
  stores: readonly { readonly keys: readonly Uint8Array[]; readonly lookup: Lookup }[],
  rounds: number,
): Promise<number[]> {
  const micros = stores.map((): number[] => [])
  // The first round brings the pages into memory.
  for (let round = 0; round <= rounds; round++) {
    for (const [n, { keys, lookup }] of stores.entries()) {
      for (let from = 0; from + BATCH <= keys.length; from += BATCH) {
        const batch = keys.slice(from, from + BATCH)
        const startedAt = performance.now()
        await lookUp(batch, lookup)
        if (round > 0) micros[n]?.push(((performance.now() - startedAt) * 1000) / BATCH)
      }
    }
  }
  return micros.map(median)
}

async function lookUp(keys: readonly Uint8Array[], lookup: Lookup): Promise<void> {
  for (const key of keys) {
    const found = lookup(key)
    if (found instanceof Promise) await found
  }
}
