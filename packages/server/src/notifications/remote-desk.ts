import { orProblem } from "../base/or-problem.ts"
import { Problem } from "../base/problem.ts"
import { type Call, RemoteError } from "@assay/runtime/rpc"
import type { NotificationOutcome } from "@assay/stores/records-shared-observations"
import type { NotificationIntake } from "../intake/notifications-writer.ts"

/** The primary's writer of notifications, as a worker reaches it. */
export function remoteNotifications(call: Call): NotificationIntake {
  return {
    async submit(observation) {
      try {
        return (await orProblem(call("submitNotification", observation))) as NotificationOutcome
      } catch (error) {
        if (!(error instanceof RemoteError) || error.code !== "rate-limited") throw error
        throw new Problem("rate-limited", "Nothing was stored.", {
          headers: { "retry-after": "1" },
        })
      }
    },
  }
}
