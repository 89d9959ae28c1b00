import { setTimeout as delay } from "node:timers/promises"
import { ImportFailure } from "./import-failure.ts"

/** How long a process may take to report why it broke the pipe it shares with the other. */
const CAUSE_WITHIN_MS = 10_000

/**
 * Waits for the reader and the sorter, but only until the first of them fails: the other may be
 * waiting for it, so the caller ends both. A broken pipe only follows from a failure at its other
 * end, so that failure is thrown instead.
 */
export async function bothDone<Read, Sorted>(
  reading: Promise<Read>,
  sorting: Promise<Sorted>,
  causeWithinMs: number = CAUSE_WITHIN_MS,
): Promise<[Read, Sorted]> {
  try {
    return await Promise.all([reading, sorting])
  } catch (error) {
    const knowing = whoKnowsWhy(error, reading, sorting)
    throw knowing === null ? error : ((await failureOf(knowing, causeWithinMs)) ?? error)
  }
}

function whoKnowsWhy(
  error: unknown,
  reading: Promise<unknown>,
  sorting: Promise<unknown>,
): Promise<unknown> | null {
  if (!(error instanceof ImportFailure)) return null
  if (error.code === "sorter-gone") return sorting
  return error.code === "cut-short" ? reading : null
}

/** null if it does not fail in time. */
async function failureOf(work: Promise<unknown>, withinMs: number): Promise<unknown> {
  const over = new AbortController()
  try {
    return await Promise.race([
      work.then(
        () => null,
        (error: unknown) => error,
      ),
      delay(withinMs, null, { signal: over.signal }),
    ])
  } finally {
    over.abort()
  }
}
