import {
  SharedSignalsKeyList,
  SharedSignalsParams,
  SharedSignalsStream,
  SharedSignalsStreamChange,
  SharedSignalsStreamList,
  SharedSignalsStreamRequest,
  SharedSignalsVerification,
} from "@assay/core/contract"
import type { FastifyRequest } from "fastify"
import type { SharedStream } from "@assay/stores/records-shared-signals"
import { STREAMS_MAX } from "@assay/stores/records-shared-signals"
import { actorOf } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import { refusal, refuseIdentity } from "../http/refusal.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { deliveredNames, EVENT_TYPES, SOURCE_KINDS, TOLD_ALWAYS } from "./security-events.ts"
import type { OpenServices } from "./services.ts"
import { outlivedKeys, signingKey } from "./sign.ts"
import { askerOf, PATHS, pollUrl, tooSoon } from "./standard-routes.ts"
import type { Refused, StreamAsked, StreamKeeper } from "./streams.ts"
import { ISSUER_PATH } from "./tenant-issuer.ts"

const common = { tags: ["Shared Signals"], security: [{ apiKey: [] }, { session: [] }] }
const ofPeople = { tags: ["Shared Signals"], security: [{ session: [] }] }
const BEHIND_MAX = 10_000

const listSchema = {
  ...common,
  operationId: "listSharedSignals",
  summary: "List your streams of Shared Signals, and where receivers find you",
  response: {
    200: named(SharedSignalsStreamList, "Without what is sent to receivers as `Authorization`."),
    ...failures("shared-signals-off", ...FAILURES_OF_READING),
  },
}

