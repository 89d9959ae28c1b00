import type { CredentialsChange, NewCredential, PersonFile } from "@assay/stores/records-people"
import { Problem } from "../base/problem.ts"
import { newCredentialId, passwordCredential } from "./joining.ts"
import { createdPasskey, creationOptions } from "./passkeys.ts"
import { refuseWeak } from "./passwords.ts"
import type { Acting, People } from "./people.ts"
import { addressIn } from "./sealed-people.ts"
import type { PeopleTools } from "./sign-in.ts"
import { asRecoveryCode, newRecoveryCode, newTotpSecret, totpStepOf, totpUri } from "./totp.ts"

type OwnAccount = Pick<
  People,
  | "actIn"
  | "endSession"
  | "endOtherSessions"
  | "touchSessions"
  | "setPassword"
  | "startPasskey"
  | "addPasskey"
  | "removePasskey"
  | "startTotp"
  | "confirmTotp"
  | "removeTotp"
  | "makeRecoveryCodes"
>

const RECOVERY_CODES = 10

/** What people do with their own account. */
export function openOwnAccount(tools: PeopleTools): OwnAccount {
  const { records, sealed, passwords, steps, makeSession, now } = tools

  async function fileOf(personId: string): Promise<PersonFile> {
    const found = await records.personById(personId)
    if (found === null) throw new Problem("unauthenticated", "The session is over.")
    return found
  }

  /** Ends all other sessions too: whoever should not have been signed in is out. */
  const change = (
    { personId, sessionId, requestId }: Acting,
    action: string,
    of: Pick<CredentialsChange, "remove" | "add">,
  ): Promise<void> =>
    records.changeCredentials({
      personId,
      action,
      ...of,
      keepSession: sessionId,
      at: now(),
      actor: `person:${personId}`,
      requestId,
    })

  const newCodes = (): { codes: string[]; credentials: NewCredential[] } => {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    const credentials = codes.map((code) => ({
      id: newCredentialId(),
      kind: "recovery" as const,
      secret: sealed.recoveryHash(asRecoveryCode(code)),
      counter: 0,
      label: "",
      transports: [],
    }))
    return { codes, credentials }
  }

  return {
    async actIn({ personId, sessionId, requestId, tenantId }) {
      const { memberships } = await fileOf(personId)
      const isOwn = memberships.some((each) => each.tenantId === tenantId)
      if (tenantId !== null && !isOwn) throw new Problem("entry-not-found", "Nothing was changed.")
      const since = (await records.sessionsOf(personId)).find(({ id }) => id === sessionId)
      if (since === undefined) throw new Problem("unauthenticated", "The session is over.")
      const { session, signedIn } = makeSession({
        personId,
        tenantId,
        method: since.method,
        since,
      })
      const by = { at: now(), actor: `person:${personId}`, requestId }
      await records.openSession({ session, use: null, replaces: sessionId, ...by })
      return signedIn
    },

    endSession: ({ personId, requestId, id }) =>
      records.endSession({ personId, id, at: now(), actor: `person:${personId}`, requestId }),

    endOtherSessions: ({ personId, sessionId, requestId }) =>
      records.endSessions({
        personId,
        except: sessionId,
        at: now(),
        actor: `person:${personId}`,
        requestId,
      }),

    touchSessions: (seen) => records.touchSessions(seen),

    async setPassword({ password, ...acting }) {
      const { person } = await fileOf(acting.personId)
      refuseWeak(password, { email: addressIn(person.emailSealed, sealed) })
      const add = [passwordCredential(await passwords.hash(password))]
      await change(acting, "person.set-password", { remove: { kinds: ["password"] }, add })
    },

    async startPasskey({ personId, origin }) {
      const { person, credentials } = await fileOf(personId)
      const email = addressIn(person.emailSealed, sealed)
      const owner = { id: personId, name: person.name, email }
      const { challenge, options } = await creationOptions(origin, owner, credentials)
      return { step: steps.begin("add-passkey", { challenge, personId, origin }), options }
    },

    async addPasskey({ step, passkey, label, origin, ...acting }) {
      const begun = await steps.take("add-passkey", step)
      if (begun["personId"] !== acting.personId || begun["origin"] !== origin)
        throw new Problem("passkey-refused", "Begin again.")
      const asked = { origin, challenge: String(begun["challenge"]) }
      const add = [await createdPasskey(asked, passkey, label)]
      await change(acting, "person.add-passkey", { remove: {}, add })
    },

    async removePasskey({ id, ...acting }) {
      const { credentials } = await fileOf(acting.personId)
      if (!credentials.some((each) => each.id === id && each.kind === "passkey"))
        throw new Problem("entry-not-found", "Nothing was changed.")
      await change(acting, "person.remove-passkey", { remove: { ids: [id] }, add: [] })
    },

    async startTotp({ personId }) {
      const { person } = await fileOf(personId)
      const secret = newTotpSecret()
      const uri = totpUri(secret, "Assay", addressIn(person.emailSealed, sealed))
      return { step: steps.begin("totp", { personId, secret }), secret, uri }
    },

    async confirmTotp({ step, code, ...acting }) {
      const { personId, secret } = await steps.read("totp", step)
      if (personId !== acting.personId) throw new Problem("step-over", "Begin again.")
      const counter = totpStepOf(String(secret), code, now())
      if (counter === null) throw new Problem("sign-in-refused", "The code is wrong.")
      await steps.take("totp", step)
      const { codes, credentials } = newCodes()
      const app: NewCredential = {
        id: newCredentialId(),
        kind: "totp",
        secret: sealed.totp.seal(String(secret)),
        // This code was used to set it up, and is not good a second time.
        counter,
        label: "",
        transports: [],
      }
      const remove = { kinds: ["totp", "recovery"] } as const
      await change(acting, "person.set-totp", { remove, add: [app, ...credentials] })
      return codes
    },

    removeTotp: (acting) =>
      change(acting, "person.remove-totp", { remove: { kinds: ["totp", "recovery"] }, add: [] }),

    async makeRecoveryCodes(acting) {
      const { credentials: own } = await fileOf(acting.personId)
      if (!own.some(({ kind }) => kind === "totp"))
        throw new Problem("entry-not-found", "Codes take the place of an app; set one up first.")
      const { codes, credentials } = newCodes()
      const of = { remove: { kinds: ["recovery"] as const }, add: credentials }
      await change(acting, "person.make-recovery-codes", of)
      return codes
    },
  }
}
