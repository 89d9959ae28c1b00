import type { Log } from "../log.ts"
import { DAY_MS, dayOf } from "../time.ts"
import type { DecisionsWriter } from "./decisions-writer.ts"

export interface DecisionKeeping {
  /** Resolves when every decision appended before the call is in the store. */
  fold(): Promise<void>
  /** Folds once more and closes the store. The workers have ended by then. */
  stop(): Promise<void>
}

interface KeepingOptions {
  readonly writer: DecisionsWriter
  /** How many days decisions are kept. */
  readonly days: number
  readonly log: Log
  readonly now: () => number
}

const FOLD_MS = 1000

/**
 * Brings decisions into the store each second, and deletes the old ones once a day and at the start. A store that is away
 * costs nothing but room: decisions stay in the journals until it is back.
 */
export async function keepDecisions(options: KeepingOptions): Promise<DecisionKeeping> {
  const { writer, days, log, now } = options
  let forgottenOn = ""

  async function fold(): Promise<void> {
    const { torn } = await writer.fold()
    if (torn > 0)
      log.error("journal lines were not written in whole and are skipped", { count: torn })
  }
  async function forget(): Promise<void> {
    const today = dayOf(now())
    if (forgottenOn === today) return
    const count = await writer.forgetBefore(dayOf(now() - days * DAY_MS))
    forgottenOn = today
    if (count > 0) log.info("old decisions were deleted", { count })
  }
  /** In this order: what an old journal brings may be too old already. */
  async function keep(): Promise<void> {
    try {
      await fold()
      await forget()
    } catch (error) {
      log.error("decisions could not be brought into the store and stay in the journals", { error })
    }
  }

  await keep()
  const timer = setInterval(() => void keep(), FOLD_MS)
  return {
    fold,
    async stop() {
      clearInterval(timer)
      await keep()
      await writer.close()
    },
  }
}
