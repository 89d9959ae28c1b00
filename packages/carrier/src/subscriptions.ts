import { randomUUID } from "node:crypto"
import { type Static, Type } from "typebox"
import { isPlainLoopback } from "@assay/runtime/outbound/base-url"
import { CarrierError, invalidArgument, notFound, outOfRange } from "./carrier-error.ts"
import type { Notifier } from "./notifier.ts"
import { exactly, PhoneNumber, readRequest, subject } from "./operation.ts"

export const SWAPPED = "org.camaraproject.sim-swap-subscriptions.v0.swapped"
const ENDED = "org.camaraproject.sim-swap-subscriptions.v0.subscription-ended"
const Moment = Type.String({ format: "date-time" })
/**
 * A request for a subscription. The discriminating members are checked apart, since each has its
 * own error.
 */
const SubscriptionRequest = Type.Object(
  {
    protocol: Type.Enum(["HTTP", "MQTT3", "MQTT5", "AMQP", "NATS", "KAFKA"]),
    protocolSettings: Type.Optional(Type.Object({})),
    sink: Type.String({ format: "uri", maxLength: 2048 }),
    sinkCredential: Type.Optional(
      Type.Object({ credentialType: Type.Enum(["PLAIN", "ACCESSTOKEN", "REFRESHTOKEN"]) }),
    ),
    types: Type.Array(Type.Literal(SWAPPED), { minItems: 1, maxItems: 1 }),
    config: Type.Object(
      {
        subscriptionDetail: Type.Object({ phoneNumber: Type.Optional(PhoneNumber) }, exactly),
        subscriptionExpireTime: Type.Optional(Moment),
        subscriptionMaxEvents: Type.Optional(Type.Integer({ minimum: 1 })),
      },
      exactly,
    ),
  },
  exactly,
)
type SubscriptionRequest = Static<typeof SubscriptionRequest>

const AccessToken = Type.Object(
  {
    credentialType: Type.Literal("ACCESSTOKEN"),
    accessToken: Type.String({ minLength: 1, maxLength: 4096, pattern: "^[\\x21-\\x7e]+$" }),
    accessTokenExpiresUtc: Moment,
    accessTokenType: Type.String(),
  },
  exactly,
)

type Ending =
  | "MAX_EVENTS_REACHED"
  | "SUBSCRIPTION_EXPIRED"
  | "ACCESS_TOKEN_EXPIRED"
  | "SUBSCRIPTION_DELETED"

interface Subscription {
  readonly id: string
  readonly clientId: string
  readonly number: string
  readonly request: SubscriptionRequest
  readonly token: string | null
  readonly tokenUntilMs: number
  readonly startedAtMs: number
  readonly expiresAtMs: number
  eventsLeft: number
}

/** Who is notified when the SIM of a number changes. */
export interface Subscriptions {
  /** Reads a request, and makes the subscription in a second step. Throws a CarrierError. */
  read(body: unknown): { readonly number: string; create(clientId: string): object }
  list(clientId: string): readonly object[]
  get(clientId: string, id: string): object
  remove(clientId: string, id: string): void
  /** Notifies every subscriber of the number. */
  simChanged(number: string, atMs: number): void
}

