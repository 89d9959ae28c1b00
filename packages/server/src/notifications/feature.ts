import { CarrierNotification } from "@assay/core/contract"
import type { onRequestHookHandler } from "fastify"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { Metrics } from "../base/metrics.ts"
import { type EvidenceIntake, evidencePort } from "../intake/evidence-writer.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { readJson } from "../http/json-body.ts"
import { failures, named } from "../http/schemas.ts"
import { BODY_MAX } from "../http/sizes.ts"
import type { NotifyingCarrier, NotifyingCarriers } from "./notifying-carriers.ts"
import { readNotification } from "./read-notification.ts"

const CLOUD_EVENT = "application/cloudevents+json"

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes that carriers send to. */
    carrier: NotifyingCarrier
  }
}

const response: Record<number, object> = {
  204: {
    type: "null",
    description:
      "Taken. What it says is stored and in the next score, now or since it was first sent.",
  },
  ...failures(
    "malformed-json",
    "invalid-request",
    "unauthenticated",
    "body-too-large",
    "unsupported-media-type",
    "not-a-phone-number",
    "number-not-yours",
    "rate-limited",
    "internal-error",
    "store-unavailable",
    "overloaded",
  ),
}

const schema = {
  operationId: "notifySimChange",
  summary: "Tell that the SIM of a number changed",
  description:
    "For carriers: the sink of CAMARA SIM-swap subscriptions. What is told here counts for every tenant.",
  tags: ["Carrier"],
  security: [{ carrierToken: [] }],
  body: {
    content: {
      [CLOUD_EVENT]: { schema: named(CarrierNotification) },
      "application/json": { schema: named(CarrierNotification) },
    },
  },
  response,
}

export interface NotificationServices {
  /** Carriers that may send notifications. */
  readonly carriers: NotifyingCarriers
  readonly secrets: Secrets
  readonly metrics: Pick<Metrics, "countNotification">
  readonly now: () => number
}

export const notifications: Feature<NotificationServices, EvidenceIntake> = {
  routes: notificationRoutes,
  port: evidencePort,
}

/** What carriers notify us of, as evidence for everybody. */
async function notificationRoutes(
  app: App,
  services: NotificationServices,
  intake: EvidenceIntake,
): Promise<void> {
  const { carriers, secrets, metrics, now } = services
  // Before the body is read: a sender without a token is refused unread.
  const onRequest: onRequestHookHandler = (request, _reply, done) => {
    request.carrier = carriers.authenticate(request.headers.authorization)
    done()
  }

  // In a scope of its own: no other route takes this media type.
  await app.register(async (scope: App) => {
    scope.decorateRequest("carrier")
    scope.addContentTypeParser(CLOUD_EVENT, { parseAs: "buffer" }, readJson)
    scope.post(
      "/api/v1/carrier/notifications",
      { schema, onRequest, bodyLimit: BODY_MAX },
      async (request, reply) => {
        const { carrier } = request
        const notification = request.body as CarrierNotification
        const read = readNotification(notification, carrier, secrets, now())
        const outcome = read.says === "sim_change" ? await intake.notify(read.evidence) : read.says
        metrics.countNotification(carrier.name, outcome)
        return reply.code(204).send(null)
      },
    )
  })
}
