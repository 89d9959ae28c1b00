import type { FastifyRequest } from "fastify"
import { actorOf } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { PeopleServices } from "./services.ts"
import { linkOf } from "./members.ts"
import type { Managing, People } from "./people.ts"
import { DONE, isoOf, visitorOf } from "./requests.ts"
import {
  endInvitationSchema,
  inviteSchema,
  membersSchema,
  removeMemberSchema,
  setRoleSchema,
} from "./schemas.ts"
import { addressIn, openSealedPeople } from "./sealed-people.ts"

/** Members of the tenant somebody acts in; of the service for administrators who act in none. */
export function memberRoutes(app: App, services: PeopleServices, writer: People): void {
  const { people, secrets, now } = services
  const managing = ({ caller, id: requestId }: FastifyRequest): Managing => ({
    tenantId: caller.tenantId,
    actor: actorOf(caller),
    requestId,
  })

  app.get("/api/v1/members", { schema: membersSchema }, async (request) => {
    const { tenantId } = request.caller
    const sealed = openSealedPeople(secrets)
    const members =
      tenantId === null
        ? (await people.people())
            .filter(({ roles }) => roles.length > 0)
            .map((person) => ({ person, roles: person.roles, since: person.createdAt }))
        : (await people.members(tenantId)).map(({ person, role, since }) => ({
            person,
            roles: [role],
            since,
          }))
    const invitations = await people.invitations({ tenantId, at: now() })
    return {
      members: members.map(({ person, roles, since }) => ({
        person_id: person.id,
        name: person.name,
        email: addressIn(person.emailSealed, sealed),
        roles,
        since: isoOf(since),
      })),
      invitations: invitations.map(({ id, role, actor, createdAt, expiresAt }) => ({
        id,
        role: role ?? "",
        invited_by: actor,
        created_at: isoOf(createdAt),
        expires_at: isoOf(expiresAt),
      })),
    }
  })

  app.post("/api/v1/members/invitations", { schema: inviteSchema }, async (request) => {
    const { origin } = visitorOf(request, services)
    const { role } = request.body
    const { id, token, expiresAt } = await writer.invite({ ...managing(request), role })
    return { id, link: linkOf(origin, token), expires_at: isoOf(expiresAt) }
  })
  app.delete(
    "/api/v1/members/invitations/:id",
    { schema: endInvitationSchema },
    async (request) => {
      await writer.endInvitation({ ...managing(request), id: request.params.id })
      return DONE
    },
  )

  app.put("/api/v1/members/:id/role", { schema: setRoleSchema }, async (request) => {
    const { role } = request.body
    await writer.setRole({ ...managing(request), personId: request.params.id, role })
    return DONE
  })
  app.delete("/api/v1/members/:id", { schema: removeMemberSchema }, async (request) => {
    await writer.setRole({ ...managing(request), personId: request.params.id, role: null })
    return DONE
  })
}
