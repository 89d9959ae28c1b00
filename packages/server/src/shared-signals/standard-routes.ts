import { type Static, Type } from "typebox"
import type { FastifyRequest } from "fastify"
import type { SharedStream } from "@assay/stores/records-shared-signals"
import { LEFT_OUT_MAX, STREAMS_MAX } from "@assay/stores/records-shared-signals"
import { actorOf } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import { refusal, refuseIdentity } from "../http/refusal.ts"
import { openPolling, POLL_MAX } from "./poll.ts"
import { receiving, tenantIn } from "./receiving.ts"
import {
  deliveredNames,
  EVENT_NAMES,
  EVENT_TYPES,
  type Subject,
  TOLD_ALWAYS,
  typeOf,
} from "./security-events.ts"
import type { OpenServices } from "./services.ts"
import { KEYS_SECONDS, publishedKeys } from "./sign.ts"
import {
  type Asker,
  type Refused,
  type StreamAsked,
  type StreamKeeper,
  VERIFY_SECONDS,
} from "./streams.ts"
import { ISSUER_PATH } from "./tenant-issuer.ts"
import { tokenRoute } from "./token-route.ts"
import { TOKEN_SCOPES } from "./tokens.ts"

export const PUSH = "urn:ietf:rfc:8935"
export const POLL = "urn:ietf:rfc:8936"

export const PATHS = {
  keys: "/ssf/jwks.json",
  token: "/oauth/token",
  stream: "/ssf/stream",
  status: "/ssf/status",
  verify: "/ssf/verify",
  addSubject: "/ssf/subjects/add",
  removeSubject: "/ssf/subjects/remove",
  poll: "/ssf/streams/:id/poll",
} as const

/**
 * Members that are not known are left aside: receivers may be of a later version of the standard.
 */
const hide = { hide: true } as const
const text = Type.String({ maxLength: 2_000 })
const StreamId = Type.String({ minLength: 1, maxLength: 100 })
const DESCRIPTION = Type.String({ maxLength: 200, pattern: "^\\P{C}*$" })

const DeliveryAsked = Type.Object({
  method: text,
  endpoint_url: Type.Optional(text),
  authorization_header: Type.Optional(
    Type.Union([
      Type.String({ minLength: 1, maxLength: 2_000, pattern: "^[!-~]([ -~]*[!-~])?$" }),
      Type.Null(),
    ]),
  ),
})
const asked = {
  events_requested: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100 }),
  ),
  delivery: Type.Optional(DeliveryAsked),
  description: Type.Optional(DESCRIPTION),
}
const StreamAskedBody = Type.Object(asked)
const StreamChangedBody = Type.Object({
  stream_id: StreamId,
  iss: Type.Optional(text),
  aud: Type.Optional(Type.Union([text, Type.Array(text, { maxItems: 20 })])),
  ...asked,
})
const StatusBody = Type.Object({
  stream_id: StreamId,
  status: Type.Union([Type.Literal("enabled"), Type.Literal("paused"), Type.Literal("disabled")]),
  reason: Type.Optional(DESCRIPTION),
})
const VerifyBody = Type.Object({
  stream_id: StreamId,
  state: Type.Optional(Type.String({ maxLength: 1_000 })),
})
const SubjectBody = Type.Object({
  stream_id: StreamId,
  subject: Type.Object({
    format: text,
    iss: Type.Optional(text),
    sub: Type.Optional(text),
    id: Type.Optional(text),
  }),
})
const StreamQuery = Type.Object({ stream_id: Type.Optional(StreamId) })
const OneStreamQuery = Type.Object({ stream_id: StreamId })
const StreamPath = Type.Object({ id: StreamId })
const PollBody = Type.Object({
  maxEvents: Type.Optional(Type.Integer({ minimum: 0 })),
  returnImmediately: Type.Optional(Type.Boolean()),
  ack: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1_000 })),
  setErrs: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 200 }),
      Type.Object({ err: text, description: Type.Optional(Type.String()) }),
    ),
  ),
})

