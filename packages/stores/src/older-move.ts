/** How long after a failure the next decisions that are added start the move again. */
const AGAIN_MS = 60_000

/** Takes a code, not the error: what an engine says in words may quote a row. */
export type MoveFailed = (code: string) => void

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
        failed(codeOf(error))
      })
    },
    idle: async () => await moving,
  }
}

/** SQLite has one code for all errors, and a fixed sentence for each kind of them. */
function codeOf(error: unknown): string {
  const { errstr, code, name } = error as { errstr?: string; code?: string; name?: string }
  return errstr ?? code ?? name ?? "unknown"
}
