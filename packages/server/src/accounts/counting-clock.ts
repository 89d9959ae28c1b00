import type { Counters } from "@assay/stores/counters"

export interface CountingClock {
  /** Milliseconds since 1970. Names the days, months and sign-ups that are counted. */
  now(): number
  close(): void
}

interface CountingClockOptions {
  readonly counters: Pick<Counters, "clock">
  /** Milliseconds since 1970, by this machine. */
  readonly now: () => number
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number
  /** How often the counters are asked again. */
  readonly everyMs?: number
}

const EVERY_MS = 10_000

/**
 * The clock by which things are counted. Where nodes count together it is theirs together, so that
 * a node whose own clock is off neither gives nor takes anything; else it is this machine's. Until
 * the counters answer it is this machine's too, and if they stop answering it goes on from what
 * they said.
 */
export async function openCountingClock(options: CountingClockOptions): Promise<CountingClock> {
  const { counters, now, elapsed, everyMs = EVERY_MS } = options
  let ahead: number | null = null
  const ask = async (): Promise<"own" | "shared" | "unknown"> => {
    const asked = elapsed()
    try {
      const time = await counters.clock()
      if (time === null) return "own"
      ahead = time - (asked + elapsed()) / 2
      return "shared"
    } catch {
      // It goes on as it was, and is asked again.
      return "unknown"
    }
  }
  const asking = (await ask()) === "own" ? undefined : setInterval(() => void ask(), everyMs)
  return {
    now: () => (ahead === null ? now() : Math.floor(elapsed() + ahead)),
    close: () => clearInterval(asking),
  }
}
