import { randomBytes } from "node:crypto"
import type { Challenge } from "altcha-lib"
import type { SignUpMode } from "@assay/core/contract"
import type { Secrets } from "@assay/runtime/secrets"
import { DAY_MS } from "@assay/runtime/time"
import { RecordsError, type RecordsFault } from "@assay/stores/records-error"
import type { LeaseRecords } from "@assay/stores/records-nodes"
import type { SignedUp, SignUp, SignUpRecords } from "@assay/stores/records-signups"
import { WAITING_SIGNUP_DAYS } from "../base/retention.ts"
import { hashApiKey, hintOf, mintApiKey } from "../accounts/api-key.ts"
import { newKeyId } from "../accounts/first-keys.ts"
import { plans } from "../accounts/plans.ts"
import { openKeyedHash, openSealer } from "../accounts/sealed.ts"
import { hashOfToken, newToken } from "../accounts/sessions.ts"
import type { SendMail } from "../base/mail.ts"
import { openProofOfWork, openSpentWork, sharedSpentWork } from "./proof-of-work.ts"
import { openSignUpsADay, sharedSignUpsADay } from "./sign-ups-a-day.ts"
import { alreadyLetter, tokenLetter } from "./letters.ts"

/** The plan of everybody who signs up. */
export const SIGN_UP_PLAN = "free"
const MAIL_TOKEN_MS = DAY_MS
const APPROVED_TOKEN_MS = 7 * DAY_MS
const OWNER_LINK_MS = 7 * DAY_MS
const WAITING_MS = WAITING_SIGNUP_DAYS * DAY_MS
const LIST_MAX = 100

/** What a worker has read of a sign-up. */
export interface AskedSignUp {
  readonly organisation: string
  readonly email: string
  readonly purposes: readonly string[]
  readonly terms: string
  readonly proof: object
  /** The network it came from; null where that is not known. */
  readonly network: string | null
  /** For the audit trail. */
  readonly requestId: string
}

/** A tenant that was made; `key` and `ownerToken` are never kept. */
export interface NewTenant {
  readonly tenant: string
  readonly plan: string
  readonly key: string
  readonly keyId: string
  readonly ownerToken: string
}

/** Why nothing was kept or made, by the code of the problem. */
export interface Refused {
  readonly refused:
    | "proof-refused"
    | "sign-ups-exceeded"
    | "mail-unavailable"
    | "token-over"
    | "sign-up-not-found"
}

export type SignUpOutcome = NewTenant | Refused | { readonly state: "mail-sent" | "waiting" }

export interface WaitingSignUp extends Omit<SignUp, "emailHash" | "emailSealed"> {
  readonly email: string
}

/** Who decides on a sign-up; a command has no request. */
export interface Decider {
  readonly actor: string
  readonly requestId: string | null
}

/**
 * Takes sign-ups, in the primary: what it counts and what was used up is in its memory, or in the
 * records where other nodes share them.
 */
export interface SignUps {
  challenge(): Promise<Challenge>
  ask(asked: AskedSignUp): Promise<SignUpOutcome>
  confirm(token: string, requestId: string): Promise<NewTenant | Refused>
  waiting(): Promise<WaitingSignUp[]>
  /** The token to hand on; null where it went out by mail. */
  approve(id: string, by: Decider): Promise<{ readonly token: string | null } | Refused>
  refuse(id: string, by: Decider): Promise<Refused | null>
}

export interface SignUpWriter extends SignUps {
  settleDue(): Promise<void>
  forget(): Promise<void>
}

interface Options {
  readonly mode: SignUpMode
  readonly records: SignUpRecords &
    Pick<LeaseRecords, "useOnce" | "takeAttempts" | "forgetAttempts">
  /** No other node can share the records. */
  readonly alone: boolean
  readonly secrets: Pick<Secrets, "subkeys">
  /** null: an approval's token is handed on by the administrator. */
  readonly sendMail: SendMail | null
  readonly now: () => number
}

/**
 * Work comes first, then the day's count, then the store: what is dear to us is done only for
 * those who did something for it.
 */
