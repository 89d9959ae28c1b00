import { orProblem } from "../../or-problem.ts"
import { Problem } from "../../problem.ts"
import { type Call, RemoteError } from "../../process/rpc.ts"
import type { NotificationOutcome } from "../../stores/records-shared-observations.ts"
import type { NotificationDesk } from "./notifications-writer.ts"

/** The primary's writer of notifications, as a worker reaches it. */
export function remoteNotificationDesk(call: Call): NotificationDesk {
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
