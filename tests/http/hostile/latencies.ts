/** How long answers took, and what they were. */
export interface Latencies {
  note(ms: number): void
  /** Starts anew. */
  clear(): void
  readonly count: number
  percentile(share: number): number
}

export function openLatencies(): Latencies {
  let taken: number[] = []
  return {
    note: (ms) => void taken.push(ms),
    clear: () => void (taken = []),
    get count() {
      return taken.length
    },
    percentile(share) {
      const sorted = taken.toSorted((a, b) => a - b)
      return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    },
  }
}
