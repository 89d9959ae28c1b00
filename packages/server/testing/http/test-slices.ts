import type { TimeSlices } from "../../src/http/time-slices.ts"

/**
 * Slices for tests: work takes as many milliseconds as the test says, and a slice is over after
 * three.
 */
export function countedSlices(): {
  readonly slices: TimeSlices
  work(ms: number): void
  /** The most work that was done in one slice. */
  longestMs(): number
} {
  let [spent, longest] = [0, 0]
  return {
    work(ms) {
      spent += ms
      longest = Math.max(longest, spent)
    },
    longestMs: () => longest,
    slices: {
      isOver: () => spent >= 3,
      async next() {
        spent = 0
      },
    },
  }
}
