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

/**
 * Starts sealers one after the other, with a pause between them: a start takes most of a core for a
 * moment, and visitors who cause starts by coming and going must not get the whole core. Lanes take
 * turns. A start that takes longer than `longestMs` no longer holds up the next.
 */
export function openStartTurns<Lane>(longestMs: number): StartTurns<Lane> {
  const waiting = new Map<Lane, () => void>()
  const startedAt = new Map<Lane, number>()
  const lastStart = (lane: Lane): number => startedAt.get(lane) ?? 0
  let taken = false
  /**
   * A function, because the compiler assumes that the variable itself does not change in between.
   */
  const isTaken = (): boolean => taken
  const free = (): void => {
    taken = false
    const [first] = [...waiting.keys()].sort((a, b) => lastStart(a) - lastStart(b))
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
