import type {
  InvitationDetails,
  JoinRequest,
  MemberList,
  NewInvitationLink,
  OwnAccount,
  OwnSessions,
  PasskeyStart,
  RecoveryCodes,
  SignInAnswer,
  TotpStart,
} from "@assay/core/contract"
import type { SessionSettings } from "./options.ts"
import type { CallOptions } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** What a browser gives of a passkey, as JSON. */
export type PasskeyJson = Readonly<Record<string, unknown>>

/** Signing in and joining. Each that ends in a session makes it the one of this client. */
export interface SignInCalls {
  byPassword(email: string, password: string, options?: CallOptions): Promise<SignInAnswer>
  /** The code of an authenticator app, or a recovery code. */
  secondStep(step: string, code: string, options?: CallOptions): Promise<SignInAnswer>
  startPasskey(options?: CallOptions): Promise<PasskeyStart>
  byPasskey(step: string, passkey: PasskeyJson, options?: CallOptions): Promise<SignInAnswer>
  /** What an invitation is for, by the token of its link. */
  look(token: string, options?: CallOptions): Promise<InvitationDetails>
  startJoinByPasskey(
    who: Pick<JoinRequest, "token" | "name" | "email">,
    options?: CallOptions,
  ): Promise<PasskeyStart>
  join(request: JoinRequest, options?: CallOptions): Promise<SignInAnswer>
  /** Takes up an invitation as somebody who is signed in. */
  accept(token: string, options?: CallOptions): Promise<SignInAnswer>
  /** Acts in another tenant of the person's own; null: in none. */
  actIn(tenantId: number | null, options?: CallOptions): Promise<SignInAnswer>
  out(options?: CallOptions): Promise<void>
}

/** The account of the person who is signed in. */
export interface OwnAccountCalls {
  get(options?: CallOptions): Promise<OwnAccount>
  sessions(options?: CallOptions): Promise<OwnSessions>
  endSession(id: string, options?: CallOptions): Promise<void>
  endOtherSessions(options?: CallOptions): Promise<{ ended: number }>
  setPassword(password: string, options?: CallOptions): Promise<void>
  startPasskey(options?: CallOptions): Promise<PasskeyStart>
  addPasskey(
    step: string,
    passkey: PasskeyJson,
    label: string,
    options?: CallOptions,
  ): Promise<void>
  removePasskey(id: string, options?: CallOptions): Promise<void>
  startTotp(options?: CallOptions): Promise<TotpStart>
  confirmTotp(step: string, code: string, options?: CallOptions): Promise<RecoveryCodes>
  removeTotp(options?: CallOptions): Promise<void>
  makeRecoveryCodes(options?: CallOptions): Promise<RecoveryCodes>
}

/** Members of the tenant the person acts in, or people of the service. */
export interface MemberCalls {
  list(options?: CallOptions): Promise<MemberList>
  invite(role: string, options?: CallOptions): Promise<NewInvitationLink>
  endInvitation(id: string, options?: CallOptions): Promise<void>
  setRole(personId: string, role: string, options?: CallOptions): Promise<void>
  remove(personId: string, options?: CallOptions): Promise<void>
}

export function signInCalls(send: Send, { csrf }: Pick<SessionSettings, "csrf">): SignInCalls {
  /** Every sign-in is another session, with a token of its own. */
  const kept = async (answer: Promise<SignInAnswer>): Promise<SignInAnswer> => {
    const { csrf_token: token } = await answer
    if (token !== undefined) csrf.token = token
    return await answer
  }
  const session = (path: string, body: object, options?: CallOptions): Promise<SignInAnswer> =>
    kept(send("POST", path, "state", { body, options }))
  return {
    byPassword: (email, password, options) => session("/session", { email, password }, options),
    secondStep: (step, code, options) => session("/session/second-step", { step, code }, options),
    startPasskey: (options) =>
      send("POST", "/session/passkey/start", "step", { body: {}, options }),
    byPasskey: (step, passkey, options) => session("/session/passkey", { step, passkey }, options),
    look: (token, options) => send("POST", "/join/look", "back_in", { body: { token }, options }),
    startJoinByPasskey: (body, options) =>
      send("POST", "/join/passkey/start", "step", { body, options }),
    join: (request, options) => session("/join", request, options),
    accept: (token, options) => session("/join/accept", { token }, options),
    actIn: (tenantId, options) =>
      kept(send("PUT", "/session/tenant", "state", { body: { tenant_id: tenantId }, options })),
    async out(options) {
      await send("DELETE", "/session", null, { options })
      csrf.token = null
    },
  }
}

export function ownAccountCalls(send: Send): OwnAccountCalls {
  return {
    get: (options) => send("GET", "/me", "person_id", { options }),
    sessions: (options) => send("GET", "/me/sessions", "sessions", { options }),
    endSession: async (id, options) =>
      void (await send("DELETE", `/me/sessions/${idIn(id)}`, null, { options })),
    endOtherSessions: (options) => send("DELETE", "/me/sessions", "ended", { options }),
    setPassword: async (password, options) =>
      void (await send("PUT", "/me/password", null, { body: { password }, options })),
    startPasskey: (options) => send("POST", "/me/passkeys/start", "step", { body: {}, options }),
    addPasskey: async (step, passkey, label, options) =>
      void (await send("POST", "/me/passkeys", null, { body: { step, passkey, label }, options })),
    removePasskey: async (id, options) =>
      void (await send("DELETE", `/me/passkeys/${idIn(id)}`, null, { options })),
    startTotp: (options) => send("POST", "/me/totp/start", "step", { body: {}, options }),
    confirmTotp: (step, code, options) =>
      send("POST", "/me/totp", "recovery_codes", { body: { step, code }, options }),
    removeTotp: async (options) => void (await send("DELETE", "/me/totp", null, { options })),
    makeRecoveryCodes: (options) =>
      send("POST", "/me/recovery-codes", "recovery_codes", { body: {}, options }),
  }
}

export function memberCalls(send: Send): MemberCalls {
  return {
    list: (options) => send("GET", "/members", "members", { options }),
    invite: (role, options) =>
      send("POST", "/members/invitations", "link", { body: { role }, options }),
    endInvitation: async (id, options) =>
      void (await send("DELETE", `/members/invitations/${idIn(id)}`, null, { options })),
    setRole: async (personId, role, options) =>
      void (await send("PUT", `/members/${idIn(personId)}/role`, null, {
        body: { role },
        options,
      })),
    remove: async (personId, options) =>
      void (await send("DELETE", `/members/${idIn(personId)}`, null, { options })),
  }
}
