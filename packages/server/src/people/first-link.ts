import type { Records } from "@assay/stores/records"
import { makeInvitation } from "./members.ts"

/**
 * The token of a link for the first administrator, as long as nobody can sign in; null afterwards.
 * Each start makes a new one and ends those of earlier starts: a link in an old terminal is not a
 * way in.
 */
export async function firstLinkToken(
  records: Pick<Records, "hasPeople" | "endInvitationsBy" | "invite">,
  at: number,
): Promise<string | null> {
  const actor = "start"
  if (await records.hasPeople()) return null
  await records.endInvitationsBy(actor)
  const role = "administrator"
  const { token } = await makeInvitation(records, {
    tenantId: null,
    role,
    personId: null,
    actor,
    at,
  })
  return token
}
