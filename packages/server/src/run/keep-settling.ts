import type { Log } from "@assay/runtime/log"
import { HOUR_MS } from "@assay/runtime/time"
import type { Settling } from "../http/feature.ts"

const SETTLE_MS = 1000

/**
 * Settles each second and forgets each hour; the function it returns ends that and waits for what
 * is under way.
 */
export function keepSettling(
  writer: Settling,
  now: () => number,
  log: Log,
  what: string,
): () => Promise<void> {
  let forgotAt = 0
  let settling: Promise<void> | null = null
  const settle = async (): Promise<void> => {
    await writer.settleDue?.()
    // Also if the last time lies in the future: the clock was set back, and forgetting must not
    // wait for it.
    if (Math.abs(now() - forgotAt) < HOUR_MS) return
    await writer.forget?.()
    forgotAt = now()
  }
  const timer = setInterval(() => {
    settling ??= settle()
      .catch((error: unknown) => log.warn(`${what} could not be applied`, { error }))
      .finally(() => (settling = null))
  }, SETTLE_MS)
  return async () => {
    clearInterval(timer)
    await settling
    await writer.idle?.()
  }
}
