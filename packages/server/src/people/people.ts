import { problems, type ProblemCode } from "@assay/core/contract"
import { writerPort, type WriterPort } from "../base/writer-port.ts"
import { Problem } from "../base/problem.ts"
import type { SessionRecords } from "@assay/stores/records-sessions"
import type { NamedRole } from "./oidc/roles.ts"
import type { Json } from "./passkeys.ts"

/** Where a request comes from. */
export interface Visitor {
  /** null where it is not known. */
  readonly network: string | null
  /** The cookie of a browser that signed somebody in before. */
  readonly device: string | null
  /** Where people reach the console. */
  readonly origin: string
  /** For the audit trail. */
  readonly requestId: string
}

/** Somebody is signed in; the token is handed out this once. */
export interface SignedIn {
  readonly token: string
  readonly expiresAt: number
  /** For the cookie by which the browser is known again. */
  readonly device: string
}

export interface Started {
  readonly step: string
  readonly options: Json
}

/** Who is signed in and acts. */
export interface Acting {
  readonly personId: string
  readonly sessionId: string
  /** For the audit trail. */
  readonly requestId: string
}

/** Somebody who sees to members, and of what: null is the service. */
export interface Managing {
  readonly tenantId: number | null
  readonly actor: string
  readonly requestId: string
}

/** All that changes something about people, in the primary. */
export interface People {
  signIn(of: {
    email: string
    password: string
    visitor: Visitor
  }): Promise<SignedIn | { step: string }>
  sendSecondStep(of: { step: string; code: string; visitor: Visitor }): Promise<SignedIn>
  startPasskeySignIn(visitor: Visitor): Promise<Started>
  signInByPasskey(of: { step: string; passkey: Json; visitor: Visitor }): Promise<SignedIn>

  /** Uses a transaction at a provider up, or throws a Problem where it was. */
  takeTransaction(of: { id: string; endsAt: number }): Promise<void>
  /**
   * Signs in whom a provider knows, with the roles it gives and no others. `kept`: roles that it no
   * longer gives and that nobody else has.
   */
  signInFromOutside(of: {
    issuer: string
    subject: string
    name: string | null
    email: string | null
    roles: readonly NamedRole[]
    requestId: string
  }): Promise<SignedIn & { kept: string[] }>

  startJoin(of: {
    token: string
    name: string | null
    email: string | null
    visitor: Visitor
  }): Promise<Started>
  join(of: {
    token: string
    name: string | null
    email: string | null
    by: { password: string } | { step: string; passkey: Json }
    visitor: Visitor
  }): Promise<SignedIn>
  accept(of: Acting & { token: string }): Promise<SignedIn>

  actIn(of: Acting & { tenantId: number | null }): Promise<SignedIn>
  endSession(of: Acting & { id: string }): Promise<void>
  endOtherSessions(of: Acting): Promise<number>
  touchSessions: SessionRecords["touchSessions"]

  setPassword(of: Acting & { password: string }): Promise<void>
  startPasskey(of: Acting & { origin: string }): Promise<Started>
  addPasskey(
    of: Acting & { step: string; passkey: Json; label: string; origin: string },
  ): Promise<void>
  removePasskey(of: Acting & { id: string }): Promise<void>
  startTotp(of: Acting): Promise<{ step: string; secret: string; uri: string }>
  confirmTotp(of: Acting & { step: string; code: string }): Promise<string[]>
  removeTotp(of: Acting): Promise<void>
  makeRecoveryCodes(of: Acting): Promise<string[]>

  invite(of: Managing & { role: string }): Promise<{ id: string; token: string; expiresAt: number }>
  endInvitation(of: Managing & { id: string }): Promise<void>
  setRole(of: Managing & { personId: string; role: string | null }): Promise<void>
}

const port = writerPort<People>(
  "people",
  {
    signIn: true,
    sendSecondStep: true,
    startPasskeySignIn: true,
    signInByPasskey: true,
    takeTransaction: true,
    signInFromOutside: true,
    startJoin: true,
    join: true,
    accept: true,
    actIn: true,
    endSession: true,
    endOtherSessions: true,
    touchSessions: true,
    setPassword: true,
    startPasskey: true,
    addPasskey: true,
    removePasskey: true,
    startTotp: true,
    confirmTotp: true,
    removeTotp: true,
    makeRecoveryCodes: true,
    invite: true,
    endInvitation: true,
    setRole: true,
  },
  { failed: "The people of this service cannot be reached" },
)

/**
 * A Problem of the writer, and a fault of the records that has a name as one, arrives as it was.
 */
export const peoplePort: WriterPort<People> = {
  ...port,
  problemOf(error) {
    const code = MEANT[error.code] ?? error.code
    if (!isTold(code)) return port.problemOf(error)
    const [seconds] = /\d+/.exec(error.message) ?? []
    const headers =
      code === "guesses-exceeded" ? { "retry-after": seconds ?? "60" } : (RETRY[code] ?? {})
    return new Problem(code, error.message, { headers })
  },
}

/** Faults of the records by other names. */
const MEANT: Readonly<Record<string, ProblemCode>> = {
  "not-found": "entry-not-found",
  "credential-used": "passkey-refused",
}
const RETRY: Partial<Record<ProblemCode, Record<string, string>>> = {
  overloaded: { "retry-after": "5" },
}

function isTold(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code) && code !== "internal-error"
}
