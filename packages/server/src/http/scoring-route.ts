import type { IdentityKey } from "@assay/core/identity"
import type { Static } from "typebox"
import type { ExplainQuery } from "@assay/core/contract"
import type { FastifySchema } from "fastify"
import type { Caller } from "../accounts/callers.ts"
import { identityTagToday } from "../accounts/identity-tag.ts"
import type { CountingServices, Refund } from "../accounts/limits.ts"
import type { Asker } from "../base/asker.ts"
import type { App } from "./app.ts"
import type { Secrets } from "@assay/runtime/secrets"

/** An operation that scores one identity. */
interface ScoringOperation<Body, Identified, Context> {
  readonly path: string
  readonly schema: FastifySchema
  /** Whom a body names, and in which context. Throws a Problem. */
  read(
    body: Body,
    requestId: string,
    nowMs: number,
  ): { identified: Identified; context: Context | null }
  score(
    identified: Identified,
    caller: Caller,
    explain: boolean,
    context: Context | null,
    asker: Asker<Scored>,
  ): void
}

interface Scored {
  readonly result: object
  /** null where decisions are not kept. */
  readonly decisionId: string | null
}

interface RouteServices extends CountingServices {
  readonly secrets: Secrets
}

/** Adds the route of an operation. */
export function scoringRoute<Body, Identified extends { readonly key: IdentityKey }, Context>(
  app: App,
  { limits, secrets, countingNow }: RouteServices,
  { path, schema, read, score }: ScoringOperation<Body, Identified, Context>,
): void {
  app.post(path, { schema, config: { direct: true } }, (request, reply) => {
    const { caller } = request
    const nowMs = countingNow()
    const { identified, context } = read(request.body as Body, request.id, nowMs)
    const explain = (request.query as Static<typeof ExplainQuery>).explain === "true"
    const tag = identityTagToday(secrets.subkeys.context, identified.key, nowMs)
    const admitted = (refund: Refund): void => {
      reply.headers(limits.fields(caller))
      score(identified, caller, explain, context, {
        answered({ result, decisionId }) {
          if (decisionId !== null) reply.headers({ "x-decision-id": decisionId })
          reply.send(result)
        },
        failed(error) {
          refund()
          reply.send(asError(error))
        },
      })
    }
    const admitting = limits.admit(caller, tag)
    if (!(admitting instanceof Promise)) admitted(admitting)
    else admitting.then(admitted).catch((error: unknown) => reply.send(asError(error)))
  })
}

/** A value that is no Error would be sent as the result. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("no Error was thrown", { cause: thrown })
}