/** What OpenID Shared Signals 1.0 prescribes, for receivers of any maker. */
export async function standardRoutes(
  app: App,
  services: OpenServices,
  keeper: StreamKeeper,
): Promise<void> {
  const { origin, records, sets, streams, eventNews: news, now } = services
  const reads = { onRequest: receiving(services, "ssf.read", "ssf.manage") }
  const manages = { onRequest: receiving(services, "ssf.manage") }
  // A stop waits for connections to end, and those that wait would not by themselves.
  let stopping = false
  streams.add(() => (stopping = true))
  const { poll } = openPolling({ records, sets, news, isStopping: () => stopping })

  const found = async (request: Pick<FastifyRequest, "caller">, id: string) => {
    const stream = await records.stream({ tenantId: tenantIn(request.caller), id })
    if (stream === null) throw problemOf("not-found")
    return stream
  }
  const body = (stream: SharedStream) => streamBody(stream, services)

  app.get(
    `/.well-known/ssf-configuration${ISSUER_PATH}:tenant`,
    { schema: { ...hide, params: Type.Object({ tenant: Type.String() }) } },
    async ({ params }, reply) => {
      const tenantId = sets().tenantOf(params.tenant)
      if (tenantId === null) throw new Problem("not-found", "No issuer has this name.")
      void reply.header("cache-control", `public, max-age=${KEYS_SECONDS}`)
      return {
        spec_version: "1_0",
        issuer: sets().issuerOf(tenantId),
        jwks_uri: origin + PATHS.keys,
        delivery_methods_supported: [PUSH, POLL],
        configuration_endpoint: origin + PATHS.stream,
        status_endpoint: origin + PATHS.status,
        add_subject_endpoint: origin + PATHS.addSubject,
        remove_subject_endpoint: origin + PATHS.removeSubject,
        verification_endpoint: origin + PATHS.verify,
        authorization_schemes: [{ spec_urn: "urn:ietf:rfc:6749" }],
        default_subjects: "ALL",
      }
    },
  )

  app.get("/.well-known/oauth-authorization-server", { schema: hide }, async (_, reply) => {
    void reply.header("cache-control", `public, max-age=${KEYS_SECONDS}`)
    return {
      issuer: origin,
      token_endpoint: origin + PATHS.token,
      response_types_supported: [],
      grant_types_supported: ["client_credentials"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      scopes_supported: TOKEN_SCOPES,
    }
  })

  app.get(PATHS.keys, { schema: hide }, async (_, reply) => {
    const keys = publishedKeys(await records.sharedKeys(), now())
    void reply.header("cache-control", `public, max-age=${KEYS_SECONDS}`)
    return { keys }
  })

  await tokenRoute(app, services)

  app.get(
    PATHS.stream,
    { schema: { ...hide, querystring: StreamQuery }, ...reads },
    async (request) => {
      const { stream_id: id } = request.query
      if (id !== undefined) return body(await found(request, id))
      return (await records.streams({ tenantId: tenantIn(request.caller) })).map(body)
    },
  )

  app.post(
    PATHS.stream,
    { schema: { ...hide, body: StreamAskedBody }, ...manages },
    async (request, reply) => {
      const made = await keeper.create({
        ...askerOf(request),
        ...FRESH,
        ...settingsOf(request.body),
      })
      if (typeof made === "string") throw problemOf(made)
      return reply.code(201).send(body(made))
    },
  )

  const changed = async (
    request: Pick<FastifyRequest, "caller" | "id">,
    sent: Static<typeof StreamChangedBody>,
    replaces: boolean,
  ) => {
    const stream = await found(request, sent.stream_id)
    refuseOther("iss", sent.iss, sets().issuerOf(stream.tenantId))
    refuseOther("aud", sent.aud, stream.audience)
    const set = { ...(replaces && ASKED_ANEW), ...settingsOf(sent, replaces ? null : stream) }
    const of = { ...askerOf(request), id: stream.id, set, byReceiver: true }
    const done = await keeper.change(of)
    if (typeof done === "string") throw problemOf(done)
    return body(done)
  }
  app.patch(
    PATHS.stream,
    { schema: { ...hide, body: StreamChangedBody }, ...manages },
    async (request) => await changed(request, request.body, false),
  )
  app.put(
    PATHS.stream,
    { schema: { ...hide, body: StreamChangedBody }, ...manages },
    async (request) => await changed(request, request.body, true),
  )

  app.delete(
    PATHS.stream,
    { schema: { ...hide, querystring: OneStreamQuery }, ...manages },
    async (request, reply) => {
      const { stream_id: id } = request.query
      if (!(await keeper.remove({ ...askerOf(request), id }))) throw problemOf("not-found")
      return reply.code(204).send(null)
    },
  )

  app.get(
    PATHS.status,
    { schema: { ...hide, querystring: OneStreamQuery }, ...reads },
    async (request) => statusBody(await found(request, request.query.stream_id)),
  )

  app.post(PATHS.status, { schema: { ...hide, body: StatusBody }, ...manages }, async (request) => {
    const { stream_id: id, status, reason = null } = request.body
    if (reason !== null) refuseIdentity("reason", reason)
    const of = { ...askerOf(request), id, status: { status, reason }, byReceiver: true }
    const done = await keeper.change(of)
    if (typeof done === "string") throw problemOf(done)
    return statusBody(done)
  })

  app.post(
    PATHS.verify,
    { schema: { ...hide, body: VerifyBody }, ...manages },
    async (request, reply) => {
      const { stream_id: id, state = null } = request.body
      const tenantId = tenantIn(request.caller)
      const outcome = await keeper.verify({ tenantId, id, state, made: false })
      if (outcome === "not-found") throw problemOf(outcome)
      if (outcome === "too-soon") throw tooSoon()
      return reply.code(204).send(null)
    },
  )

  const setSubject = async (
    request: Pick<FastifyRequest, "caller">,
    { stream_id: id, subject }: Static<typeof SubjectBody>,
    told: boolean,
  ): Promise<void> => {
    const stream = await found(request, id)
    const ref = sets().refOf(readSubject(subject), stream)
    if (ref === null)
      throw new Problem("not-found", "Subjects of this stream have another format or issuer.")
    const outcome = await keeper.setSubject({ tenantId: stream.tenantId, id, ref, told })
    if (outcome === "not-found") throw problemOf(outcome)
    if (outcome === "too-many")
      throw new Problem("left-out-exceeded", `A stream can leave out ${LEFT_OUT_MAX} subjects.`)
  }
  const ofSubject = { schema: { ...hide, body: SubjectBody }, ...manages }
  app.post(PATHS.addSubject, ofSubject, async (request, reply) => {
    await setSubject(request, request.body, true)
    return reply.code(200).send()
  })
  app.post(PATHS.removeSubject, ofSubject, async (request, reply) => {
    await setSubject(request, request.body, false)
    return reply.code(204).send(null)
  })

  app.post(
    PATHS.poll,
    { schema: { ...hide, params: StreamPath, body: PollBody }, ...reads },
    async (request, reply) => {
      const {
        maxEvents = POLL_MAX,
        returnImmediately = false,
        ack = [],
        setErrs = {},
      } = request.body
      const { id, tenantId, method } = await found(request, request.params.id)
      if (method !== "poll") throw problemOf("not-found")
      const refused = Object.entries(setErrs).map(([jti, { err }]) => ({ jti, code: codeOf(err) }))
      if (ack.length + refused.length > 0)
        await keeper.acknowledge({ tenantId, id, taken: ack, refused })
      const wanted = { max: Math.min(maxEvents, POLL_MAX), waits: !returnImmediately }
      const polled = await poll({ tenantId, id }, wanted, reply)
      if (polled === null) throw problemOf("not-found")
      return polled
    },
  )
}

/** What a receiver says nothing of when it makes a stream. */
const FRESH: StreamAsked = {
  ...{ audience: null, method: "poll", url: null, authorization: null, description: "" },
  ...{ dialect: "standard", subjectFormat: "iss_sub", subjectIssuer: null },
  events: TOLD_ALWAYS.map((name) => EVENT_TYPES[name]),
}

/** What a receiver that replaces its stream leaves out is as if it had never said it. */
const ASKED_ANEW: Partial<StreamAsked> = {
  ...{ method: "poll", url: null, authorization: null, description: "", events: FRESH.events },
}

function settingsOf(
  sent: Static<typeof StreamAskedBody>,
  before: SharedStream | null = null,
): Partial<StreamAsked> {
  const { events_requested: events, delivery, description } = sent
  if (description !== undefined) refuseIdentity("description", description)
  return {
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(description !== undefined && { description }),
    ...(delivery !== undefined && deliveryOf(delivery, before)),
  }
}

function deliveryOf(
  { method, endpoint_url: url, authorization_header: header }: Static<typeof DeliveryAsked>,
  before: SharedStream | null,
): Partial<StreamAsked> {
  if (method === POLL) return { method: "poll", url: null, authorization: null }
  if (method !== PUSH)
    throw refusal({ pointer: "#/delivery/method", detail: `must be ${PUSH} or ${POLL}` })
  if (url === undefined) throw refusal({ pointer: "#/delivery/endpoint_url", detail: "is missing" })
  // It is shown to nobody, so that whoever sends a stream back as it was read means the same one.
  const keeps = header === undefined && before?.method === "push" && before.url === url
  return { method: "push", url, ...(!keeps && { authorization: header ?? null }) }
}

function refuseOther(name: string, sent: unknown, own: unknown): void {
  if (sent !== undefined && JSON.stringify(sent) !== JSON.stringify(own))
    throw refusal({ pointer: `#/${name}`, detail: "is ours to set, and is another" })
}

function readSubject(sent: Static<typeof SubjectBody>["subject"]): Subject {
  const { format, iss, sub, id } = sent
  if (format === "opaque" && id !== undefined) return { format, id }
  if (format === "iss_sub" && iss !== undefined && sub !== undefined) return { format, iss, sub }
  throw refusal({ pointer: "#/subject", detail: "must be of the format iss_sub or opaque" })
}

/** As one may show it. */
function codeOf(error: string): string {
  return /^[a-zA-Z][\w-]{0,49}$/.test(error) ? error : "refused"
}

function streamBody(stream: SharedStream, { origin, sets }: OpenServices) {
  const { id, tenantId, audience, dialect, events, description } = stream
  const supported = EVENT_NAMES.filter((name) => dialect === "standard" || isOktas(name))
  return {
    stream_id: id,
    iss: sets().issuerOf(tenantId),
    aud: audience,
    events_supported: supported.map((name) => typeOf(name, dialect)),
    events_requested: events,
    events_delivered: deliveredNames(stream).map((name) => typeOf(name, dialect)),
    delivery:
      stream.method === "push"
        ? { method: PUSH, endpoint_url: stream.url }
        : { method: POLL, endpoint_url: pollUrl(origin, id) },
    min_verification_interval: VERIFY_SECONDS,
    ...(description !== "" && { description }),
  }
}

const isOktas = (name: (typeof EVENT_NAMES)[number]): boolean =>
  deliveredNames({ events: [EVENT_TYPES[name]], dialect: "okta" }).length > 0

export const pollUrl = (origin: string, id: string): string =>
  origin + PATHS.poll.replace(":id", id)

function statusBody({ id, status, reason }: SharedStream) {
  return { stream_id: id, status, ...(reason !== null && { reason }) }
}

export function askerOf({ caller, id }: Pick<FastifyRequest, "caller" | "id">): Asker {
  return { tenantId: tenantIn(caller), actor: actorOf(caller), requestId: id }
}

export function tooSoon(): Problem {
  return new Problem("verification-too-soon", "Nothing was sent.", {
    headers: { "retry-after": String(VERIFY_SECONDS) },
  })
}

function problemOf(refused: Refused): Problem {
  if (refused === "too-many")
    return new Problem("shared-streams-exceeded", `There can be ${STREAMS_MAX} streams.`)
  if (refused === "refused")
    return refusal({
      pointer: "#/delivery/endpoint_url",
      detail: "must be an https URL at a public address",
    })
  return new Problem("shared-stream-not-found", "You have no stream of this id.")
}