export function openSignUpWriter(options: Options): SignUpWriter {
  const { mode, records, alone, secrets, sendMail, now } = options
  const subkey = secrets.subkeys["sealed-identity"]
  const spent = alone ? openSpentWork(now) : sharedSpentWork(records)
  const proofs = openProofOfWork(subkey, spent, now)
  const days = alone ? openSignUpsADay(now) : sharedSignUpsADay({ records, subkey, now })
  const addresses = openSealer(subkey, "sign-up address")
  const addressHash = openKeyedHash(subkey, "sign-up address")

  const signUpOf = ({ organisation, email, purposes, terms }: AskedSignUp): SignUp => ({
    id: `su_${randomBytes(8).toString("hex")}`,
    at: now(),
    organisation,
    emailHash: addressHash(email),
    emailSealed: addresses.seal(email),
    purposes: [...purposes],
    terms,
  })
  const addressOf = ({ emailSealed }: SignUp): string => {
    const email = addresses.open(emailSealed)
    if (email === null) throw new Error("A sign-up was sealed under another secret")
    return email
  }

  /**
   * Keeps the sign-up before its token is mailed, so that no token is out that is not known; where
   * the mail cannot be sent, it is taken back.
   */
  async function mailToken(asked: AskedSignUp, send: SendMail): Promise<boolean> {
    const signUp = signUpOf(asked)
    // Answered the same, so that nobody learns who is here; its owner alone is told.
    if (await records.hasSignedUp(signUp.emailHash)) return await send(alreadyLetter(asked.email))
    const token = newToken()
    const kept = { tokenHash: hashOfToken(token), expiresAt: now() + MAIL_TOKEN_MS }
    await records.addSignUp({ signUp, token: kept, requestId: asked.requestId })
    const sent = await send(tokenLetter(asked.email, asked.organisation, token, "a day"))
    if (!sent) await records.dropSignUp(signUp.id)
    return sent
  }

  return {
    challenge: () => proofs.challenge(),

    async ask(asked) {
      if (!(await proofs.accept(asked.proof))) return { refused: "proof-refused" }
      if (!(await days.admit(asked.network))) return { refused: "sign-ups-exceeded" }
      if (mode === "open") {
        const { made, shown } = newTenant(now(), asked.requestId)
        const tenant = nameOf(asked.organisation)
        await records.signUpAtOnce({ ...made(tenant), signUp: signUpOf(asked) })
        return { tenant, ...shown }
      }
      if (mode === "confirmed") {
        if (sendMail === null) throw new Error("Sign-ups are confirmed without mail being set up")
        const sent = await mailToken(asked, sendMail)
        return sent ? { state: "mail-sent" } : { refused: "mail-unavailable" }
      }
      await records.addSignUp({ signUp: signUpOf(asked), token: null, requestId: asked.requestId })
      return { state: "waiting" }
    },

    async confirm(token, requestId) {
      const { made, shown } = newTenant(now(), requestId)
      const tokenHash = hashOfToken(token)
      const signUp = await records.signUpByToken({ tokenHash, at: now() })
      if (signUp === null) return { refused: "token-over" }
      const tenant = nameOf(signUp.organisation)
      const done = records.completeSignUp({ ...made(tenant), tokenHash })
      // The same token may have been shown twice at once; one of them is first.
      const refused = await refusedAs("invitation-over", "token-over", done)
      return refused ?? { tenant, ...shown }
    },

    async waiting() {
      const found = await records.waitingSignUps(LIST_MAX)
      return found.map((signUp) => {
        const { id, at, organisation, purposes, terms } = signUp
        return { id, at, organisation, purposes, terms, email: addressOf(signUp) }
      })
    },

    async approve(id, by) {
      const token = newToken()
      const kept = { tokenHash: hashOfToken(token), expiresAt: now() + APPROVED_TOKEN_MS }
      const signUp = await records.waitingSignUp(id)
      if (signUp === null) return { refused: "sign-up-not-found" }
      const decided = records.decideSignUp({ id, token: kept, at: now(), ...by })
      const refused = await refusedAs("not-found", "sign-up-not-found", decided)
      if (refused !== null) return refused
      if (sendMail === null) return { token }
      const letter = tokenLetter(addressOf(signUp), signUp.organisation, token, "seven days")
      // An approval stands: what could not be mailed is handed on by the administrator.
      return { token: (await sendMail(letter)) ? null : token }
    },

    refuse: (id, by) =>
      refusedAs(
        "not-found",
        "sign-up-not-found",
        records.decideSignUp({ id, token: null, at: now(), ...by }),
      ),

    settleDue: async () => undefined,
    forget: async () => {
      const before = now() - DAY_MS
      await records.forgetSignUps({ before, waitingBefore: now() - WAITING_MS })
      if (!alone) await records.forgetAttempts()
    },
  }
}

/** null where it was done, and what the caller reads where the records refused it so. */
async function refusedAs(
  fault: RecordsFault,
  refused: Refused["refused"],
  work: Promise<unknown>,
): Promise<Refused | null> {
  try {
    await work
    return null
  } catch (error) {
    if (error instanceof RecordsError && error.code === fault) return { refused }
    throw error
  }
}

/** All that a sign-up makes, and what of it is shown once. */
function newTenant(
  at: number,
  requestId: string,
): {
  made: (name: string) => SignedUp
  shown: Omit<NewTenant, "tenant">
} {
  const [key, keyId, ownerToken] = [mintApiKey(), newKeyId(), newToken()]
  const made = (name: string): SignedUp => ({
    tenant: { name, plan: SIGN_UP_PLAN },
    key: {
      id: keyId,
      hash: hashApiKey(key),
      hint: hintOf(key),
      label: "first key",
      scopes: plans[SIGN_UP_PLAN].scopes,
      expiresAt: null,
    },
    invitation: {
      id: `inv_${randomBytes(8).toString("hex")}`,
      tokenHash: hashOfToken(ownerToken),
      role: "owner",
      personId: null,
      expiresAt: at + OWNER_LINK_MS,
    },
    at,
    requestId,
  })
  return { made, shown: { plan: SIGN_UP_PLAN, key, keyId, ownerToken } }
}

/**
 * A tenant's name: what the organisation is called, and some random letters, so that no answer says
 * whether a name is taken.
 */
function nameOf(organisation: string): string {
  const words = organisation
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40)
  return `${words === "" ? "tenant" : words}-${randomBytes(4).toString("hex")}`
}
