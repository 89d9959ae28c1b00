import type { EventKind } from "@assay/core/contract"
import { EVENT_DAYS } from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import { eventId, newId } from "@assay/stores/event-id"
import type { LoggedAttempt } from "@assay/stores/records-deliveries"
import { RecordsError } from "@assay/stores/records-error"
import type { Webhook, WebhookPlace } from "@assay/stores/records-webhooks"
import { openSealer } from "../accounts/sealed.ts"
import { writerPort } from "../base/writer-port.ts"
import type { Deliveries, Primary, Settling } from "../http/feature.ts"
import { makeKeyPair, makeSharedSecret, WEBHOOK_SECRET } from "./signing.ts"

/** Whose webhooks are meant, and who asks. */
export interface Asker {
  /** null: those of the service itself. */
  readonly tenantId: number | null
  readonly actor: string
  /** For the audit trail. */
  readonly requestId: string
}

interface OfWebhook extends Asker {
  readonly id: string
}

/** What its owner is told once. */
export interface SignedBy {
  readonly secret: string
  readonly publicKey: string | null
}

export interface WebhookAsked {
  readonly url: string
  readonly description: string
  readonly kinds: readonly EventKind[]
  readonly withKeyPair: boolean
}

/** Why nothing was changed. */
export type Refused = "not-found" | "too-many" | "refused" | "disabled"

export interface Queued {
  readonly queued: number
}

/** What changes webhooks and sends to them, in the primary. One of another owner is not found. */
export interface WebhookKeeper {
  create(of: Asker & WebhookAsked): Promise<(SignedBy & { webhook: Webhook }) | Refused>
  change(
    of: OfWebhook & Partial<Omit<WebhookAsked, "withKeyPair">> & { readonly enabled?: boolean },
  ): Promise<Webhook | Refused>
  remove(of: OfWebhook): Promise<boolean>
  rotate(
    of: OfWebhook & {
      readonly overlapMs: number
      /** Signs by a key pair too from now on; one that does so already goes on in any case. */
      readonly withKeyPair?: boolean
    },
  ): Promise<SignedBy | Refused>
  test(of: OfWebhook): Promise<LoggedAttempt | Refused>
  /** Sends one delivery again, once. */
  repeat(of: OfWebhook & { readonly deliveryId: string }): Promise<LoggedAttempt | Refused>
  replay(
    of: OfWebhook & {
      readonly since: number
      readonly until: number
      readonly kinds?: readonly EventKind[]
      readonly delivered: boolean
      readonly perSecond: number
    },
  ): Promise<Queued | Refused>
}

export const webhooksPort = writerPort<WebhookKeeper>(
  "webhooks",
  {
    create: true,
    change: true,
    remove: true,
    rotate: true,
    test: true,
    repeat: true,
    replay: true,
  },
  // A test waits for the receiver's answer.
  { failed: "The webhooks cannot be changed", answerMs: 60_000 },
)

/** Few enough that others who add events do not wait long. */
const REPLAYED_AT_ONCE = 500
const FORGOTTEN_AT_ONCE = 1_000

export async function openWebhooksWriter({
  records,
  deliveries,
  secrets: { subkeys },
  now,
}: Pick<Primary, "records" | "secrets" | "now"> & {
  readonly deliveries: Pick<Deliveries, "begin" | "refusalOf" | "shoot">
}): Promise<WebhookKeeper & Settling> {
  const sealer = openSealer(subkeys["sealed-identity"], WEBHOOK_SECRET)
  let begun = false

  return {
    async create({ url, description, kinds, withKeyPair, ...by }) {
      if ((await deliveries.refusalOf(url)) !== null) return "refused"
      const id = newId("whk_")
      const shared = makeSharedSecret(sealer, id)
      const pair = withKeyPair ? makeKeyPair(sealer, id) : null
      const secrets = [shared.secret, ...(pair === null ? [] : [pair.secret])]
      try {
        const webhook = await records.createWebhook({
          ...{ ...by, at: now(), id, url, description, kinds, secrets },
        })
        return { webhook, secret: shared.text, publicKey: pair?.text ?? null }
      } catch (error) {
        if (error instanceof RecordsError && error.code === "name-taken") return "too-many"
        throw error
      }
    },

    async change(of) {
      const { url } = of
      if (url !== undefined && (await deliveries.refusalOf(url)) !== null) return "refused"
      return (await records.changeWebhook({ ...of, at: now() })) ?? "not-found"
    },

    remove: (of) => records.deleteWebhook({ ...of, at: now() }),

    async rotate({ overlapMs, withKeyPair = false, ...of }) {
      const webhook = await records.webhook(of)
      if (webhook === null) return "not-found"
      const at = now()
      const rotation = { ...of, at, overlapUntil: at + overlapMs }
      const shared = makeSharedSecret(sealer, of.id)
      if (!(await records.rotateSecret({ ...rotation, secret: shared.secret }))) return "not-found"
      if (!withKeyPair && !webhook.schemes.includes("v1a"))
        return { secret: shared.text, publicKey: null }
      const pair = makeKeyPair(sealer, of.id)
      if (!(await records.rotateSecret({ ...rotation, secret: pair.secret }))) return "not-found"
      return { secret: shared.text, publicKey: pair.text }
    },

    async test(of) {
      const webhook = await records.webhook(of)
      if (webhook === null) return "not-found"
      const delivery = await records.addTest(placeOf(of), {
        id: eventId(),
        tenantId: of.tenantId,
        kind: "webhook.test",
        at: now(),
        ref: null,
        identityKey: null,
        sealed: null,
        data: { webhook_id: of.id },
      })
      if (delivery === null) return "not-found"
      return await deliveries.shoot({ delivery, url: webhook.url, cause: "test" })
    },

    async repeat({ deliveryId, ...of }) {
      const webhook = await records.webhook(of)
      if (webhook === null) return "not-found"
      const delivery = await records.deliveryToRepeat({ ...placeOf(of), deliveryId })
      if (delivery === null) return "not-found"
      return await deliveries.shoot({ delivery, url: webhook.url, cause: "replay" })
    },

    async replay({ since, until, kinds, delivered, perSecond, ...of }) {
      const webhook = await records.webhook(of)
      if (webhook === null) return "not-found"
      if (webhook.disabled !== null) return "disabled"
      const at = now()
      let queued = 0
      for (let after: number | null = 0; after !== null;) {
        const done = await records.queueReplay({
          ...{ ...placeOf(of), at, since, until, delivered, perSecond, after, queued },
          ...(kinds && { kinds }),
          limit: REPLAYED_AT_ONCE,
        })
        ;({ queued, after } = done)
      }
      await records.noteReplay({ ...of, at, queued })
      return { queued }
    },

    /** Nothing is sent, and no thread runs for it, before somebody is there to be called. */
    async settleDue() {
      if (begun || !(await records.hasEnabledWebhook())) return
      await deliveries.begin()
      begun = true
    },
    async forget() {
      const before = now() - EVENT_DAYS * DAY_MS
      const some = { before, rowsMax: FORGOTTEN_AT_ONCE }
      while ((await records.forgetEvents(some)) === FORGOTTEN_AT_ONCE);
    },
  }
}

function placeOf({ tenantId, id }: OfWebhook): WebhookPlace {
  return { tenantId, id }
}
