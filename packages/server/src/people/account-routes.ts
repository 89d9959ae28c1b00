import type { App } from "../http/app.ts"
import type { PeopleServices } from "./services.ts"
import type { People } from "./people.ts"
import { Problem } from "../base/problem.ts"
import { actingOf, DONE, isoOf, personOf, recentlyActing, visitorOf } from "./requests.ts"
import {
  accountSchema,
  addPasskeySchema,
  confirmTotpSchema,
  endOthersSchema,
  endSessionSchema,
  recoveryCodesSchema,
  removePasskeySchema,
  removeTotpSchema,
  sessionsSchema,
  setPasswordSchema,
  startPasskeySchema,
  startTotpSchema,
} from "./schemas.ts"
import { addressIn, openSealedPeople } from "./sealed-people.ts"

/** What people do with their own account. */
export function accountRoutes(app: App, services: PeopleServices, writer: People): void {
  const { people, secrets, now } = services
  const recently = (request: Parameters<typeof recentlyActing>[0]) => recentlyActing(request, now())

  app.get("/api/v1/me", { schema: accountSchema }, async (request) => {
    const found = await people.personById(personOf(request).id)
    if (found === null) throw new Problem("unauthenticated", "The session is over.")
    const { person, credentials } = found
    const of = (kind: string) => credentials.filter((each) => each.kind === kind)
    return {
      person_id: person.id,
      name: person.name,
      email: addressIn(person.emailSealed, openSealedPeople(secrets)),
      password: of("password").length > 0,
      totp: of("totp").length > 0,
      recovery_codes: of("recovery").filter(({ usedAt }) => usedAt === null).length,
      passkeys: of("passkey").map(({ id, label, createdAt, usedAt }) => ({
        id,
        label,
        created_at: isoOf(createdAt),
        used_at: usedAt === null ? null : isoOf(usedAt),
      })),
    }
  })

  app.get("/api/v1/me/sessions", { schema: sessionsSchema }, async (request) => {
    const { id: personId, sessionId } = personOf(request)
    const sessions = await people.sessionsOf(personId)
    return {
      sessions: sessions.map((each) => ({
        id: each.id,
        current: each.id === sessionId,
        method: each.method,
        tenant_id: each.tenantId,
        signed_in_at: isoOf(each.signedInAt),
        seen_at: isoOf(each.seenAt),
        expires_at: isoOf(each.expiresAt),
      })),
    }
  })
  app.delete("/api/v1/me/sessions/:id", { schema: endSessionSchema }, async (request) => {
    await writer.endSession({ ...actingOf(request), id: request.params.id })
    return DONE
  })
  app.delete("/api/v1/me/sessions", { schema: endOthersSchema }, async (request) => ({
    ended: await writer.endOtherSessions(actingOf(request)),
  }))

  app.put("/api/v1/me/password", { schema: setPasswordSchema }, async (request) => {
    await writer.setPassword({ ...recently(request), password: request.body.password })
    return DONE
  })

  app.post("/api/v1/me/passkeys/start", { schema: startPasskeySchema }, async (request) => {
    const { origin } = visitorOf(request, services)
    return await writer.startPasskey({ ...recently(request), origin })
  })
  app.post("/api/v1/me/passkeys", { schema: addPasskeySchema }, async (request) => {
    const { origin } = visitorOf(request, services)
    await writer.addPasskey({ ...recently(request), ...request.body, origin })
    return DONE
  })
  app.delete("/api/v1/me/passkeys/:id", { schema: removePasskeySchema }, async (request) => {
    await writer.removePasskey({ ...recently(request), id: request.params.id })
    return DONE
  })

  app.post("/api/v1/me/totp/start", { schema: startTotpSchema }, async (request) =>
    writer.startTotp(recently(request)),
  )
  app.post("/api/v1/me/totp", { schema: confirmTotpSchema }, async (request) => ({
    recovery_codes: await writer.confirmTotp({ ...recently(request), ...request.body }),
  }))
  app.delete("/api/v1/me/totp", { schema: removeTotpSchema }, async (request) => {
    await writer.removeTotp(recently(request))
    return DONE
  })
  app.post("/api/v1/me/recovery-codes", { schema: recoveryCodesSchema }, async (request) => ({
    recovery_codes: await writer.makeRecoveryCodes(recently(request)),
  }))
}
