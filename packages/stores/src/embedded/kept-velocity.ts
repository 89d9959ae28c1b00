import type { Log } from "@assay/runtime/log"
import { HOUR_MS } from "@assay/runtime/time"
import type { Counters } from "../counters.ts"
import type { EmbeddedCounters } from "./counters.ts"
import { openSignupJournal } from "./signup-journal.ts"

export interface KeptVelocity extends Pick<Counters, "velocity"> {
  close(): Promise<void>
}

interface KeptVelocityOptions {
  readonly counters: EmbeddedCounters
  readonly directory: string
  readonly now: () => number
  readonly log: Log
}

/**
 * The counters' velocity, with the sign-ups of the last 24 hours put back and every new one kept on
 * disk.
 */
export async function keptVelocity(options: KeptVelocityOptions): Promise<KeptVelocity> {
  const { counters, log } = options
  const journal = openSignupJournal(options)
  const forget = (): void => {
    counters.forgetSignups()
    try {
      journal.forget()
    } catch (error) {
      log.error("old files of sign-ups could not be deleted", { error })
    }
  }
  forget()
  await journal.replay((event) => counters.velocity(event))
  const forgetting = setInterval(forget, HOUR_MS)
  return {
    async velocity(event) {
      const counts = await counters.velocity(event)
      if (event.isRecorded) {
        try {
          await journal.append(event)
        } catch (error) {
          // The count is right as long as this process lives; a full disk must not take it from the
          // caller.
          log.error("a sign-up could not be written and will not outlive this process", { error })
        }
      }
      return counts
    },
    async close() {
      clearInterval(forgetting)
      // Every line is written already; what fails here is the last sync, and the records are still
      // to be closed.
      await journal
        .close()
        .catch((error: unknown) => log.error("sign-ups could not be synced", { error }))
    },
  }
}
