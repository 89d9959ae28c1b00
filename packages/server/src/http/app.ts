import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox"
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Caller } from "../accounts/callers.ts"

declare module "fastify" {
  interface FastifyRequest {
    /** Set on every route whose row of rights asks for a key. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Answers only that its path does not take the method, so it needs no row of rights. */
    refusesMethods?: true
    /** The paths it takes, where its pattern takes more. */
    paths?: readonly string[]
    /** Answered also while others are turned away: monitoring must see an overloaded service. */
    neverShed?: boolean
    /**
     * Usual requests take the direct way (`http/direct.ts`). The handler may then use nothing but
     * body, caller and query of the request, and headers and send of the reply.
     */
    direct?: true
    /** How many members and items its JSON may have, where that is more than others may. */
    jsonPartsMax?: number
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>
