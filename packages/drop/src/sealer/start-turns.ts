/** Who may start a sealer. */
export interface StartTurns<Lane> {
  /**
   * Takes the turn, and returns what gives it back. Null while it is not to be had: `again` is
   * called when it is.
   */
  take(lane: Lane, again: () => void): (() => void) | null
}

/** A little less than a start takes on a machine that has nothing else to do. */
const PAUSE_MS = 100
/** About as many starts a lane with priority gets for each one of another. */
const PRIORITY = 4

/**
 * Starts sealers one after the other, with a pause between them: a start takes most of a core for a
 * moment, and visitors who cause starts by coming and going must not get the whole core. Lanes take
 * turns: of those that wait, the one whose last start was the longest ago, counted several times
 * over for a lane that has priority. So no lane waits for ever. A start that takes longer than
 * `longestMs` no longer holds up the next.
 */
export function openStartTurns<Lane>(
  longestMs: number,
  hasPriority: (lane: Lane) => boolean = () => false,
): StartTurns<Lane> {
  const waiting = new Map<Lane, () => void>()
  const startedAt = new Map<Lane, number>()
  const urgency = (lane: Lane, now: number): number =>
    (now - (startedAt.get(lane) ?? 0)) * (hasPriority(lane) ? PRIORITY : 1)
  let taken = false
  /**
   * A function, because the compiler assumes that the variable itself does not change in between.
   */
  const isTaken = (): boolean => taken
  const free = (): void => {
    taken = false
    const now = performance.now()
    const [first] = [...waiting.keys()].sort((a, b) => urgency(b, now) - urgency(a, now))
    if (first === undefined) return
    const again = waiting.get(first)
    waiting.delete(first)
    again?.()
    // It may not have wanted the turn after all.
    if (!isTaken()) free()
  }
  return {
    take(lane, again) {
      if (taken) {
        waiting.set(lane, again)
        return null
      }
      taken = true
      startedAt.set(lane, performance.now())
      let given = false
      const giveBack = (): void => {
        clearTimeout(late)
        if (given) return
        given = true
        setTimeout(free, PAUSE_MS)
      }
      const late = setTimeout(giveBack, longestMs).unref()
      return giveBack
    },
  }
}
