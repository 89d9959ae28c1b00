import { parseEmail } from "@assay/core/identity"
import type { DecidedRoles } from "@assay/stores/records-outside"
import { Problem } from "../base/problem.ts"
import { newPersonId } from "./joining.ts"
import type { NamedRole } from "./oidc/roles.ts"
import type { People } from "./people.ts"
import type { PeopleTools } from "./sign-in.ts"

type OutsideSignIn = Pick<People, "takeTransaction" | "signInFromOutside">

/** Longer than it is looked at, by any clock that is right to some minutes. */
const MARGIN_MS = 15 * 60_000

/** Signing in whoever a provider knows. */
export function openOutsideSignIn(tools: PeopleTools): OutsideSignIn {
  const { records, sealed, makeSession, now } = tools

  /** Tenants go by names in the settings; one that is not there gives nothing. */
  async function decided(roles: readonly NamedRole[]): Promise<DecidedRoles> {
    const tenants = new Map((await records.tenants()).map(({ id, name }) => [name, id]))
    const members = roles.flatMap(({ role, tenant }) => {
      const tenantId = tenant === null ? undefined : tenants.get(tenant)
      return tenantId === undefined ? [] : [{ tenantId, role }]
    })
    const service = roles.filter(({ tenant }) => tenant === null).map(({ role }) => role)
    return { service, members }
  }

  return {
    // In the records, so that of two who send the same, to whichever nodes, one gets on.
    async takeTransaction({ id, endsAt }) {
      const forMs = Math.max(0, endsAt - now()) + MARGIN_MS
      if (!(await records.useOnce({ name: `transaction ${id}`, forMs })))
        throw new Problem("step-over", "Begin again.")
    },

    async signInFromOutside({ issuer, subject, name, email, roles, requestId }) {
      const account = JSON.stringify([issuer, subject])
      const accountHash = sealed.outsideHash(account)
      const known = await records.personByOutsideAccount(accountHash)
      const id = known?.person.id ?? newPersonId()
      const { session, signedIn } = makeSession({ personId: id, tenantId: null, method: "oidc" })
      const parsed = email === null ? null : parseEmail(email)
      const address = parsed === null || "fault" in parsed ? "unknown" : parsed.exact
      const outcome = await records.signInFromOutside({
        accountHash,
        person: {
          id,
          name: shownName(name),
          // Of no address: nobody is found by the one that a provider gives, and it may be that of
          // somebody else here.
          emailHash: sealed.addressHash(account),
          emailSealed: sealed.address.seal(address),
        },
        roles: await decided(roles),
        session,
        at: now(),
        actor: "single-sign-on",
        requestId,
      })
      if (outcome === null) throw new Problem("no-role", "Nobody was signed in.")
      return { ...signedIn, kept: outcome.kept.map(({ role }) => role) }
    },
  }
}

const NAME_MAX = 100

/** A name is kept readable, so it must be none that people are found by. */
function shownName(name: string | null): string {
  const text = (name ?? "").replace(/\p{C}/gu, "").trim().slice(0, NAME_MAX)
  return text === "" || text.includes("@") || /\d{5}/.test(text) ? "Somebody" : text
}