const createSchema = {
  ...common,
  operationId: "createSharedSignalsStream",
  summary: "Have a receiver told by Shared Signals",
  description:
    "For receivers that do not make their stream themselves, such as Okta. What happens from then on is told.",
  body: named(SharedSignalsStreamRequest),
  response: {
    201: named(SharedSignalsStream, "The stream."),
    ...failures(
      ...(["shared-signals-off", "shared-streams-exceeded", "shared-stream-refused"] as const),
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  },
}

const getSchema = {
  ...common,
  operationId: "getSharedSignalsStream",
  summary: "Look at a stream",
  params: SharedSignalsParams,
  response: {
    200: named(SharedSignalsStream, "The stream."),
    ...failures(
      ...(["not-found", "shared-signals-off", "shared-stream-not-found"] as const),
      ...FAILURES_OF_READING,
    ),
  },
}

const changeSchema = {
  ...common,
  operationId: "changeSharedSignalsStream",
  summary: "Change a stream, or pause, disable or enable it",
  description: "The receiver is told of another status by an event of its own.",
  params: SharedSignalsParams,
  body: named(SharedSignalsStreamChange),
  response: {
    200: named(SharedSignalsStream, "The stream as it is now."),
    ...failures(
      ...(["not-found", "shared-signals-off", "shared-stream-not-found"] as const),
      ...(["shared-stream-refused"] as const),
      ...FAILURES_WITHOUT_LOOKUP,
    ),
  },
}

const deleteSchema = {
  ...common,
  operationId: "deleteSharedSignalsStream",
  summary: "Delete a stream",
  description: "What waits for it is not told.",
  params: SharedSignalsParams,
  response: {
    204: { type: "null", description: "It is deleted." },
    ...failures(
      ...(["not-found", "shared-signals-off", "shared-stream-not-found"] as const),
      ...FAILURES_OF_READING,
    ),
  },
}

const verifySchema = {
  ...common,
  operationId: "verifySharedSignalsStream",
  summary: "Send a verification event",
  description:
    "Also to a stream that is paused. `verification` of the stream says when the receiver took it.",
  params: SharedSignalsParams,
  response: {
    202: named(SharedSignalsVerification, "It is on its way, or waits to be fetched."),
    ...failures(
      ...(["not-found", "shared-signals-off", "shared-stream-not-found"] as const),
      ...(["verification-too-soon"] as const),
      ...FAILURES_OF_READING,
    ),
  },
}

const keysSchema = {
  ...ofPeople,
  operationId: "listSharedSignalsKeys",
  summary: "List the keys that sign for all streams",
  response: {
    200: named(SharedSignalsKeyList, "Those that are published."),
    ...failures("shared-signals-off", ...FAILURES_OF_READING),
  },
}

const rotateSchema = {
  ...ofPeople,
  operationId: "rotateSharedSignalsKey",
  summary: "Begin to replace the key that signs",
  description:
    "Every 90 days it is done by itself. The next key is published now and signs after a quarter of an hour, when nobody remembers a key set without it; the one before stays published for 7 days.",
  response: {
    202: named(SharedSignalsKeyList, "With the next one."),
    ...failures("shared-signals-off", ...FAILURES_OF_READING),
  },
}

/** What owners and administrators see to. While it is off, each answers that. */
export function ownRoutes(app: App, services: OpenServices | null, keeper: StreamKeeper): void {
  const open = (): OpenServices => {
    if (services !== null) return services
    throw new Problem("shared-signals-off", "There are no streams.")
  }
  const found = async (request: Pick<FastifyRequest, "caller">, id: string) => {
    const { tenantId } = request.caller
    const stream = tenantId === null ? null : await open().records.stream({ tenantId, id })
    if (stream === null) throw problemOf("not-found")
    return stream
  }
  const shown = async (stream: SharedStream) => await streamBody(stream, open())

  app.get("/api/v1/shared-signals/streams", { schema: listSchema }, async (request) => {
    const { origin, records, sets } = open()
    const { tenantId } = askerOf(request)
    const issuer = sets().issuerOf(tenantId)
    return {
      issuer,
      configuration_url: `${origin}/.well-known/ssf-configuration${ISSUER_PATH}${issuer.slice(origin.length + ISSUER_PATH.length)}`,
      jwks_url: origin + PATHS.keys,
      token_url: origin + PATHS.token,
      streams: await Promise.all((await records.streams({ tenantId })).map(shown)),
    }
  })

  app.post("/api/v1/shared-signals/streams", { schema: createSchema }, async (request, reply) => {
    open()
    const made = await keeper.create({ ...askerOf(request), ...askedIn(request.body) })
    if (typeof made === "string") throw problemOf(made)
    return reply.code(201).send(await shown(made))
  })

  app.get("/api/v1/shared-signals/streams/:id", { schema: getSchema }, async (request) => {
    open()
    return await shown(await found(request, request.params.id))
  })

  app.patch("/api/v1/shared-signals/streams/:id", { schema: changeSchema }, async (request) => {
    open()
    const stream = await found(request, request.params.id)
    const { status, reason = null } = request.body
    if (status === undefined && reason !== null)
      throw refusal({ pointer: "#/reason", detail: "must come with a status" })
    if (reason !== null) refuseIdentity("reason", reason)
    const changed = await keeper.change({
      ...{ ...askerOf(request), id: stream.id, set: changeIn(request.body, stream) },
      ...(status !== undefined && { status: { status, reason } }),
      byReceiver: false,
    })
    if (typeof changed === "string") throw problemOf(changed)
    return await shown(changed)
  })

  app.delete(
    "/api/v1/shared-signals/streams/:id",
    { schema: deleteSchema },
    async (request, reply) => {
      open()
      if (!(await keeper.remove({ ...askerOf(request), id: request.params.id })))
        throw problemOf("not-found")
      return reply.code(204).send(null)
    },
  )

  app.post(
    "/api/v1/shared-signals/streams/:id/verify",
    { schema: verifySchema },
    async (request, reply) => {
      open()
      const { tenantId, id } = await found(request, request.params.id)
      const asked = await keeper.verify({ tenantId, id, state: null, made: true })
      if (asked === "not-found") throw problemOf(asked)
      if (asked === "too-soon") throw tooSoon()
      return reply.code(202).send({ state: asked.state ?? "" })
    },
  )

  app.get("/api/v1/shared-signals/keys", { schema: keysSchema }, async () => keysBody(open()))

  app.post(
    "/api/v1/shared-signals/keys/rotate",
    { schema: rotateSchema },
    async (request, reply) => {
      const opened = open()
      await keeper.rotate({ actor: actorOf(request.caller), requestId: request.id })
      return reply.code(202).send(await keysBody(opened))
    },
  )
}

async function keysBody({ records, now }: OpenServices) {
  const keys = await records.sharedKeys()
  const at = now()
  const signing = signingKey(keys, at)
  const outlived = new Set(outlivedKeys(keys, at))
  return {
    keys: keys
      .filter((key) => !outlived.has(key))
      .map((key) => ({
        kid: key.id,
        state: key === signing ? "signing" : key.signsFrom > at ? "next" : "retired",
        created_at: new Date(key.createdAt).toISOString(),
        signs_from: new Date(key.signsFrom).toISOString(),
      })),
  } satisfies SharedSignalsKeyList
}

function askedIn(body: SharedSignalsStreamRequest): StreamAsked {
  const { method, url = null, authorization = null, description = "" } = body
  const { dialect = "standard", subject_format: subjectFormat = "iss_sub" } = body
  const { events = TOLD_ALWAYS, audience = null, subject_issuer: subjectIssuer = null } = body
  refuseIdentity("description", description)
  if (method === "push" && url === null) throw refusal({ pointer: "#/url", detail: "is missing" })
  if (method === "poll") {
    refuseOfPush("url", url)
    refuseOfPush("authorization", authorization)
    if (dialect === "okta") throw refusal({ pointer: "#/dialect", detail: "takes method push" })
  }
  refuseIssuer(subjectFormat, subjectIssuer)
  return {
    ...{ method, url, authorization, description, dialect, subjectFormat, subjectIssuer, audience },
    events: events.map((name) => EVENT_TYPES[name]),
  }
}

function changeIn(body: SharedSignalsStreamChange, stream: SharedStream): Partial<StreamAsked> {
  const { url, authorization, audience, description, dialect, events } = body
  const { subject_format: subjectFormat, subject_issuer: subjectIssuer } = body
  if (description !== undefined) refuseIdentity("description", description)
  if (stream.method === "poll") {
    refuseOfPush("url", url ?? null)
    refuseOfPush("authorization", authorization ?? null)
    if (dialect === "okta") throw refusal({ pointer: "#/dialect", detail: "takes method push" })
  }
  refuseIssuer(subjectFormat ?? stream.subjectFormat, subjectIssuer ?? null)
  // A header that one receiver was trusted with is not sent to another.
  const isElsewhere = url !== undefined && url !== stream.url
  return {
    ...(url !== undefined && { url }),
    ...(authorization !== undefined ? { authorization } : isElsewhere && { authorization: null }),
    ...(audience !== undefined && { audience }),
    ...(description !== undefined && { description }),
    ...(dialect !== undefined && { dialect }),
    ...(subjectFormat !== undefined && { subjectFormat }),
    ...(subjectIssuer !== undefined && { subjectIssuer }),
    ...(events !== undefined && { events: events.map((name) => EVENT_TYPES[name]) }),
  }
}

function refuseOfPush(member: string, value: string | null): void {
  if (value !== null) throw refusal({ pointer: `#/${member}`, detail: "is of method push alone" })
}

function refuseIssuer(format: string, issuer: string | null): void {
  if (issuer !== null && format === "opaque")
    throw refusal({ pointer: "#/subject_issuer", detail: "takes the subject_format iss_sub" })
}

const momentOrNull = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

async function streamBody(
  stream: SharedStream,
  { origin, records }: OpenServices,
): Promise<SharedSignalsStream> {
  const { id, tenantId, method, status, audience, fault, verification } = stream
  const waiting =
    status === "disabled"
      ? { count: 0, oldestAt: null }
      : await records.waitingEvents({
          ...{ tenantId, after: stream.seq, kinds: SOURCE_KINDS, limit: BEHIND_MAX },
        })
  return {
    ...{ id, method, url: method === "push" ? stream.url : pollUrl(origin, id) },
    has_authorization: stream.authorization !== null,
    audience: typeof audience === "string" ? [audience] : [...audience],
    ...{ description: stream.description, dialect: stream.dialect },
    ...{ subject_format: stream.subjectFormat, subject_issuer: stream.subjectIssuer },
    events: deliveredNames(stream),
    ...{ status, reason: stream.reason, status_at: new Date(stream.statusAt).toISOString() },
    ...{ behind: waiting.count, oldest_waiting_at: momentOrNull(waiting.oldestAt) },
    last_taken_at: momentOrNull(stream.takenAt),
    last_fault: fault && { at: new Date(fault.at).toISOString(), code: fault.code },
    next_attempt_at: momentOrNull(stream.nextAt),
    verification: verification && {
      asked_at: new Date(verification.askedAt).toISOString(),
      taken_at: momentOrNull(verification.takenAt),
    },
    created_at: new Date(stream.createdAt).toISOString(),
    changed_at: new Date(stream.changedAt).toISOString(),
  }
}

function problemOf(refused: Refused): Problem {
  if (refused === "too-many")
    return new Problem("shared-streams-exceeded", `There can be ${STREAMS_MAX} streams.`)
  if (refused === "refused")
    return new Problem("shared-stream-refused", "Nothing was changed.", {
      errors: [{ pointer: "#/url", detail: "must be an https URL at a public address" }],
    })
  return new Problem("shared-stream-not-found", "You have no stream of this id.")
}
