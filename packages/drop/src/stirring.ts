import { randomInt } from "node:crypto"
import type { Drops } from "./store/drops.ts"

const EARLIEST_MS = 30_000
const LATEST_MS = 90_000

/**
 * Writes to the store at random times, with or without messages. A file system records when a file
 * was last written, and nothing can undo that. So a time that a thief of the disk finds there is
 * almost never the time of a message.
 */
export function keepStirring({
  drops,
  nextMs = () => randomInt(EARLIEST_MS, LATEST_MS),
}: {
  readonly drops: Pick<Drops, "stir">
  readonly nextMs?: () => number
}): { stop(): Promise<void> } {
  // Senders and recipients see a store that fails. Here the next try comes soon.
  const stir = (): Promise<void> => drops.stir().catch(() => undefined)
  let stirring: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const arm = (): void => {
    timer = setTimeout(() => {
      stirring = stir()
      arm()
    }, nextMs())
    timer.unref()
  }
  arm()
  return {
    /** Once more, so that a store that is at rest shows when it was closed. */
    async stop() {
      clearTimeout(timer)
      await stirring
      await stir()
    },
  }
}
