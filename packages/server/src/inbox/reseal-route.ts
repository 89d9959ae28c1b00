import { DropResealResult, type ProblemCode } from "@assay/core/contract"
import type { Caller } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import { refuseCompression } from "../http/json-body.ts"
import { failures, named } from "../http/schemas.ts"
import { DROP_HEADER_MAX } from "../http/sizes.ts"
import { Problem } from "../base/problem.ts"
import type { Inbox } from "./inbox.ts"

const SEALED = "application/octet-stream"

const ID = /^[0-9a-f]{32}$/

interface ResealRoute {
  readonly openInbox: () => Inbox
  readonly note: (caller: Caller) => Promise<void>
  readonly common: readonly ProblemCode[]
}

const response = (common: readonly ProblemCode[]): Record<number, object> => ({
  200: named(DropResealResult, "It is on the disk, and the header before is gone."),
  ...failures(
    "invalid-request",
    "not-found",
    "body-too-large",
    "unsupported-media-type",
    "drop-batch-refused",
    ...common,
  ),
})

/**
 * A route of its own and not a part of a batch: it needs a scope that a recipient's token does not
 * have every day.
 */
export async function resealRoute(
  app: App,
  { openInbox, note, common }: ResealRoute,
): Promise<void> {
  const schema = {
    operationId: "resealDropMessage",
    summary: "Seal a message of the drop to the keys in use now",
    description:
      "For a change of keys: a recipient opens every message, wraps its content key for the keys in use and sends the new header of the age file here. The body stays as it is stored, so that nobody can put another message in its place. So do the day it goes and the sender's right to withdraw it. Safe to be sent again. Needs `drop:reseal`, which a key has for at most 24 hours.",
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
    scope.addContentTypeParser(SEALED, { parseAs: "buffer" }, (request, body, done) => {
      done(refuseCompression(request.headers["content-encoding"]), body)
    })
    scope.post(
      "/api/v1/drop/reseal/:id",
      {
        schema,
        config: { scope: "drop:reseal" },
        bodyLimit: DROP_HEADER_MAX,
        // The drop reads the header; the id is looked at below.
        validatorCompiler: () => () => true,
      },
      async ({ params, body, caller }) => {
        if (!ID.test(params.id))
          throw new Problem("invalid-request", "The path does not end in the id of a message.")
        const drop = openInbox()
        await note(caller)
        return await drop.reseal(params.id, body as Buffer)
      },
    )
  })
}
