import { BatchRefused, IndexUnavailable, type ExposureIndex } from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"
import type {
  NotificationOutcome,
  SharedObservation,
  SharedObservationRecords,
} from "@assay/stores/records-shared-observations"
import { openTurns } from "@assay/runtime/turns"
import { notificationApplier } from "./apply-notifications.ts"

/**
 * Takes notifications in. What is stored or known is in the next score of every tenant, from every
 * worker.
 */
export interface NotificationIntake {
  submit(observation: SharedObservation): Promise<NotificationOutcome>
}

export interface NotificationsWriter extends NotificationIntake {
  /** Applies what is due: what an earlier process or a failing index left undone. */
  settleDue(): Promise<void>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

/** More notifications than the writer can store; this one was not. */
export class NotificationOverload extends Error {
  override readonly name = "NotificationOverload"
  readonly code = "overloaded"
}

/** A carrier sends more in a second than it may; this one was not stored. */
export class NotificationRate extends Error {
  override readonly name = "NotificationRate"
  readonly code = "rate-limited"
}

/**
 * The most notifications of one carrier in a second. Among 50 million lines a SIM changes about
 * every four seconds; this leaves room for what was held back for a while.
 */
export const NOTIFICATIONS_PER_SECOND = 500

interface WriterOptions {
  readonly records: SharedObservationRecords
  readonly index: ExposureIndex
  readonly now: () => number
  /**
   * Drops what is remembered of an identity, by its key in hexadecimal: the index says something
   * newer. Never rejects.
   */
  readonly forget?: (key: string) => Promise<void>
  readonly perSecond?: number
  /**
   * More than this waiting of one carrier means that they come faster than disks can take them.
   */
  readonly waitingMax?: number
}

interface Waiting {
  readonly observation: SharedObservation
  readonly stored: (outcome: NotificationOutcome) => void
  readonly failed: (error: unknown) => void
}

/**
 * The one writer of notifications, in the primary. They are first written to the records, then to
 * the index, and only then acknowledged: a process that dies in between leaves rows that are due,
 * and the next one finds them. Those that come while others are written go together with the next
 * write, since each one waits for the disk; carriers take turns in filling it, so that none waits
 * behind all that another sent.
 */
export function openNotificationsWriter(options: WriterOptions): NotificationsWriter {
  const { records, index, now, forget = async () => undefined } = options
  const { perSecond = NOTIFICATIONS_PER_SECOND, waitingMax = 2_000 } = options
  const apply = notificationApplier(records, index)
  const turns = openTurns()
  const rates = openRates(perSecond, now)
  const waiting = new Map<string, Waiting[]>()
  let scheduled = false

  const applyDue = async (): Promise<void> => {
    const about = await apply(now())
    await Promise.all(about.map((key) => forget(Buffer.from(key).toString("hex"))))
  }

  const storeWaiting = async (): Promise<void> => {
    scheduled = false
    const together = takenInTurn(waiting, TOGETHER_MAX)
    if (waiting.size > 0) schedule()
    try {
      const outcomes = await faultsNamed(async () => {
        const observations = together.map(({ observation }) => observation)
        const found = await records.addSharedObservations(observations, now())
        // Also where all of it was known: it may still be due after a failure.
        await applyDue()
        return found
      })
      together.forEach(({ stored }, i) => stored(outcomes[i] as NotificationOutcome))
    } catch (error) {
      for (const { failed } of together) failed(error)
    }
  }

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    void turns.take(storeWaiting)
  }

  return {
    async submit(observation) {
      const own = waiting.get(observation.source) ?? []
      if (own.length >= waitingMax)
        throw new NotificationOverload("Too many notifications are waiting")
      if (!rates.admit(observation.source))
        throw new NotificationRate("The carrier sends too many notifications")
      return await new Promise<NotificationOutcome>((stored, failed) => {
        own.push({ observation, stored, failed })
        waiting.set(observation.source, own)
        schedule()
      })
    },

    settleDue: () => turns.take(() => faultsNamed(applyDue)),

    idle: turns.idle,
  }
}

/** Notifications of one write: more would keep the next carrier's waiting. */
const TOGETHER_MAX = 500

/** Takes up to `most` out of the queues, one of each in turn. Empty queues are removed. */
function takenInTurn<T>(queues: Map<string, T[]>, most: number): T[] {
  const taken: T[] = []
  const rounds = [...queues].map(([name, queue]) => ({ name, queue, next: 0 }))
  for (let before = -1; before < taken.length && taken.length < most;) {
    before = taken.length
    for (const round of rounds) {
      const one = round.queue[round.next]
      if (one === undefined || taken.length === most) continue
      taken.push(one)
      round.next++
    }
  }
  for (const { name, queue, next } of rounds) {
    queue.splice(0, next)
    if (queue.length === 0) queues.delete(name)
  }
  return taken
}

const WINDOW_MS = 1000

/**
 * Counts in windows of a second that begin with the first of them, by source. One that begins after
 * now is of a clock that was set back since, and over: it would keep the carrier out until that
 * time comes round again.
 */
function openRates(perSecond: number, now: () => number): { admit(source: string): boolean } {
  const windows = new Map<string, { readonly startedAt: number; count: number }>()
  return {
    admit(source) {
      const at = now()
      let window = windows.get(source)
      if (window === undefined || at < window.startedAt || at >= window.startedAt + WINDOW_MS) {
        window = { startedAt: at, count: 0 }
        windows.set(source, window)
      }
      if (window.count >= perSecond) return false
      window.count++
      return true
    },
  }
}

async function faultsNamed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A source that is removed at this moment begins anew with the next try.
    const passes = error instanceof IndexUnavailable || error instanceof BatchRefused
    if (!passes) throw error
    throw new RecordsError("unavailable", "The index cannot be written", { cause: error })
  }
}
