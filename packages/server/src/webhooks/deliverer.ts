import { randomUUID } from "node:crypto"
import { endablePause } from "@assay/runtime/endable-pause"
import {
  type GuardedPosts,
  type PostAnswer,
  PostFailed,
} from "@assay/runtime/outbound/guarded-post"
import type { Secrets } from "@assay/runtime/secrets"
import type {
  Attempt,
  AttemptCause,
  ClaimedDelivery,
  LoggedAttempt,
} from "@assay/stores/records-deliveries"
import type { Records } from "@assay/stores/records"
import { openSealer } from "../accounts/sealed.ts"
import { openEventBodies } from "../intake/event-body.ts"
import { planAfter } from "./attempt-plan.ts"
import { signatureOf, WEBHOOK_SECRET } from "./signing.ts"

/** What the deliverer needs of the records. */
export type Outbox = Pick<
  Records,
  | "dueWebhooks"
  | "claimDeliveries"
  | "releaseDeliveries"
  | "settleDelivery"
  | "liveSecrets"
  | "logShot"
  | "pendingDeliveries"
>

/** An attempt that somebody asked for. */
export interface Shot {
  readonly delivery: ClaimedDelivery
  readonly url: string
  readonly cause: Exclude<AttemptCause, "schedule">
}

export interface Deliverer {
  refusalOf: GuardedPosts["refusalOf"]
  /** Sends once and notes it, whatever state the webhook is in. */
  shoot(shot: Shot): Promise<LoggedAttempt>
  /** Looks for what is due at once. */
  look(): void
  /** Waits for what is being sent, gives the rest back, and sends nothing more. */
  stop(): Promise<void>
}

export interface DelivererOptions {
  readonly outbox: Outbox
  readonly posts: GuardedPosts
  readonly subkeys: Secrets["subkeys"]
  readonly retryMs: readonly number[]
  /** How long an attempt may take. */
  readonly timeoutMs: number
  readonly version: string
  readonly now: () => number
  readonly countAttempt: (result: "delivered" | "failed" | "given-up") => void
  readonly failed: (error: unknown) => void
}

/**
 * How often it is looked for what another service on the same database wrote, or planned before it
 * ended: of events written here this is told, and retries planned here it knows.
 */
const LOOK_MS = 1_000
/** After the records could not be asked. */
const REST_MS = 1_000
/** One slow receiver keeps so many waiting and no more. */
const AT_ONCE_PER_WEBHOOK = 8
const AT_ONCE = 128

