import {
  DELIVERIES_LISTED,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryList,
  DeliveryListQuery,
  DeliveryParams,
  type Delivery as DeliveryAnswer,
  NewWebhook,
  REPLAY_PER_SECOND,
  Webhook as WebhookAnswer,
  WebhookChange,
  WebhookKeys,
  WebhookList,
  WebhookParams,
  WebhookReplay,
  WebhookReplayed,
  WebhookRequest,
  WebhookRotation,
  WebhookSecrets,
} from "@assay/core/contract"
import { parseTime } from "@assay/runtime/rfc3339"
import { HOUR_MS } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import type { Delivery, LoggedAttempt } from "@assay/stores/records-deliveries"
import { type Webhook, WEBHOOKS_MAX } from "@assay/stores/records-webhooks"
import type { FastifyRequest } from "fastify"
import type { Secrets } from "@assay/runtime/secrets"
import { actorOf } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { refusal, refuseIdentity } from "../http/refusal.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { type Cursors, openCursors } from "../intake/event-cursor.ts"
import {
  type Asker,
  openWebhooksWriter,
  type Refused,
  type WebhookKeeper,
  webhooksPort,
} from "./webhooks.ts"

const common = { tags: ["Webhooks"], security: [{ apiKey: [] }, { session: [] }] }
const OVERLAP_HOURS = 24
const ATTEMPTS_SHOWN = 100

const listSchema = {
  ...common,
  operationId: "listWebhooks",
  summary: "List your webhooks",
  response: { 200: named(WebhookList, "Without secrets."), ...failures(...FAILURES_OF_READING) },
}

