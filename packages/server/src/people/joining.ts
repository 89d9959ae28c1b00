import { randomBytes } from "node:crypto"
import type { NewCredential } from "@assay/stores/records-people"
import type { Invitation } from "@assay/stores/records-invitations"
import { hashOfToken } from "../accounts/sessions.ts"
import { Problem } from "../base/problem.ts"
import { createdPasskey, creationOptions } from "./passkeys.ts"
import { refuseWeak } from "./passwords.ts"
import type { People } from "./people.ts"
import { addressIn, addressOf } from "./sealed-people.ts"
import type { PeopleTools } from "./sign-in.ts"

type Joining = Pick<People, "startJoin" | "join" | "accept">

/** Whom an invitation lets in: somebody new, or somebody who gets back in. */
interface Joiner {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly isNew: boolean
}

/** Taking up invitations. */
export function openJoining(tools: PeopleTools): Joining {
  const { records, sealed, passwords, steps, makeSession, now } = tools

  async function invitationOf(token: string): Promise<Invitation> {
    const invitation = await records.invitationByToken(hashOfToken(token))
    if (invitation === null || invitation.usedAt !== null || invitation.expiresAt <= now())
      throw new Problem("invitation-over", "Ask for another one.")
    return invitation
  }

  async function joinerOf(
    { personId }: Invitation,
    { name, email }: { readonly name: string | null; readonly email: string | null },
  ): Promise<Joiner> {
    if (personId === null) {
      if (name === null || email === null)
        throw new Problem("invalid-request", "Somebody new has a name and an address.", {
          errors: [{ pointer: name === null ? "#/name" : "#/email", detail: "is missing" }],
        })
      return { id: newPersonId(), name, email: addressOf(email), isNew: true }
    }
    const found = await records.personById(personId)
    if (found === null) throw new Problem("invitation-over", "Ask for another one.")
    const { person } = found
    return {
      id: personId,
      name: person.name,
      email: addressIn(person.emailSealed, sealed),
      isNew: false,
    }
  }

  return {
    async startJoin({ token, name, email, visitor: { origin } }) {
      const joiner = await joinerOf(await invitationOf(token), { name, email })
      const { challenge, options } = await creationOptions(origin, joiner, [])
      return { step: steps.begin("join", { challenge, origin, id: joiner.id }), options }
    },

    async join({ token, name, email, by, visitor }) {
      const invitation = await invitationOf(token)
      const given = await joinerOf(invitation, { name, email })
      let joiner = given
      let credential: NewCredential
      let method: string
      if ("password" in by) {
        refuseWeak(by.password, joiner)
        credential = passwordCredential(await passwords.hash(by.password))
        method = "password"
      } else {
        const { challenge, origin, id } = await steps.take("join", by.step)
        if (origin !== visitor.origin) throw new Problem("passkey-refused", "Begin again.")
        const asked = { origin: visitor.origin, challenge: String(challenge) }
        credential = await createdPasskey(asked, by.passkey, "first passkey")
        // The passkey knows its person by the id that it was made for.
        joiner = { ...given, id: String(id) }
        method = "passkey"
      }
      const { session, signedIn } = makeSession({ personId: joiner.id, tenantId: null, method })
      const person = joiner.isNew
        ? {
            id: joiner.id,
            name: joiner.name,
            emailHash: sealed.addressHash(joiner.email),
            emailSealed: sealed.address.seal(joiner.email),
          }
        : { id: joiner.id }
      await records.join({
        tokenHash: hashOfToken(token),
        person,
        credentials: [credential],
        session,
        replaces: null,
        at: now(),
        requestId: visitor.requestId,
      })
      return signedIn
    },

    async accept({ personId, sessionId, requestId, token }) {
      const invitation = await invitationOf(token)
      // A link that sets credentials anew is for whoever cannot sign in.
      if (invitation.personId !== null) throw new Problem("invitation-over", "Open it signed out.")
      const since = (await records.sessionsOf(personId)).find(({ id }) => id === sessionId)
      if (since === undefined) throw new Problem("unauthenticated", "The session is over.")
      const { method } = since
      const made = makeSession({ personId, tenantId: null, method, since })
      await records.join({
        tokenHash: hashOfToken(token),
        person: { id: personId },
        credentials: [],
        session: made.session,
        replaces: sessionId,
        at: now(),
        requestId,
      })
      return made.signedIn
    },
  }
}

export function newPersonId(): string {
  return `per_${randomBytes(8).toString("hex")}`
}

export function newCredentialId(): string {
  return `cre_${randomBytes(12).toString("hex")}`
}

export function passwordCredential(secret: Uint8Array): NewCredential {
  const id = newCredentialId()
  return { id, kind: "password", secret, counter: 0, label: "", transports: [] }
}
