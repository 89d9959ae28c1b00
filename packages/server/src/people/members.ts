import { randomBytes } from "node:crypto"
import { SERVICE_ROLES, TENANT_ROLES } from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import { hashOfToken, newToken } from "../accounts/sessions.ts"
import { Problem } from "../base/problem.ts"
import type { Managing, People } from "./people.ts"

/** How long a link is good. */
export const INVITATION_DAYS = 7

type Members = Pick<People, "invite" | "endInvitation" | "setRole">

/** Seeing to the members of a tenant, or of the service. */
export function openMembers(
  records: Pick<
    Records,
    "invite" | "endInvitation" | "setMember" | "setServiceRoles" | "personById"
  >,
  now: () => number,
): Members {
  return {
    async invite({ tenantId, role, actor, requestId }) {
      refuseOtherRole({ tenantId, role })
      const by = { actor, requestId, at: now() }
      return await makeInvitation(records, { tenantId, role, personId: null, ...by })
    },

    endInvitation: ({ tenantId, id, actor, requestId }) =>
      records.endInvitation({ tenantId, id, at: now(), actor, requestId }),

    async setRole({ tenantId, personId, role, actor, requestId }) {
      const by = { at: now(), actor, requestId }
      if (role !== null) refuseOtherRole({ tenantId, role })
      if (tenantId !== null) {
        await records.setMember({ tenantId, personId, role, ...by })
        return
      }
      const found = await records.personById(personId)
      if (found === null || found.person.roles.length === 0)
        throw new Problem("entry-not-found", "Nothing was changed.")
      await records.setServiceRoles({ personId, roles: role === null ? [] : [role], ...by })
    },
  }
}

/** A link, whose token is handed out this once. */
export async function makeInvitation(
  records: Pick<Records, "invite">,
  of: {
    readonly tenantId: number | null
    readonly role: string | null
    readonly personId: string | null
    readonly actor: string
    readonly requestId?: string
    readonly at: number
  },
): Promise<{ id: string; token: string; expiresAt: number }> {
  const token = newToken()
  const id = `inv_${randomBytes(8).toString("hex")}`
  const expiresAt = of.at + INVITATION_DAYS * DAY_MS
  await records.invite({ id, tokenHash: hashOfToken(token), expiresAt, ...of })
  return { id, token, expiresAt }
}

/** Where a link leads. Its token stands behind the `#`, which browsers send to nobody. */
export function linkOf(origin: string, token: string): string {
  return `${origin}/console/join#${token}`
}

function refuseOtherRole({ tenantId, role }: Pick<Managing, "tenantId"> & { role: string }): void {
  const roles: readonly string[] = tenantId === null ? SERVICE_ROLES : TENANT_ROLES
  if (roles.includes(role)) return
  throw new Problem("invalid-request", "This is no role there.", {
    errors: [{ pointer: "#/role", detail: `must be one of ${roles.join(", ")}` }],
  })
}
