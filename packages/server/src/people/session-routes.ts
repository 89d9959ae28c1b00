import { cookieOf, SESSION_COOKIE, setCookie } from "../accounts/caller-of.ts"
import { csrfTokenOf } from "../accounts/sessions.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { PeopleServices } from "./services.ts"
import type { People } from "./people.ts"
import { actingOf, answerSignedIn, DONE, isoOf, personOf, visitorOf } from "./requests.ts"
import {
  actInSchema,
  passkeySignInSchema,
  secondStepSchema,
  sessionSchema,
  signInSchema,
  signOutSchema,
  startPasskeySignInSchema,
} from "./schemas.ts"

/** Signing in and out. */
export function sessionRoutes(app: App, services: PeopleServices, writer: People): void {
  const { people, now } = services

  app.post("/api/v1/session", { schema: signInSchema }, async (request, reply) => {
    const { email, password } = request.body
    const outcome = await writer.signIn({ email, password, visitor: visitorOf(request, services) })
    if ("step" in outcome) return { state: "second_step" as const, step: outcome.step }
    return answerSignedIn(reply, outcome, now())
  })

  app.post("/api/v1/session/second-step", { schema: secondStepSchema }, async (request, reply) => {
    const visitor = visitorOf(request, services)
    return answerSignedIn(reply, await writer.sendSecondStep({ ...request.body, visitor }), now())
  })

  app.post("/api/v1/session/passkey/start", { schema: startPasskeySignInSchema }, async (request) =>
    writer.startPasskeySignIn(visitorOf(request, services)),
  )

  app.post("/api/v1/session/passkey", { schema: passkeySignInSchema }, async (request, reply) => {
    const visitor = visitorOf(request, services)
    return answerSignedIn(reply, await writer.signInByPasskey({ ...request.body, visitor }), now())
  })

  app.get("/api/v1/session", { schema: sessionSchema }, async (request) => {
    const { id, name, roles, signedInAt, expiresAt } = personOf(request)
    const { tenantId, scopes } = request.caller
    const found = await people.personById(id)
    const token = cookieOf(request.raw, SESSION_COOKIE)
    if (found === null || token === null)
      throw new Problem("unauthenticated", "The session is over.")
    const acting = found.memberships.find((each) => each.tenantId === tenantId)
    return {
      person_id: id,
      name,
      tenant_id: tenantId,
      tenant: acting?.tenantName ?? null,
      roles: [...roles],
      scopes: [...scopes],
      memberships: found.memberships.map(({ tenantId: tenant_id, tenantName: tenant, role }) => ({
        tenant_id,
        tenant,
        role,
      })),
      signed_in_at: isoOf(signedInAt),
      expires_at: isoOf(expiresAt),
      csrf_token: csrfTokenOf(token),
    }
  })

  app.put("/api/v1/session/tenant", { schema: actInSchema }, async (request, reply) => {
    const acting = { ...actingOf(request), tenantId: request.body.tenant_id }
    return answerSignedIn(reply, await writer.actIn(acting), now())
  })

  app.delete("/api/v1/session", { schema: signOutSchema }, async (request, reply) => {
    const acting = actingOf(request)
    await writer.endSession({ ...acting, id: acting.sessionId })
    reply.header("set-cookie", setCookie(SESSION_COOKIE, "", 0))
    return DONE
  })
}
