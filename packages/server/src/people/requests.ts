import type { SignInAnswer } from "@assay/core/contract"
import type { FastifyReply, FastifyRequest } from "fastify"
import {
  cookieOf,
  DEVICE_COOKIE,
  refuseCrossSite,
  SESSION_COOKIE,
  setCookie,
} from "../accounts/caller-of.ts"
import type { CallingPerson } from "../accounts/callers.ts"
import { csrfTokenOf } from "../accounts/sessions.ts"
import { Problem } from "../base/problem.ts"
import type { PeopleServices } from "./services.ts"
import type { Acting, SignedIn, Visitor } from "./people.ts"

const DEVICE_SECONDS = 180 * 24 * 3600
const RECENT_MS = 15 * 60_000

/** Where a request to sign in comes from, or a Problem for one from another site. */
export function visitorOf(
  { raw, id: requestId }: FastifyRequest,
  { consoleOrigin, visitorNetwork }: Pick<PeopleServices, "consoleOrigin" | "visitorNetwork">,
): Visitor {
  const origin = consoleOrigin(raw)
  if (origin === null) throw new Problem("people-off", "Set CONSOLE_ORIGIN first.")
  refuseCrossSite(raw, origin)
  const device = cookieOf(raw, DEVICE_COOKIE)
  return { origin, network: visitorNetwork(raw), device, requestId }
}

/** Sets the cookies of somebody who is signed in now. */
export function answerSignedIn(
  reply: FastifyReply,
  { token, expiresAt, device }: SignedIn,
  now: number,
): SignInAnswer {
  const seconds = Math.max(1, Math.ceil((expiresAt - now) / 1000))
  reply.header("set-cookie", [
    setCookie(SESSION_COOKIE, token, seconds),
    setCookie(DEVICE_COOKIE, device, DEVICE_SECONDS),
  ])
  return {
    state: "signed_in",
    csrf_token: csrfTokenOf(token),
    expires_at: new Date(expiresAt).toISOString(),
  }
}

/** Who is signed in: the table of rights lets nobody else in to these operations. */
export function personOf({ caller }: FastifyRequest): CallingPerson {
  if (caller.person === null) throw new Problem("unauthenticated", "Nobody is signed in.")
  return caller.person
}

export function actingOf(request: FastifyRequest): Acting {
  const { id: personId, sessionId } = personOf(request)
  return { personId, sessionId, requestId: request.id }
}

/**
 * The same, for changes of what somebody signs in by: a browser that was left alone must not be
 * enough to take an account over.
 */
export function recentlyActing(request: FastifyRequest, now: number): Acting {
  if (now - personOf(request).signedInAt > RECENT_MS)
    throw new Problem("sign-in-again", "Nothing was changed.")
  return actingOf(request)
}

export const isoOf = (ms: number): string => new Date(ms).toISOString()
export const DONE = { done: true } as const
