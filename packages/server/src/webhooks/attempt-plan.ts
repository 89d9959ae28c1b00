import type { PostAnswer } from "@assay/runtime/outbound/guarded-post"
import { readRetryAfter } from "@assay/runtime/outbound/retry-after"
import type { Settlement } from "@assay/stores/records-deliveries"

/** Statuses by which a receiver says that it has too much to do. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])
const BUSY_MS = 5_000
/** Retries of what failed together come apart by up to this share of the wait. */
const JITTER = 0.1

export interface Plan {
  readonly then: Settlement["then"]
  /** Until when the webhook gets nothing else either; null: it may. */
  readonly pausedUntil: number | null
}

export interface PlanOptions {
  /** The waits between attempts, one after the other. */
  readonly retryMs: readonly number[]
  readonly now: number
  /** From 0 to 1. */
  readonly random: number
}

/** What comes after an attempt; `answer` is null where none came. */
export function planAfter(
  answer: Pick<PostAnswer, "status" | "retryAfter"> | null,
  failedBefore: number,
  { retryMs, now, random }: PlanOptions,
): Plan {
  const status = answer?.status ?? 0
  if (status >= 200 && status < 300) return { then: "delivered", pausedUntil: null }
  if (status === 410) return { then: "gone", pausedUntil: null }
  const asked = answer?.retryAfter == null ? null : readRetryAfter(answer.retryAfter, now)
  const pausedUntil = asked ?? (BUSY.has(status) ? now + BUSY_MS : null)
  const wait = retryMs[failedBefore]
  if (wait === undefined) return { then: "given-up", pausedUntil }
  const retryAt = now + Math.round(wait * (1 + JITTER * random))
  return { then: { retryAt: Math.max(retryAt, asked ?? 0) }, pausedUntil }
}
