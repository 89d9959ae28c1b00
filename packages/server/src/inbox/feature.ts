import {
  DROP_HAVE_MAX,
  DropBatchActions,
  DropBatchResult,
  DropIndex,
  DropKeys,
  DropKeysRequest,
  DropSyncRequest,
  type ProblemCode,
} from "@assay/core/contract"
import type { onRequestHookHandler } from "fastify"
import type { Caller } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { AuditNote } from "@assay/stores/records"
import { refuseCompression } from "../http/json-body.ts"
import { allowLongRequest } from "../http/long-requests.ts"
import { failures, named } from "../http/schemas.ts"
import { DROP_SYNC_BODY_MAX } from "../http/sizes.ts"
import { Problem } from "../base/problem.ts"
import type { Inbox } from "./inbox.ts"
import { BATCH_BODY_MAX } from "@assay/drop/read-batch"
import { inboxPageRoutes } from "./inbox-page.ts"
import { resealRoute } from "./reseal-route.ts"

const TAR = "application/x-tar"
/** A full batch over a slow line, such as an onion service. */
const BATCH_MS = 10 * 60_000

const COMMON = [
  "unauthenticated",
  "insufficient-scope",
  "internal-error",
  "store-unavailable",
  "drop-off",
  "drop-unavailable",
  "overloaded",
] as const satisfies readonly ProblemCode[]
const OF_BODIES = [
  "malformed-json",
  "invalid-request",
  "body-too-large",
  "unsupported-media-type",
] as const satisfies readonly ProblemCode[]

const [tags, security] = [["Drop"], [{ apiKey: [] }]]

const syncResponse: Record<number, object> = {
  200: {
    description:
      "An archive: `index.json` (described as `DropIndex`), then `ID.age` for each message that was not named, then `note-ID.age` for each note. Each file is sealed to the recipients. An archive without its end must not be used.",
    content: { [TAR]: { schema: named(DropIndex) } },
  },
  ...failures(...OF_BODIES, ...COMMON),
}

const syncSchema = {
  operationId: "syncDrop",
  summary: "Fetch all sealed messages of the drop at once",
  description:
    "All or nothing, so that nobody learns which message is read when. Messages that were fetched do not count as unread any more.",
  tags,
  security,
  body: named(DropSyncRequest),
  response: syncResponse,
}

const batchResponse: Record<number, object> = {
  200: named(DropBatchResult, "All of it is done."),
  ...failures(
    "body-too-large",
    "unsupported-media-type",
    "drop-batch-refused",
    "request-timeout",
    ...COMMON,
  ),
}

const batchSchema = {
  operationId: "postDropBatch",
  summary: "Send replies, deletions and notes to the drop together",
  description:
    "An archive: `actions.json` (described as `DropBatchActions`), then the sealed files it names. Replies are sealed to all keys in use and to the sender's, notes to all keys in use, each in the smallest size. Safe to be sent again.",
  tags,
  security,
  body: { content: { [TAR]: { schema: named(DropBatchActions) } } },
  response: batchResponse,
}

const keysSchema = {
  operationId: "listDropKeys",
  summary: "See the keys that messages of the drop are sealed to",
  tags,
  security,
  response: { 200: named(DropKeys, "The keys in use."), ...failures(...COMMON) },
}

const firstKeysSchema = {
  operationId: "setFirstDropKeys",
  summary: "Give the drop its first keys",
  tags,
  security,
  body: named(DropKeysRequest),
  response: {
    200: named(DropKeys, "Messages are sealed to these keys from now on."),
    ...failures(...OF_BODIES, "drop-keys-exist", "drop-keys-refused", ...COMMON),
  },
}

export interface InboxServices {
  /** What recipients of the drop ask; null where there is no drop. */
  readonly inbox: Inbox | null
  /** Notes in the audit trail who did what. */
  readonly audit: (note: AuditNote) => Promise<void>
  readonly now: () => number
}

/** The inbox of the drop's recipients: their operations, and where there is a drop, the page. */
export const inbox: Feature<InboxServices> = {
  async routes(app, services) {
    if (services.inbox !== null) inboxPageRoutes(app)
    await recipientRoutes(app, services)
  },
}

/** What recipients do with the drop. The service passes it on and can open nothing of it. */
async function recipientRoutes(app: App, services: InboxServices): Promise<void> {
  const { audit, now } = services
  const config = { scope: "drop:read" } as const
  const openInbox = (): Inbox => {
    if (services.inbox !== null) return services.inbox
    throw new Problem("drop-off", "Nothing was done.")
  }
  /**
   * Written before anything is done, so that nothing is done unseen. Who and what, and never which
   * message.
   */
  const note = async (
    { keyId }: Caller,
    action: "drop.synced" | "drop.batch" | "drop.keys-set" | "drop.resealed",
  ): Promise<void> =>
    await audit({ at: now(), actor: `key:${keyId}`, action, subject: "drop", detail: {} })

  app.post(
    "/api/v1/drop/sync",
    {
      schema: syncSchema,
      config: { ...config, jsonPartsMax: 2 * DROP_HAVE_MAX },
      bodyLimit: DROP_SYNC_BODY_MAX,
    },
    async ({ body, caller }, reply) => {
      const drop = openInbox()
      await note(caller, "drop.synced")
      return reply.type(TAR).send(await drop.sync(body.have))
    },
  )

  app.get("/api/v1/drop/keys", { schema: keysSchema, config }, async () => await openInbox().keys())

  app.post("/api/v1/drop/keys", { schema: firstKeysSchema, config }, async ({ body, caller }) => {
    const drop = openInbox()
    await note(caller, "drop.keys-set")
    return await drop.setFirstKeys(body.recipients)
  })

  await resealRoute(app, {
    openInbox,
    note: (caller) => note(caller, "drop.resealed"),
    common: COMMON,
  })

  // In a scope of its own: no other route takes this media type, and this one no other.
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(TAR, { parseAs: "buffer" }, (request, body, done) => {
      done(refuseCompression(request.headers["content-encoding"]), body)
    })
    scope.post(
      "/api/v1/drop/batch",
      {
        schema: batchSchema,
        config,
        bodyLimit: BATCH_BODY_MAX,
        onRequest: takeTime,
        // An archive has no members for a validator to look at; the drop reads it as a whole.
        validatorCompiler: () => () => true,
      },
      async ({ body, caller }) => {
        const drop = openInbox()
        await note(caller, "drop.batch")
        return await drop.batch(body as Buffer)
      },
    )
  })
}

/** Lets a body take longer than others may: whoever sends it has shown a key. */
const takeTime: onRequestHookHandler = ({ raw }, reply, done) => {
  const { socket } = raw
  const release = allowLongRequest(socket)
  const late = setTimeout(() => socket.destroy(), BATCH_MS)
  reply.raw.once("close", () => {
    clearTimeout(late)
    release()
  })
  done()
}
