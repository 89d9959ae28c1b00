import { setImmediate as turn, setTimeout as delay } from "node:timers/promises"

/** How long one request may keep a worker from all others. */
const SLICE_MS = 3

/** Cuts long work into slices by time: a count of lines says nothing about what they cost. */
export interface TimeSlices {
  /** Whether the others should have their turn now. */
  isOver(): boolean
  /** Gives them their turn and begins the next slice. */
  next(): Promise<void>
}

/**
 * `restShare`: how long the work rests after a slice, in parts of what the slice took. Without any,
 * the others have one turn of the loop, and the work takes all the time they leave.
 */
export function openTimeSlices(
  now: () => number = () => performance.now(),
  sliceMs = SLICE_MS,
  restShare = 0,
): TimeSlices {
  let beganMs = now()
  return {
    isOver: () => now() - beganMs >= sliceMs,
    async next() {
      if (restShare === 0) await turn()
      else await delay(restShare * (now() - beganMs))
      beganMs = now()
    },
  }
}
