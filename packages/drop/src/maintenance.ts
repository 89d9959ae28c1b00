import type { Drops } from "./store/drops.ts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"

/** How often it is looked whether something is due. */
const LOOK_MS = 5 * 60_000

/**
 * Deletes what is due, every hour. Rewrites the file every night (UTC) and after a number of
 * messages, so that it does not show the order they came in.
 */
export function runMaintenance({
  drops,
  rewriteAfter,
  now,
  onFault,
}: {
  readonly drops: Pick<Drops, "purge" | "rewrite" | "unordered">
  readonly rewriteAfter: number
  readonly now: () => number
  readonly onFault: (error: unknown) => void
}): { lookNow(): Promise<void>; stop(): Promise<void> } {
  let purged = -1
  let rewritten: number | null = null
  const look = async (): Promise<void> => {
    const [day, hour] = [Math.floor(now() / DAY_MS), Math.floor(now() / HOUR_MS)]
    if (hour !== purged) {
      await drops.purge({ day })
      purged = hour
    }
    const unordered = await drops.unordered()
    // Not known after a start: a night may have passed without a rewrite, which matters only to
    // what came since the last.
    const nightly = rewritten === null ? unordered > 0 : rewritten !== day
    if (nightly || unordered >= rewriteAfter) await drops.rewrite()
    rewritten = day
  }
  // One after the other, and a failure is tried again at the next look.
  let looking: Promise<void> = Promise.resolve()
  const lookNow = (): Promise<void> => (looking = looking.then(look).catch(onFault))
  const timer = setInterval(() => void lookNow(), LOOK_MS)
  return {
    lookNow,
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
