import { DROP_HAVE_MAX, problems } from "@assay/core/contract"
import { BATCH_BODY_MAX } from "@assay/drop/batch-size"
import { RESEAL_BODY_MAX } from "@assay/drop/take-resealed"
import type { AuditNote } from "@assay/stores/records"
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify"
import { Readable } from "node:stream"
import { actorOf } from "../accounts/callers.ts"
import type { Config } from "../base/config.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { refuseCompression } from "../http/json-body.ts"
import { allowLongRequest } from "../http/long-requests.ts"
import { DROP_SYNC_BODY_MAX } from "../http/sizes.ts"
import type { AskDrop } from "./ask-drop.ts"
import { inboxPageRoutes } from "./inbox-page.ts"
import {
  batchSchema,
  firstKeysSchema,
  ID,
  keysSchema,
  resealSchema,
  SEALED,
  syncSchema,
  TAR,
} from "./schemas.ts"

/** A full batch over a slow line, such as an onion service. */
const BATCH_MS = 10 * 60_000

export interface InboxServices {
  /** Asks the drop what its recipients ask; null where there is no drop. */
  readonly askDrop: AskDrop | null
  /** Notes in the audit trail who did what. */
  readonly audit: (note: AuditNote) => Promise<void>
  readonly now: () => number
  readonly config: Pick<Config, "oidc">
}

/** The inbox of the drop's recipients: their operations, and where there is a drop, the page. */
export const inbox: Feature<InboxServices> = { routes: inboxRoutes }

async function inboxRoutes(app: App, services: InboxServices): Promise<void> {
  if (services.askDrop !== null)
    inboxPageRoutes(app, services.config.oidc === null ? null : "/console/sign-in/oidc")
  await recipientRoutes(app, services)
}

type Act = "drop.synced" | "drop.batch" | "drop.keys-set" | "drop.resealed"

/** What recipients do with the drop. The service passes it on and can open nothing of it. */
async function recipientRoutes(app: App, { askDrop, audit, now }: InboxServices): Promise<void> {
  /**
   * A handler that answers with what the drop answers. An act is written down before it is passed
   * on, so that nothing is done unseen: who and what, and never which message.
   */
  const passOn =
    (path: string, action?: Act) =>
    async ({ caller, body, id }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (askDrop === null) throw new Problem("drop-off", "Nothing was done.")
      if (action !== undefined) {
        const actor = actorOf(caller)
        await audit({ at: now(), actor, requestId: id, action, subject: "drop", detail: {} })
      }
      const sent = body instanceof Readable ? body : body === undefined ? "" : JSON.stringify(body)
      const answer = await askDrop(path, action === undefined ? undefined : sent)
      const { "content-type": type = SEALED, "content-length": length } = answer.headers
      if (length !== undefined) reply.header("content-length", length)
      return reply.type(type).send(answer)
    }

  const syncConfig = { jsonPartsMax: 2 * DROP_HAVE_MAX }
  app.post(
    "/api/v1/drop/sync",
    { schema: syncSchema, config: syncConfig, bodyLimit: DROP_SYNC_BODY_MAX },
    passOn("/sync", "drop.synced"),
  )
  app.get("/api/v1/drop/keys", { schema: keysSchema }, passOn("/keys"))
  app.post("/api/v1/drop/keys", { schema: firstKeysSchema }, passOn("/keys", "drop.keys-set"))
  // A route of its own and not a part of a batch: it needs a scope that a recipient's token does
  // not have every day.
  await app.register(async (scope: App) => {
    streamBodies(scope, SEALED)
    scope.post<{ Params: { id: string } }>(
      "/api/v1/drop/reseal/:id",
      { schema: resealSchema, bodyLimit: RESEAL_BODY_MAX, ...UNREAD },
      async (request, reply) => {
        const { id } = request.params
        if (!ID.test(id))
          throw new Problem("invalid-request", "The path does not end in the id of a message.")
        return await passOn(`/reseal/${id}`, "drop.resealed")(request, reply)
      },
    )
  })
  await app.register(async (scope: App) => {
    streamBodies(scope, TAR)
    scope.post(
      "/api/v1/drop/batch",
      { schema: batchSchema, bodyLimit: BATCH_BODY_MAX, onRequest: takeTime, ...UNREAD },
      passOn("/batch", "drop.batch"),
    )
  })
}

/** Neither body has members for a validator to look at: the drop reads it as a whole. */
const UNREAD = { validatorCompiler: () => () => true } as const

/**
 * Hands bodies of this media type to the routes of `scope`, unread, and refuses all others. One
 * that declares no length is measured by the drop.
 */
function streamBodies(scope: App, type: string): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(type, (request, body, done) => {
    const { "content-encoding": encoding, "content-length": length = "0" } = request.headers
    const tooLarge = Number(length) > request.routeOptions.bodyLimit
    const refused = tooLarge
      ? new Problem("body-too-large", problems["body-too-large"].meaning)
      : refuseCompression(encoding)
    done(refused, body)
  })
}

/** Lets a body take longer than others may: its sender has shown a key. */
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
