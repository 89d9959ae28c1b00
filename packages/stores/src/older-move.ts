/** How long after a failure the next decisions that are added start the move again. */
const AGAIN_MS = 60_000

export type MoveFailed = (error: unknown) => void

/** The move of decisions of older programs into blocks, beside the adding of new ones. */
export interface OlderMove {
  /** Begins it, unless it is under way, done, or has just failed. */
  begin(): void
  /** Resolves when none is under way. Never rejects. */
  idle(): Promise<void>
}

/** A move that fails leaves decisions where they are, and where they are found. */
export function olderMove(
  move: () => Promise<void>,
  failed: MoveFailed,
  now: () => number = () => performance.now(),
): OlderMove {
  let moving: Promise<void> | undefined
  let againAt = 0
  return {
    begin() {
      if (moving !== undefined || now() < againAt) return
      moving = move().catch((error: unknown) => {
        moving = undefined
        againAt = now() + AGAIN_MS
        failed(error)
      })
    },
    idle: async () => await moving,
  }
}
