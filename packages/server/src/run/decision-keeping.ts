import type { Log } from "@assay/runtime/log"
import { DAY_MS, dayOf } from "@assay/runtime/time"
import type { NodeTurns } from "../http/feature.ts"
import type { Membership } from "./membership.ts"
import type { DecisionsWriter } from "./ports.ts"
import { typedCommand } from "@assay/runtime/typed-command"

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
  /** Tells other nodes up to when all decisions are in the store. */
  readonly noting: Membership["noting"]
  readonly turns: NodeTurns
  readonly log: Log
  readonly now: () => number
  readonly patienceMs?: number
}

const FOLD_MS = 1000
/** Other nodes may wait for it: whoever asks one of them for a decision does. */
const SHARED_FOLD_MS = 500
/**
 * How long a start and a stop wait for a store that hangs. What it has not taken by then stays in
 * the journals.
 */
const PATIENCE_MS = 10_000

/**
 * Brings decisions into the store each second, and deletes the old ones once a day and at the
 * start. A store that is away costs nothing but room: decisions stay in the journals until it is
 * back.
 */
export async function keepDecisions(options: KeepingOptions): Promise<DecisionKeeping> {
  const { writer, days, log, now, noting, turns, patienceMs = PATIENCE_MS } = options
  let forgottenOn = ""

  async function fold(): Promise<void> {
    const { torn, damaged } = await noting(() => writer.fold())
    if (torn > 0)
      log.error("journal lines were not written in whole and are skipped", { count: torn })
    if (damaged > 0)
      log.error(`damaged journal files were set aside; ${typedCommand("doctor")} names them`, {
        count: damaged,
      })
  }
  async function forget(): Promise<void> {
    const today = dayOf(now())
    if (forgottenOn === today) return
    await turns.take("old decisions", async () => {
      const count = await writer.forgetBefore(dayOf(now() - days * DAY_MS))
      forgottenOn = today
      if (count > 0) log.info("old decisions were deleted", { count })
    })
  }

  // One of each at a time: a deletion that takes minutes would otherwise start again each second,
  // in PostgreSQL on one more connection each time, until there are none left.
  let keeping: Promise<void> | null = null
  let forgetting: Promise<void> | null = null
  /**
   * In this order: decisions of an old journal may be too old already. Folding does not wait for a
   * deletion.
   */
  const keep = (): Promise<void> =>
    (keeping ??= fold()
      .then(() => {
        forgetting ??= forget()
          .catch((error: unknown) => log.error("old decisions could not be deleted", { error }))
          .finally(() => (forgetting = null))
      })
      .catch((error: unknown) => {
        log.error("decisions could not be brought into the store and stay in the journals", {
          error,
        })
      })
      .finally(() => (keeping = null)))

  async function patiently(work: () => Promise<void>): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => {
      log.warn("decisions are still being brought into the store or deleted")
      resolve(undefined)
    }, patienceMs)
    await Promise.race([work(), over]).finally(() => clearTimeout(timer))
  }

  await patiently(async () => {
    await keep()
    await forgetting
  })
  const timer = setInterval(() => void keep(), turns.alone ? FOLD_MS : SHARED_FOLD_MS)
  return {
    fold,
    async stop() {
      clearInterval(timer)
      await patiently(async () => {
        // The fold under way may have begun before the last decision came.
        await keeping
        await keep()
        await forgetting
      })
      await writer
        .close()
        .catch((error: unknown) => log.warn("decisions could not be closed", { error }))
    },
  }
}
