import {
  FEEDBACK_ID_PATTERN,
  type FeedbackReceipt,
  type FeedbackRequest,
} from "@assay/core/contract"
import { type AttemptOptions, answeredInTime } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import { checkedKey, newKey } from "./idempotency-key.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, sender } from "./request.ts"
import { answerOf } from "./response.ts"

export interface FeedbackOptions extends CallOptions {
  /**
   * Under one key the service carries a request out once, however often it arrives within 24 hours:
   * 1 to 255 visible ASCII characters. Unless given, each call makes one of its own, so that its
   * retries are safe.
   */
  readonly idempotencyKey?: string
}

const PATH = "/api/v1/feedback"
/**
 * The service answers when its disks have the feedback; nobody is waiting at a sign-in meanwhile.
 */
const TIMEOUT_MS = 5000
const ID = new RegExp(FEEDBACK_ID_PATTERN)

/**
 * Reports what became of an identity. Rejects whatever `failover` says: nothing can stand in for
 * having been heard.
 */
export async function sendFeedback(
  settings: Settings<Failover>,
  feedback: FeedbackRequest,
  options: FeedbackOptions = {},
): Promise<FeedbackReceipt> {
  const { idempotencyKey = newKey() } = options
  const headers = { "idempotency-key": checkedKey(idempotencyKey) }
  const { requestId } = options
  const send = sender(settings, { method: "POST", path: PATH, requestId, headers })
  const body = JSON.stringify(feedback)
  return await answeredInTime(patient(settings, options), async (limit) => {
    const answer = await answerOf(await send(body, limit), 202, isReceipt)
    return answer as FeedbackReceipt
  })
}

/** Takes feedback back by the id it was acknowledged with. Doing it again changes nothing. */
export async function undoFeedback(
  settings: Settings<Failover>,
  id: string,
  options: CallOptions = {},
): Promise<void> {
  // Also keeps what is no id, such as an identity passed by mistake, out of a path that proxies
  // log.
  if (!ID.test(id)) throw new TypeError("id takes an id that sendFeedback resolved to")
  const { requestId } = options
  const send = sender(settings, { method: "DELETE", path: `${PATH}/${id}`, requestId })
  await answeredInTime(
    patient(settings, options),
    async (limit) => await answerOf(await send(null, limit), 204, () => true),
  )
}

function isReceipt(body: Readonly<Record<string, unknown>> | null): boolean {
  return typeof body?.["id"] === "string" && ID.test(body["id"])
}

function patient(settings: Settings<Failover>, options: CallOptions): AttemptOptions {
  return {
    timeoutMs: options.timeoutMs ?? Math.max(settings.timeoutMs, TIMEOUT_MS),
    retries: settings.retries,
    signal: options.signal,
    repeatable: true,
  }
}