/** Empties the outbox: claims what is due, sends it and notes what came of it. */
export function openDeliverer(options: DelivererOptions): Deliverer {
  const { outbox, posts, retryMs, timeoutMs, version, now, countAttempt, failed } = options
  const sealer = openSealer(options.subkeys["sealed-identity"], WEBHOOK_SECRET)
  const bodyOf = openEventBodies(options.subkeys)
  const userAgent = `Assay/${version}`
  // Long enough for an attempt and for noting it, so that no other sends it meanwhile.
  const leaseMs = 2 * timeoutMs + 5_000
  const sending = new Map<string, Set<Promise<void>>>()
  const pausedUntil = new Map<string, number>()
  let stopped = false
  const wasWoken = (): boolean => woken
  const isStopped = (): boolean => stopped
  /** The soonest of the retries planned here; the records know all of them. */
  let nextRetryAt = Infinity
  let woken = false
  const { pause, end: endPause } = endablePause()
  const wake = (): void => {
    woken = true
    endPause()
  }

  const countSending = (): number => [...sending.values()].reduce((sum, of) => sum + of.size, 0)

  async function attempt(url: string, { webhookId, event }: ClaimedDelivery) {
    const startedAt = now()
    const timestamp = Math.floor(startedAt / 1000)
    const body = JSON.stringify(bodyOf(event))
    // Signed when it is sent: a secret that was rotated since the event happened counts.
    const secrets = await outbox.liveSecrets({ webhookId, at: startedAt })
    const signature = signatureOf(sealer, secrets, { id: event.id, timestamp, body })
    const done = (answer: PostAnswer | null, error: string | null) => {
      const at = now()
      const noted: Attempt = {
        at,
        status: answer?.status ?? null,
        error,
        durationMs: Math.max(0, at - startedAt),
        // Answers of an internal network are not for whoever owns the webhook to read.
        response: answer?.isPublic === true ? answer.body : null,
      }
      return { answer, noted }
    }
    if (signature === null) return done(null, "no-secret")
    try {
      const headers = {
        "content-type": "application/json",
        "user-agent": userAgent,
        "webhook-id": event.id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signature,
      }
      return done(await posts.post(url, headers, body), null)
    } catch (error) {
      if (error instanceof PostFailed) return done(null, error.code)
      throw error
    }
  }

  async function deliver(url: string, delivery: ClaimedDelivery): Promise<void> {
    const { id, claim, webhookId } = delivery
    const { answer, noted } = await attempt(url, delivery)
    const plan = planAfter(answer, delivery.attempt, {
      ...{ retryMs, now: noted.at, random: Math.random() },
    })
    if (typeof plan.then === "object") nextRetryAt = Math.min(nextRetryAt, plan.then.retryAt)
    if (plan.pausedUntil !== null) pausedUntil.set(webhookId, plan.pausedUntil)
    await outbox.settleDelivery({ id, claim, ...noted, then: plan.then })
    countAttempt(typeof plan.then === "object" ? "failed" : resultOf(plan.then))
  }

  function begin(url: string, delivery: ClaimedDelivery): void {
    const { webhookId } = delivery
    const own = sending.get(webhookId) ?? new Set()
    sending.set(webhookId, own)
    const work = deliver(url, delivery)
      // What could not be noted is sent again once its claim has run out.
      .catch(failed)
      .finally(() => {
        own.delete(work)
        if (own.size === 0) sending.delete(webhookId)
        wake()
      })
    own.add(work)
  }

  async function round(): Promise<void> {
    const at = now()
    for (const [id, until] of pausedUntil) if (until <= at) pausedUntil.delete(id)
    const due = await outbox.dueWebhooks(at)
    for (const { id: webhookId, url } of due) {
      const busy = sending.get(webhookId)?.size ?? 0
      const limit = Math.min(AT_ONCE_PER_WEBHOOK - busy, AT_ONCE - countSending())
      if (limit <= 0 || pausedUntil.has(webhookId)) continue
      const claim = randomUUID()
      const claimed = await outbox.claimDeliveries({
        ...{ webhookId, at, until: at + leaseMs, claim, limit },
      })
      if (isStopped()) {
        await outbox.releaseDeliveries(claimed)
        return
      }
      for (const delivery of claimed) begin(url, delivery)
    }
  }

  const running = (async () => {
    while (!isStopped()) {
      try {
        woken = false
        if (nextRetryAt <= now()) nextRetryAt = Infinity
        await round()
        // What was added during the round may have come too late for it.
        if (!isStopped() && !wasWoken())
          await pause(Math.min(LOOK_MS, Math.max(0, nextRetryAt - now())))
      } catch (error) {
        failed(error)
        if (!isStopped()) await pause(REST_MS)
      }
    }
  })()

  return {
    refusalOf: (url) => posts.refusalOf(url),
    look: wake,
    async shoot({ delivery, url, cause }) {
      const { answer, noted } = await attempt(url, delivery)
      const delivered = answer !== null && answer.status >= 200 && answer.status < 300
      const logged = { ...noted, cause }
      await outbox.logShot({ ...logged, deliveryId: delivery.id, delivered })
      return logged
    },
    async stop() {
      stopped = true
      wake()
      await running
      await Promise.all([...sending.values()].flatMap((of) => [...of]))
      posts.close()
    },
  }
}

function resultOf(then: "delivered" | "given-up" | "gone"): "delivered" | "given-up" {
  return then === "delivered" ? "delivered" : "given-up"
}
