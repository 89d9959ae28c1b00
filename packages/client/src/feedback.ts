import {
  FEEDBACK_ID_PATTERN,
  type FeedbackReceipt,
  type FeedbackRequest,
} from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import { checkedKey, newKey } from "./idempotency-key.ts"
import type { Settings } from "./options.ts"
import type { CallOptions } from "./request.ts"
import { answerOf } from "./response.ts"

export interface FeedbackOptions extends CallOptions {
  /**
   * The service carries out a request once per key, however often it arrives within 24 hours. 1 to
   * 255 visible ASCII characters. Unless given, each call makes its own, so that its retries are
   * safe.
   */
  readonly idempotencyKey?: string
}

const PATH = "/api/v1/feedback"
/** The service answers once the feedback is on its disks; nobody waits at a sign-in meanwhile. */
const TIMEOUT_MS = 5000
const ID = new RegExp(FEEDBACK_ID_PATTERN)

/**
 * Reports what became of an identity. Rejects whatever `failover` says, because the caller must
 * know whether the report arrived.
 */
export async function sendFeedback(
  settings: Settings<Failover>,
  feedback: FeedbackRequest,
  options: FeedbackOptions = {},
): Promise<FeedbackReceipt> {
  const { idempotencyKey = newKey() } = options
  const question = {
    ...patient(settings),
    method: "POST",
    path: PATH,
    headers: { "idempotency-key": checkedKey(idempotencyKey) },
    body: JSON.stringify(feedback),
  } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 202, isReceipt),
  )) as FeedbackReceipt
}

/** Takes feedback back by the id it was acknowledged with. Doing it again changes nothing. */
export async function undoFeedback(
  settings: Settings<Failover>,
  id: string,
  options: CallOptions = {},
): Promise<void> {
  // Also keeps anything that is no id, such as an identity passed by mistake, out of a path that
  // proxies log.
  if (!ID.test(id)) throw new TypeError("id takes an id that sendFeedback resolved to")
  const question = { ...patient(settings), method: "DELETE", path: `${PATH}/${id}` } as const
  await ask(settings, question, options, (response) => answerOf(response, 204, () => true))
}

function isReceipt(body: Readonly<Record<string, unknown>> | null): boolean {
  return typeof body?.["id"] === "string" && ID.test(body["id"])
}

function patient({ timeoutMs }: Settings<Failover>): { timeoutMs: number; repeatable: true } {
  return { timeoutMs: Math.max(timeoutMs, TIMEOUT_MS), repeatable: true }
}