const createSchema = {
  ...common,
  operationId: "createWebhook",
  summary: "Have events sent to a URL",
  description:
    "Attempts follow Standard Webhooks 1.0. Events from then on are sent; those before come by a replay.",
  body: named(WebhookRequest),
  response: {
    201: named(NewWebhook, "The webhook, and what it is signed by, shown this once."),
    ...failures("webhooks-exceeded", "webhook-refused", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const getSchema = {
  ...common,
  operationId: "getWebhook",
  summary: "Look at a webhook",
  params: WebhookParams,
  response: {
    200: named(WebhookAnswer, "The webhook."),
    ...failures("not-found", "webhook-not-found", ...FAILURES_OF_READING),
  },
}

const changeSchema = {
  ...common,
  operationId: "changeWebhook",
  summary: "Change a webhook, or enable or disable it",
  params: WebhookParams,
  body: named(WebhookChange),
  response: {
    200: named(WebhookAnswer, "The webhook as it is now."),
    ...failures("not-found", "webhook-not-found", "webhook-refused", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const deleteSchema = {
  ...common,
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: "With its log. What waits for it is not sent.",
  params: WebhookParams,
  response: {
    204: { type: "null", description: "It is deleted." },
    ...failures("not-found", "webhook-not-found", ...FAILURES_OF_READING),
  },
}

const rotateSchema = {
  ...common,
  operationId: "rotateWebhookSecret",
  summary: "Replace what a webhook is signed by",
  description: "During the overlap every attempt carries a signature by each.",
  params: WebhookParams,
  body: named(WebhookRotation),
  response: {
    201: named(WebhookSecrets, "Shown this once."),
    ...failures("not-found", "webhook-not-found", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const testSchema = {
  ...common,
  operationId: "testWebhook",
  summary: "Send an event for a trial",
  description:
    "One event of the kind `webhook.test`, sent once, also to a disabled webhook. It counts for nothing else.",
  params: WebhookParams,
  response: {
    200: named(DeliveryAttempt, "What came of it."),
    ...failures("not-found", "webhook-not-found", ...FAILURES_OF_READING),
  },
}

const replaySchema = {
  ...common,
  operationId: "replayWebhook",
  summary: "Queue events of a time again",
  description:
    "Those that were not delivered, in their order and not faster than asked. They keep their ids, and are retried like others. A change of risk that a newer one has overtaken is left out.",
  params: WebhookParams,
  body: named(WebhookReplay),
  response: {
    202: named(WebhookReplayed, "They are queued."),
    ...failures(
      "not-found",
      "webhook-not-found",
      "webhook-is-disabled",
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  },
}

const deliveriesSchema = {
  ...common,
  operationId: "listDeliveries",
  summary: "List what was sent to a webhook, and what waits",
  params: WebhookParams,
  querystring: DeliveryListQuery,
  response: {
    200: named(DeliveryList, "Deliveries of the last 30 days."),
    ...failures("not-found", "webhook-not-found", "cursor-unknown", ...FAILURES_OF_READING),
  },
}

const deliverySchema = {
  ...common,
  operationId: "getDelivery",
  summary: "Look at a delivery and its attempts",
  params: DeliveryParams,
  response: {
    200: named(DeliveryDetails, "The delivery."),
    ...failures("not-found", "delivery-not-found", ...FAILURES_OF_READING),
  },
}

const repeatSchema = {
  ...common,
  operationId: "replayDelivery",
  summary: "Send a delivery again, once",
  description:
    "With the same id, also to a disabled webhook. If it fails nothing changes; it counts neither for retries nor for disabling.",
  params: DeliveryParams,
  response: {
    200: named(DeliveryAttempt, "What came of it."),
    ...failures("not-found", "delivery-not-found", ...FAILURES_OF_READING),
  },
}

const keysSchema = {
  operationId: "getWebhookKeys",
  summary: "Public keys of webhooks that are signed by `v1a`",
  description: "A JSON Web Key Set (RFC 7517). Each webhook has keys of its own.",
  tags: ["Webhooks"],
  security: [],
  response: {
    200: named(WebhookKeys, "The keys that live."),
    ...failures("internal-error", "store-unavailable", "overloaded"),
  },
}

export interface WebhookServices {
  readonly webhookRecords: Pick<
    Records,
    "webhooks" | "webhook" | "deliveries" | "delivery" | "attempts" | "webhookKeys"
  >
  readonly secrets: Secrets
  readonly now: () => number
}

/** Where events are sent, what was sent, and sending it again. */
export const webhooks: Feature<WebhookServices, WebhookKeeper> = {
  routes: webhookRoutes,
  port: webhooksPort,
  writer: openWebhooksWriter,
}

function webhookRoutes(app: App, services: WebhookServices, keeper: WebhookKeeper): void {
  const { webhookRecords: records, secrets, now } = services
  // Opened by the first page: most workers are never asked for one.
  let opened: Cursors | undefined
  const cursors = (): Cursors => (opened ??= openCursors(secrets.subkeys.request))
  const textOf = (seq: number, owner: number | null): string =>
    cursors().textOf({ seq, atMs: now() }, owner)
  const positionOf = (text: string, owner: number | null): number => {
    const position = cursors().read(text, owner)
    if (position === null) throw new Problem("cursor-unknown", "Nothing was read.")
    return position.seq
  }
  const found = async (request: Pick<FastifyRequest, "caller">, id: string): Promise<Webhook> => {
    const webhook = await records.webhook({ tenantId: request.caller.tenantId, id })
    if (webhook === null) throw problemOf("not-found")
    return webhook
  }

  app.get("/api/v1/webhooks", { schema: listSchema }, async ({ caller }) => {
    const { tenantId } = caller
    return { webhooks: (await records.webhooks({ tenantId })).map(webhookBody) }
  })

  app.post("/api/v1/webhooks", { schema: createSchema }, async (request, reply) => {
    const { url, events: kinds, description = "", signatures } = request.body
    refuseIdentity("description", description)
    const withKeyPair = signatures?.includes("v1a") ?? false
    const made = await keeper.create({ ...askerOf(request), url, description, kinds, withKeyPair })
    if (typeof made === "string") throw problemOf(made)
    const { webhook, secret, publicKey } = made
    return reply.code(201).send({ webhook: webhookBody(webhook), secret, public_key: publicKey })
  })

  app.get("/api/v1/webhooks/:id", { schema: getSchema }, async (request) =>
    webhookBody(await found(request, request.params.id)),
  )

  app.patch("/api/v1/webhooks/:id", { schema: changeSchema }, async (request) => {
    const { events: kinds, ...body } = request.body
    if (body.description !== undefined) refuseIdentity("description", body.description)
    const changed = await keeper.change({
      ...askerOf(request),
      id: request.params.id,
      ...body,
      ...(kinds && { kinds }),
    })
    if (typeof changed === "string") throw problemOf(changed)
    return webhookBody(changed)
  })

  app.delete("/api/v1/webhooks/:id", { schema: deleteSchema }, async (request, reply) => {
    if (!(await keeper.remove({ ...askerOf(request), id: request.params.id })))
      throw problemOf("not-found")
    return reply.code(204).send(null)
  })

  app.post("/api/v1/webhooks/:id/rotate", { schema: rotateSchema }, async (request, reply) => {
    const overlapMs = (request.body.overlap_hours ?? OVERLAP_HOURS) * HOUR_MS
    const withKeyPair = request.body.signatures?.includes("v1a") ?? false
    const of = { ...askerOf(request), id: request.params.id }
    const made = await keeper.rotate({ ...of, overlapMs, withKeyPair })
    if (typeof made === "string") throw problemOf(made)
    return reply.code(201).send({ secret: made.secret, public_key: made.publicKey })
  })

  app.post("/api/v1/webhooks/:id/test", { schema: testSchema }, async (request) => {
    const sent = await keeper.test({ ...askerOf(request), id: request.params.id })
    if (typeof sent === "string") throw problemOf(sent)
    return attemptBody(sent)
  })

  app.post("/api/v1/webhooks/:id/replay", { schema: replaySchema }, async (request, reply) => {
    const { since, until, events: kinds, include_delivered, per_second } = request.body
    const outcome = await keeper.replay({
      ...askerOf(request),
      id: request.params.id,
      since: momentOf("since", since),
      until: until === undefined ? now() : momentOf("until", until),
      ...(kinds && { kinds }),
      delivered: include_delivered ?? false,
      perSecond: per_second ?? REPLAY_PER_SECOND,
    })
    if (typeof outcome === "string") throw problemOf(outcome)
    return reply.code(202).send(outcome)
  })

  app.get("/api/v1/webhooks/:id/deliveries", { schema: deliveriesSchema }, async (request) => {
    const { id: webhookId, tenantId } = await found(request, request.params.id)
    const { status, before } = request.query
    const after = before === undefined ? undefined : positionOf(before, tenantId)
    const limit = Number(request.query.limit ?? DELIVERIES_LISTED)
    const page = await records.deliveries({
      ...{ tenantId, webhookId, limit: limit + 1 },
      ...(status !== undefined && { status }),
      ...(after !== undefined && { before: after }),
    })
    const shown = page.slice(0, limit)
    const last = page.length > limit ? shown.at(-1) : undefined
    const next = last === undefined ? null : textOf(last.event.seq, tenantId)
    return { deliveries: shown.map(deliveryBody), next }
  })

  app.get(
    "/api/v1/webhooks/:id/deliveries/:delivery_id",
    { schema: deliverySchema },
    async ({ caller, params }) => {
      const { id, delivery_id: deliveryId } = params
      const delivery = await records.delivery({ tenantId: caller.tenantId, id, deliveryId })
      if (delivery === null) throw noDelivery()
      const attempts = await records.attempts({ deliveryId, limit: ATTEMPTS_SHOWN })
      return { delivery: deliveryBody(delivery), attempts: attempts.map(attemptBody) }
    },
  )

  app.post(
    "/api/v1/webhooks/:id/deliveries/:delivery_id/replay",
    { schema: repeatSchema },
    async (request) => {
      const { id, delivery_id: deliveryId } = request.params
      const sent = await keeper.repeat({ ...askerOf(request), id, deliveryId })
      if (typeof sent === "string") throw noDelivery()
      return attemptBody(sent)
    },
  )

  app.get("/.well-known/jwks.json", { schema: keysSchema }, async (_, reply) => {
    const keys = (await records.webhookKeys(now())).map(({ id, publicKey }) => ({
      ...{ kty: "OKP" as const, crv: "Ed25519" as const },
      x: Buffer.from(publicKey).toString("base64url"),
      ...{ kid: id, use: "sig" as const, alg: "EdDSA" as const },
    }))
    void reply.header("cache-control", "public, max-age=300")
    return { keys }
  })
}

function askerOf({ caller, id }: Pick<FastifyRequest, "caller" | "id">): Asker {
  return { tenantId: caller.tenantId, actor: actorOf(caller), requestId: id }
}

function momentOf(member: string, text: string): number {
  const at = parseTime(text)
  if (at === null)
    throw refusal({ pointer: `#/${member}`, detail: "must be a time as in RFC 3339" })
  return at
}

function problemOf(refused: Refused): Problem {
  if (refused === "too-many")
    return new Problem("webhooks-exceeded", `There can be ${WEBHOOKS_MAX} webhooks.`)
  if (refused === "refused")
    return new Problem("webhook-refused", "Nothing was changed.", {
      errors: [{ pointer: "#/url", detail: "must be an https URL at a public address" }],
    })
  if (refused === "disabled") return new Problem("webhook-is-disabled", "Nothing was queued.")
  return new Problem("webhook-not-found", "You have no webhook of this id.")
}

function noDelivery(): Problem {
  return new Problem("delivery-not-found", "Your webhook has no delivery of this id.")
}

const momentOrNull = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

function webhookBody(webhook: Webhook): WebhookAnswer {
  const { id, url, description, kinds, schemes, disabled } = webhook
  return {
    ...{ id, url, description, events: [...kinds], signatures: [...schemes] },
    enabled: disabled === null,
    disabled: disabled && {
      at: new Date(disabled.at).toISOString(),
      reason: disabled.reason,
      event_id: disabled.eventId,
      event_type: disabled.kind,
      last_status: disabled.status,
      last_error: disabled.error,
    },
    created_at: new Date(webhook.createdAt).toISOString(),
    changed_at: new Date(webhook.changedAt).toISOString(),
  }
}

function deliveryBody(delivery: Delivery): DeliveryAnswer {
  const { id, event, status, attempt, nextAt, lastAt, lastStatus, lastError } = delivery
  return {
    id,
    ...{ event_id: event.id, event_type: event.kind, ref: event.ref },
    happened_at: new Date(event.at).toISOString(),
    ...{ status, failed_attempts: attempt },
    next_attempt_at: momentOrNull(nextAt),
    last_attempt_at: momentOrNull(lastAt),
    ...{ last_status: lastStatus, last_error: lastError },
  }
}

function attemptBody(attempt: LoggedAttempt): DeliveryAttempt {
  const { at, cause, status, error, durationMs, response } = attempt
  return {
    at: new Date(at).toISOString(),
    ...{ cause, status, error, duration_ms: durationMs, response },
  }
}
