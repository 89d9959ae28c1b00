import { RecordsError } from "@assay/stores/records-error"
import type { Records } from "@assay/stores/records"
import type { Credential, PersonFile } from "@assay/stores/records-people"
import type { CredentialUse } from "@assay/stores/records-sessions"
import { Problem } from "../base/problem.ts"
import type { Guesses } from "./guesses.ts"
import { deviceOf, type MakeSession } from "./new-session.ts"
import { passkeyCounter, requestOptions } from "./passkeys.ts"
import type { Passwords } from "./passwords.ts"
import type { People, SignedIn, Visitor } from "./people.ts"
import { addressOf, type SealedPeople } from "./sealed-people.ts"
import type { Steps } from "./steps.ts"
import { asRecoveryCode, totpStepOf } from "./totp.ts"

/** What all parts of the writer work with. */
export interface PeopleTools {
  readonly records: Records
  readonly sealed: SealedPeople
  readonly passwords: Passwords
  readonly guesses: Guesses
  readonly steps: Steps
  readonly makeSession: MakeSession
  readonly now: () => number
}

type SigningIn = Pick<
  People,
  "signIn" | "sendSecondStep" | "startPasskeySignIn" | "signInByPasskey"
>

/** Signing in. No answer tells whether somebody has an address, and none comes sooner for it. */
export function openSignIn(tools: PeopleTools): SigningIn {
  const { records, sealed, passwords, guesses, steps, makeSession, now } = tools

  async function open(
    { person, memberships }: PersonFile,
    method: string,
    use: CredentialUse | null,
    { requestId }: Visitor,
  ): Promise<SignedIn> {
    const tenantId = memberships[0]?.tenantId ?? null
    const { session, signedIn } = makeSession({ personId: person.id, tenantId, method })
    const by = { at: now(), actor: `person:${person.id}`, requestId }
    await records.openSession({ session, use, replaces: null, ...by }).catch((error: unknown) => {
      // A code or a passkey's answer that somebody sent a second time.
      if (error instanceof RecordsError && error.code === "credential-used") throw refused()
      throw error
    })
    return signedIn
  }

  return {
    async signIn({ email, password, visitor }) {
      const hash = sealed.addressHash(addressOf(email))
      const found = await records.personByEmail(hash)
      const device = found === null ? null : deviceOf(visitor.device, found.person.id, sealed)
      const account = Buffer.from(hash).toString("base64")
      const attempt = guesses.take({ network: visitor.network, account, device })
      const stored = found?.credentials.find(({ kind }) => kind === "password")?.secret ?? null
      const asked = { known: device !== null, first: attempt.everywhere }
      if (!(await passwords.matches(password, stored, asked)) || found === null) throw refused()
      await attempt.giveBack()
      if (!found.credentials.some(({ kind }) => kind === "totp"))
        return await open(found, "password", null, visitor)
      return { step: steps.begin("second-step", { personId: found.person.id }) }
    },

    async sendSecondStep({ step, code, visitor }) {
      const personId = String((await steps.read("second-step", step))["personId"])
      const found = await records.personById(personId)
      if (found === null) throw refused()
      const device = deviceOf(visitor.device, personId, sealed)
      const account = `second step of ${personId}`
      const attempt = guesses.take({ network: visitor.network, account, device })
      await attempt.everywhere()
      const use = useOf(code, found.credentials)
      if (use === null) throw refused()
      await steps.take("second-step", step)
      const signedIn = await open(found, use.counter === null ? "recovery" : "totp", use, visitor)
      await attempt.giveBack()
      return signedIn
    },

    async startPasskeySignIn({ origin }) {
      const { challenge, options } = await requestOptions(origin)
      return { step: steps.begin("passkey", { challenge, origin }), options }
    },

    // Not counted: nobody guesses a signature, and so nobody can keep the owner of a passkey out.
    async signInByPasskey({ step, passkey, visitor }) {
      const { challenge, origin } = await steps.take("passkey", step)
      if (origin !== visitor.origin) throw refused()
      const id = String(passkey["id"])
      const found = await records.personByCredential(id)
      const credential = found?.credentials.find((each) => each.id === id)
      if (found === null || credential?.kind !== "passkey") throw refused()
      const asked = { origin: visitor.origin, challenge: String(challenge) }
      const counter = await passkeyCounter(asked, passkey, credential)
      if (counter === null) throw refused()
      return await open(found, "passkey", { id, counter }, visitor)
    },
  }

  /** The credential that a code is of; null for a wrong code. */
  function useOf(code: string, credentials: readonly Credential[]): CredentialUse | null {
    for (const { id, secret } of credentials.filter(({ kind }) => kind === "totp")) {
      const opened = sealed.totp.open(secret)
      const counter = opened === null ? null : totpStepOf(opened, code, now())
      if (counter !== null) return { id, counter }
    }
    const hash = Buffer.from(sealed.recoveryHash(asRecoveryCode(code)))
    const recovery = credentials.find(
      ({ kind, secret, usedAt }) => kind === "recovery" && usedAt === null && hash.equals(secret),
    )
    return recovery === undefined ? null : { id: recovery.id, counter: null }
  }
}

function refused(): Problem {
  return new Problem(
    "sign-in-refused",
    "The address, the password, the passkey or the code is wrong.",
  )
}
