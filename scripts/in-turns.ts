import { cpus } from "node:os"
import { setTimeout as delay } from "node:timers/promises"

/** How often the cores are looked at: what was begun shows by then what it takes. */
const LOOK_MS = 1_000
/** So much of one core must have been idle since. */
const IDLE = 0.1

export interface Turns {
  /** How many are under way at any time. */
  readonly least: number
  /** How many are while the cores have time left. */
  readonly most: number
  /** The time for which the cores were idle since some moment, added up. */
  readonly idleMs?: () => number
  readonly lookMs?: number
}

/**
 * Does work for each of many, in their order: for `least` of them at a time, and for one more, up
 * to `most`, whenever a core was idle. So what waits, for a timer or a disk, leaves no core without
 * work, and nothing is begun on top where all cores are busy.
 */
export async function inTurns<T>(
  all: readonly T[],
  work: (each: T) => Promise<void>,
  { least, most, idleMs = idleMsOfCores, lookMs = LOOK_MS }: Turns,
): Promise<void> {
  const waiting = all.values()
  const lane = async (): Promise<void> => {
    for (const each of waiting) await work(each)
  }
  const lanes = Promise.all(Array.from({ length: least }, lane))
  const over = new AbortController()
  const more = new Set<Promise<void>>()
  const widen = async (): Promise<void> => {
    let before = idleMs()
    while (await hasPassed(lookMs, over.signal)) {
      const now = idleMs()
      const hasTime = now - before >= IDLE * lookMs
      before = now
      if (!hasTime || least + more.size >= most) continue
      const { value, done } = waiting.next()
      if (done === true) return
      const one: Promise<void> = work(value).finally(() => void more.delete(one))
      more.add(one)
    }
  }
  const widening = widen()
  await lanes.finally(() => over.abort())
  await widening
  await Promise.all(more)
}

/** False when the signal came first. */
async function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  return await delay(ms, true, { signal }).catch(() => false)
}

function idleMsOfCores(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0)
}
