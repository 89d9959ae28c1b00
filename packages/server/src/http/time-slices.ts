import { setImmediate as turn } from "node:timers/promises"

/** How long one request may keep a worker from all others. */
const SLICE_MS = 3

/** Cuts long work into slices by time: a count of lines says nothing about what they cost. */
export interface TimeSlices {
  /** Whether the others should have their turn now. */
  isOver(): boolean
  /** Gives them their turn and begins the next slice. */
  next(): Promise<void>
}

export function openTimeSlices(
  now: () => number = () => performance.now(),
  sliceMs = SLICE_MS,
): TimeSlices {
  let beganMs = now()
  return {
    isOver: () => now() - beganMs >= sliceMs,
    async next() {
      await turn()
      beganMs = now()
    },
  }
}
