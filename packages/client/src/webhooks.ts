import type {
  DeliveryAttempt,
  DeliveryDetails,
  Delivery,
  DeliveryList,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookReplay,
  WebhookReplayed,
  WebhookRequest,
  WebhookRotation,
  WebhookSecrets,
} from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

export interface DeliveryFilter {
  readonly status?: Delivery["status"]
  /** The `next` of the page before. */
  readonly before?: string
  readonly limit?: number
}

/** Where events are sent, what was sent, and sending it again. */
export interface WebhookCalls {
  list(options?: CallOptions): Promise<WebhookList>
  /** The only answers that hold a secret are those of this one and of `rotate`. */
  create(request: WebhookRequest, options?: CallOptions): Promise<NewWebhook>
  get(id: string, options?: CallOptions): Promise<Webhook>
  change(id: string, change: WebhookChange, options?: CallOptions): Promise<Webhook>
  delete(id: string, options?: CallOptions): Promise<void>
  rotate(id: string, rotation?: WebhookRotation, options?: CallOptions): Promise<WebhookSecrets>
  /** Sends an event for a trial and says what came of it. */
  test(id: string, options?: CallOptions): Promise<DeliveryAttempt>
  /** Queues events of a time again. */
  replay(id: string, replay: WebhookReplay, options?: CallOptions): Promise<WebhookReplayed>
  /** The newest first; `next` of one page as `before` asks for the next one. */
  deliveries(id: string, page?: DeliveryFilter, options?: CallOptions): Promise<DeliveryList>
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryDetails>
  /** Sends a delivery again, once, and says what came of it. */
  replayDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<DeliveryAttempt>
}

export function webhookCalls(send: Send): WebhookCalls {
  const of = (id: string): string => `/webhooks/${idIn(id)}`
  const deliveryOf = (id: string, deliveryId: string): string =>
    `${of(id)}/deliveries/${idIn(deliveryId)}`
  return {
    list: (options) => send("GET", "/webhooks", "webhooks", { options }),
    create: (body, options) => send("POST", "/webhooks", "webhook", { body, options }),
    get: (id, options) => send("GET", of(id), "id", { options }),
    change: (id, body, options) => send("PATCH", of(id), "id", { body, options, repeatable: true }),
    delete: async (id, options) => void (await send("DELETE", of(id), null, { options })),
    rotate: (id, body = {}, options) =>
      send("POST", `${of(id)}/rotate`, "secret", { body, options }),
    test: (id, options) => send("POST", `${of(id)}/test`, "cause", { options }),
    replay: (id, body, options) => send("POST", `${of(id)}/replay`, "queued", { body, options }),
    deliveries: (id, page = {}, options) =>
      send("GET", `${of(id)}/deliveries${query({ ...page })}`, "deliveries", { options }),
    delivery: (id, deliveryId, options) =>
      send("GET", deliveryOf(id, deliveryId), "delivery", { options }),
    replayDelivery: (id, deliveryId, options) =>
      send("POST", `${deliveryOf(id, deliveryId)}/replay`, "cause", { options }),
  }
}
