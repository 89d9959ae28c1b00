import { hashOfToken } from "../accounts/sessions.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { PeopleServices } from "./services.ts"
import type { People } from "./people.ts"
import { actingOf, answerSignedIn, isoOf, visitorOf } from "./requests.ts"
import { acceptSchema, joinSchema, lookSchema, startJoinSchema } from "./schemas.ts"

/** Taking up invitations. The token is 256 random bits: nobody finds one by trying. */
export function joinRoutes(app: App, services: PeopleServices, writer: People): void {
  const { people, now } = services

  app.post("/api/v1/join/look", { schema: lookSchema }, async (request) => {
    visitorOf(request, services)
    const invitation = await people.invitationByToken(hashOfToken(request.body.token))
    if (invitation === null || invitation.usedAt !== null || invitation.expiresAt <= now())
      throw new Problem("invitation-over", "Ask for another one.")
    return {
      tenant: invitation.tenantName,
      role: invitation.role,
      back_in: invitation.personId !== null,
      expires_at: isoOf(invitation.expiresAt),
    }
  })

  app.post("/api/v1/join/passkey/start", { schema: startJoinSchema }, async (request) => {
    const { token, name = null, email = null } = request.body
    return await writer.startJoin({ token, name, email, visitor: visitorOf(request, services) })
  })

  app.post("/api/v1/join", { schema: joinSchema }, async (request, reply) => {
    const { token, name = null, email = null } = request.body
    const by = credentialIn(request.body)
    const visitor = visitorOf(request, services)
    return answerSignedIn(reply, await writer.join({ token, name, email, by, visitor }), now())
  })

  app.post("/api/v1/join/accept", { schema: acceptSchema }, async (request, reply) => {
    const { token } = request.body
    return answerSignedIn(reply, await writer.accept({ ...actingOf(request), token }), now())
  })
}

type By = Parameters<People["join"]>[0]["by"]

function credentialIn(body: {
  readonly password?: string
  readonly step?: string
  readonly passkey?: Record<string, unknown>
}): By {
  const { password, step, passkey } = body
  if (password !== undefined && step === undefined && passkey === undefined) return { password }
  if (password === undefined && step !== undefined && passkey !== undefined)
    return { step, passkey }
  throw new Problem("invalid-request", "Send a password, or a passkey with its step.", {
    errors: [{ pointer: "#/password", detail: "is missing" }],
  })
}
