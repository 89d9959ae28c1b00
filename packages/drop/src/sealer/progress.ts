/** What a sealer is at, in this order. `ready`: it has no connection yet. */
export type Phase = "ready" | "receiving" | "working" | "answering"

/** A sealer's report to the pool: its progress and nothing else. */
export interface Report {
  readonly phase: Phase
  /** Bytes that came, or went out, in this phase. */
  readonly bytes: number
}

interface Mark {
  readonly atMs: number
  readonly bytes: number
}

/** How fast a sealer's sender is, by what the sealer reported. */
export interface Progress {
  note(report: Report): void
  readonly phase: Phase | null
  /** How long it has been in its phase. */
  phaseMs(): number
  /** Over the last window, so that a fast start does not pay for standing still. */
  bytesPerSecond(): number
}

export function openProgress(windowMs: number, now: () => number): Progress {
  let phase: Phase | null = null
  let sinceMs = now()
  let marks: Mark[] = []
  return {
    get phase() {
      return phase
    },
    note(report) {
      const atMs = now()
      if (report.phase !== phase) {
        phase = report.phase
        sinceMs = atMs
        marks = [{ atMs, bytes: 0 }]
      }
      marks.push({ atMs, bytes: report.bytes })
      // The last one before the window stays: what came since is counted from it.
      while ((marks[1]?.atMs ?? atMs) < atMs - windowMs) marks.shift()
    },
    phaseMs: () => now() - sinceMs,
    bytesPerSecond() {
      const [first, last] = [marks[0], marks.at(-1)]
      if (first === undefined || last === undefined) return 0
      // By the clock, not by the last report: a sender who stopped must not look as fast as before.
      return ((last.bytes - first.bytes) * 1000) / Math.max(now() - first.atMs, 1)
    },
  }
}