export function openSubscriptions(notifier: Notifier, now: () => number): Subscriptions {
  const subscriptions = new Map<string, Subscription>()

  function tell(
    { id, number, request, token }: Subscription,
    type: typeof SWAPPED | typeof ENDED,
    atMs: number,
    more: Readonly<Record<string, string>> = {},
  ): void {
    const data = { phoneNumber: number, subscriptionId: id, ...more }
    notifier.send(request.sink, token, simSwapEvent(type, atMs, data))
  }

  function end(subscription: Subscription, terminationReason: Ending, atMs: number): void {
    subscriptions.delete(subscription.id)
    tell(subscription, ENDED, atMs, { terminationReason })
  }

  /**
   * Ends expired subscriptions. Nobody waits for that moment, so it is enough to run this before
   * each look at the list.
   */
  function endOld(): void {
    for (const subscription of subscriptions.values()) {
      const { expiresAtMs, tokenUntilMs } = subscription
      if (expiresAtMs <= now()) end(subscription, "SUBSCRIPTION_EXPIRED", expiresAtMs)
      else if (tokenUntilMs <= now()) end(subscription, "ACCESS_TOKEN_EXPIRED", tokenUntilMs)
    }
  }

  function own(clientId: string, id: string): Subscription {
    endOld()
    const found = subscriptions.get(id)
    if (found === undefined || found.clientId !== clientId)
      throw notFound("There is no subscription of this id")
    return found
  }

  return {
    read(body) {
      const request = readRequest(SubscriptionRequest, body)
      const number = subject(request.config.subscriptionDetail.phoneNumber)
      const { protocol, sink, config } = request
      if (protocol !== "HTTP")
        throw new CarrierError(400, "INVALID_PROTOCOL", "This carrier notifies over HTTP only")
      if (!isSink(sink)) throw new CarrierError(400, "INVALID_SINK", "A sink is an https:// URL")
      const credential = credentialOf(body)
      const tokenUntilMs = credential === null ? Infinity : momentAhead(credential.expires)
      const expiresAtMs =
        config.subscriptionExpireTime === undefined
          ? Infinity
          : momentAhead(config.subscriptionExpireTime)
      return {
        number,
        create(clientId) {
          endOld()
          for (const other of subscriptions.values()) {
            if (
              other.clientId === clientId &&
              other.number === number &&
              other.request.sink === sink
            )
              throw new CarrierError(409, "ALREADY_EXISTS", "There is such a subscription already")
          }
          const subscription: Subscription = {
            id: randomUUID(),
            clientId,
            number,
            request,
            token: credential?.token ?? null,
            tokenUntilMs,
            startedAtMs: now(),
            expiresAtMs,
            eventsLeft: config.subscriptionMaxEvents ?? Infinity,
          }
          subscriptions.set(subscription.id, subscription)
          return shown(subscription)
        },
      }
    },
    list(clientId) {
      endOld()
      return [...subscriptions.values()].filter((each) => each.clientId === clientId).map(shown)
    },
    get: (clientId, id) => shown(own(clientId, id)),
    remove: (clientId, id) => end(own(clientId, id), "SUBSCRIPTION_DELETED", now()),
    simChanged(number, atMs) {
      endOld()
      for (const subscription of subscriptions.values()) {
        if (subscription.number !== number) continue
        tell(subscription, SWAPPED, atMs)
        subscription.eventsLeft -= 1
        if (subscription.eventsLeft === 0) end(subscription, "MAX_EVENTS_REACHED", now())
      }
    },
  }

  function momentAhead(text: string): number {
    const ms = Date.parse(text)
    if (ms <= now()) throw outOfRange("A subscription cannot end before it began")
    return ms
  }
}

/** The definition asks for https; on this machine the sink may have no certificate. */
export function isSink(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return url.protocol === "https:" || isPlainLoopback(url)
}

function credentialOf(body: unknown): { token: string; expires: string } | null {
  const { sinkCredential } = body as { sinkCredential?: { credentialType: string } }
  if (sinkCredential === undefined) return null
  if (sinkCredential.credentialType !== "ACCESSTOKEN")
    throw new CarrierError(400, "INVALID_CREDENTIAL", "Only access tokens are taken")
  const { accessToken, accessTokenExpiresUtc, accessTokenType } = readRequest(
    AccessToken,
    sinkCredential,
  )
  if (accessTokenType !== "bearer")
    throw new CarrierError(400, "INVALID_TOKEN", "Only bearer tokens are taken")
  if (Number.isNaN(Date.parse(accessTokenExpiresUtc)))
    throw invalidArgument("The token's end cannot be read")
  return { token: accessToken, expires: accessTokenExpiresUtc }
}

/**
 * A subscription as the client sees it: without the credential, which only the client and its sink
 * know.
 */
function shown({ id, request, startedAtMs, expiresAtMs }: Subscription): object {
  const { protocol, sink, types, config } = request
  return {
    id,
    protocol,
    sink,
    types,
    config,
    startsAt: new Date(startedAtMs).toISOString(),
    ...(expiresAtMs !== Infinity && { expiresAt: new Date(expiresAtMs).toISOString() }),
    status: "ACTIVE",
  }
}

/**
 * A CloudEvent of SIM Swap Subscriptions 0.3. Its time is the time of the swap, not of the
 * notification.
 */
export function simSwapEvent(
  type: typeof SWAPPED | typeof ENDED,
  atMs: number,
  data: Readonly<Record<string, string>>,
): object {
  return {
    id: randomUUID(),
    source: "/trial-carrier",
    specversion: "1.0",
    type,
    time: new Date(atMs).toISOString(),
    datacontenttype: "application/json",
    data,
  }
}
