/**
 * An amount that may be used within a span. It comes back continuously and not on the hour, so
 * nobody can wait for the start of an hour.
 */
export interface Bucket {
  /** The amount that is used and has not come back. */
  used(): number
  add(amount: number): void
}

/** All of `capacity` comes back within `spanMs`, at an even pace. */
export function openBucket(capacity: number, spanMs: number, now: () => number): Bucket {
  let used = 0
  let at = now()
  const settle = (): void => {
    const current = now()
    // A clock that was set back gives nothing back, and takes nothing.
    used = Math.max(0, used - (capacity * Math.max(0, current - at)) / spanMs)
    at = current
  }
  return {
    used() {
      settle()
      return used
    },
    add(amount) {
      settle()
      used += amount
    },
  }
}
