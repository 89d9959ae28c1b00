import { DecisionDetails } from "@assay/core/contract"
import { answeredInTime } from "./attempts.ts"
import type { ScoreOptions } from "./score-options.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { sender } from "./request.ts"
import { resultOf } from "./response.ts"

/**
 * A past decision, computed again. Rejects whatever `failover` says: nothing can stand in for what
 * was decided.
 */
export async function getDecision(
  settings: Settings<Failover>,
  id: string,
  { explain = false, signal, timeoutMs = settings.timeoutMs, requestId }: ScoreOptions = {},
): Promise<DecisionDetails> {
  const path = `/api/v1/decisions/${encodeURIComponent(id)}${explain ? "?explain=true" : ""}`
  const send = sender(settings, { method: "GET", path, requestId })
  const members = DecisionDetails.required
  const found = await answeredInTime(
    { timeoutMs, retries: settings.retries, signal, repeatable: true },
    async (limit) =>
      await resultOf(await send(null, limit), {
        members: explain ? [...members, "explanation"] : members,
        echo: ["id", id],
        scoreIn: "recorded",
      }),
  )
  return found as DecisionDetails
}
