import type { Readable } from "node:stream"
import { DropResealResult, type ProblemCode } from "@assay/core/contract"
import type { onRequestHookHandler } from "fastify"
import type { Caller } from "../accounts/callers.ts"
import type { App } from "../app.ts"
import { refuseCompression } from "../http/json-body.ts"
import { failures, named } from "../http/schemas.ts"
import { Problem } from "../problem.ts"
import type { OperatorDesk } from "./operator-desk.ts"

const SEALED = "application/octet-stream"

const ID = /^[0-9a-f]{32}$/

interface ResealRoute {
  readonly config: { readonly scope: "drop:read" }
  readonly desk: () => OperatorDesk
  readonly note: (caller: Caller) => Promise<void>
  readonly onRequest: onRequestHookHandler
  readonly common: readonly ProblemCode[]
}

const response = (common: readonly ProblemCode[]): Record<number, object> => ({
  200: named(DropResealResult, "It is on the disk, and the one before is gone."),
  ...failures(
    "invalid-request",
    "unsupported-media-type",
    "drop-batch-refused",
    "request-timeout",
    ...common,
  ),
})

/** A route of its own and not a part of a batch: a message may have 32 MiB, and passes through here unread. */
export async function resealRoute(app: App, route: ResealRoute): Promise<void> {
  const { config, desk, note, common } = route
  const schema = {
    operationId: "resealDropMessage",
    summary: "Replace a message of the drop by the same, sealed to the keys in use now",
    description:
      "For a change of keys: a recipient opens every message, seals it again and sends it here. The day it goes and the sender's right to withdraw it stay. Safe to be sent again.",
    tags: ["Drop"],
    security: [{ apiKey: [] }],
    params: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string", pattern: ID.source } },
    },
    body: { content: { [SEALED]: { schema: { type: "string", format: "binary" } } } },
    response: response(common),
  } as const
  // In a scope of its own: no other route takes this media type, and this one no other.
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(SEALED, (request, body, done) => {
      done(refuseCompression(request.headers["content-encoding"]), body)
    })
    scope.post(
      "/api/v1/drop/reseal/:id",
      {
        schema,
        config,
        onRequest: route.onRequest,
        // The body is a stream that nobody reads here; the id is looked at below.
        validatorCompiler: () => () => true,
      },
      async ({ params, body, caller }) => {
        if (!ID.test(params.id))
          throw new Problem("invalid-request", "The path does not end in the id of a message.")
        const drop = desk()
        await note(caller)
        return await drop.reseal(params.id, body as Readable)
      },
    )
  })
}
