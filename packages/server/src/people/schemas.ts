import {
  ActingRequest,
  Done,
  EndedSessions,
  InvitationDetails,
  InvitationRequest,
  InviteRequest,
  JoinPasskeyRequest,
  JoinRequest,
  MemberList,
  MemberRoleRequest,
  NewInvitationLink,
  NewPasskeyRequest,
  OwnAccount,
  OwnSessions,
  PasskeyRequest,
  PasskeyStart,
  PasswordRequest,
  type ProblemCode,
  RecoveryCodes,
  SecondStepRequest,
  SessionDetails,
  SignInAnswer,
  SignInRequest,
  TotpRequest,
  TotpStart,
} from "@assay/core/contract"
import { type TSchema, Type } from "typebox"
import { failures, named } from "../http/schemas.ts"

/** What a request of anybody may be answered with. */
const OF_ANYONE = [
  "malformed-json",
  "invalid-request",
  "body-too-large",
  "unsupported-media-type",
  "cross-site",
  "people-off",
  "internal-error",
  "store-unavailable",
  "overloaded",
] as const satisfies readonly ProblemCode[]
const OF_SIGNING_IN = [...OF_ANYONE, "sign-in-refused", "guesses-exceeded"] as const
const OF_SESSIONS = [
  ...OF_ANYONE,
  "unauthenticated",
  "insufficient-role",
  "insufficient-scope",
  "rate-limited",
  "limits-unavailable",
] as const satisfies readonly ProblemCode[]
/** A path that is no text has no operation. */
const OF_IDS = ["entry-not-found", "not-found"] as const satisfies readonly ProblemCode[]
const OF_OWN_CREDENTIALS = [
  ...OF_SESSIONS,
  "sign-in-again",
  "entry-not-found",
  "outside-account",
] as const
const WITHOUT_BODY: readonly ProblemCode[] = [
  "malformed-json",
  "body-too-large",
  "unsupported-media-type",
]
const reading = (codes: readonly ProblemCode[]): ProblemCode[] =>
  codes.filter((code) => !WITHOUT_BODY.includes(code))

function answering<T extends TSchema>(
  schema: T,
  description: string,
  codes: readonly ProblemCode[],
) {
  return { response: { 200: named(schema, description), ...failures(...codes) } }
}

const session = { tags: ["Session"], security: [{ session: [] }] }
const open = { tags: ["Session"], security: [] }
const account = { tags: ["Account"], security: [{ session: [] }] }
const members = { tags: ["Members"], security: [{ session: [] }] }
const ID = Type.Object({ id: Type.String({ minLength: 1, maxLength: 1500 }) })

export const signInSchema = {
  ...open,
  operationId: "signIn",
  summary: "Sign in with a password",
  description:
    "The answer sets the cookie of the session, unless a second step is due. Failed attempts are counted by network and by address; a browser that signed in before has attempts of its own.",
  body: named(SignInRequest),
  ...answering(SignInAnswer, "Signed in, or what is still needed.", [
    ...OF_SIGNING_IN,
    "not-an-email",
  ]),
}
export const secondStepSchema = {
  ...open,
  operationId: "sendSecondStep",
  summary: "Finish signing in with a code",
  description: "Takes a code of the authenticator app, or a recovery code; each is good once.",
  body: named(SecondStepRequest),
  ...answering(SignInAnswer, "Signed in.", [...OF_SIGNING_IN, "step-over"]),
}
export const startPasskeySignInSchema = {
  ...open,
  operationId: "startPasskeySignIn",
  summary: "Begin to sign in with a passkey",
  ...answering(PasskeyStart, "What to hand to the browser.", reading(OF_ANYONE)),
}
export const passkeySignInSchema = {
  ...open,
  operationId: "signInByPasskey",
  summary: "Sign in with a passkey",
  description: "A passkey checks the person itself, so no second step follows.",
  body: named(PasskeyRequest),
  ...answering(SignInAnswer, "Signed in.", [...OF_SIGNING_IN, "step-over"]),
}
export const sessionSchema = {
  ...session,
  operationId: "getSession",
  summary: "See who is signed in",
  ...answering(SessionDetails, "The session and what it allows.", reading(OF_SESSIONS)),
}
export const actInSchema = {
  ...session,
  operationId: "actInTenant",
  summary: "Act in another tenant of your own",
  description: "The session gets a new cookie and a new token, since it has other rights.",
  body: named(ActingRequest),
  ...answering(SignInAnswer, "The session goes on.", [...OF_SESSIONS, "entry-not-found"]),
}
export const signOutSchema = {
  ...session,
  operationId: "signOut",
  summary: "Sign out",
  ...answering(Done, "The session is over.", [...reading(OF_SESSIONS), "entry-not-found"]),
}

export const lookSchema = {
  ...open,
  operationId: "lookAtInvitation",
  summary: "See what an invitation is for",
  body: named(InvitationRequest),
  ...answering(InvitationDetails, "What taking it up gives.", [...OF_ANYONE, "invitation-over"]),
}
export const startJoinSchema = {
  ...open,
  operationId: "startJoinByPasskey",
  summary: "Begin to take up an invitation with a passkey",
  body: named(JoinPasskeyRequest),
  ...answering(PasskeyStart, "What to hand to the browser.", [
    ...OF_ANYONE,
    "invitation-over",
    "not-an-email",
  ]),
}
export const joinSchema = {
  ...open,
  operationId: "join",
  summary: "Take up an invitation",
  description:
    "With a password, or with `step` and `passkey`. Somebody new gives name and address; a link by which somebody gets back in takes neither, and replaces all they signed in by. The answer sets the cookie of a session.",
  body: named(JoinRequest),
  ...answering(SignInAnswer, "Joined and signed in.", [
    ...OF_ANYONE,
    "invitation-over",
    "address-taken",
    "last-owner",
    "outside-account",
    "not-an-email",
    "password-weak",
    "passkey-refused",
    "step-over",
  ]),
}
export const acceptSchema = {
  ...session,
  operationId: "acceptInvitation",
  summary: "Take up an invitation as somebody who is signed in",
  description: "The session gets a new cookie and a new token, since it has other rights.",
  body: named(InvitationRequest),
  ...answering(SignInAnswer, "Joined.", [...OF_SESSIONS, "invitation-over", "last-owner"]),
}

export const accountSchema = {
  ...account,
  operationId: "getOwnAccount",
  summary: "See your own account",
  ...answering(OwnAccount, "What you sign in by.", reading(OF_SESSIONS)),
}
export const sessionsSchema = {
  ...account,
  operationId: "listOwnSessions",
  summary: "See where you are signed in",
  ...answering(OwnSessions, "The one used last first.", reading(OF_SESSIONS)),
}
export const endSessionSchema = {
  ...account,
  operationId: "endOwnSession",
  summary: "End one of your sessions",
  params: ID,
  ...answering(Done, "It is over within 5 seconds.", [...reading(OF_SESSIONS), ...OF_IDS]),
}
export const endOthersSchema = {
  ...account,
  operationId: "endOtherSessions",
  summary: "End all your sessions but this one",
  ...answering(EndedSessions, "How many there were.", reading(OF_SESSIONS)),
}
export const setPasswordSchema = {
  ...account,
  operationId: "setPassword",
  summary: "Set your password",
  description: "Ends all your other sessions.",
  body: named(PasswordRequest),
  ...answering(Done, "The new one is needed from now on.", [
    ...OF_OWN_CREDENTIALS,
    "password-weak",
  ]),
}
export const startPasskeySchema = {
  ...account,
  operationId: "startPasskey",
  summary: "Begin to add a passkey",
  ...answering(PasskeyStart, "What to hand to the browser.", reading(OF_OWN_CREDENTIALS)),
}
export const addPasskeySchema = {
  ...account,
  operationId: "addPasskey",
  summary: "Add a passkey",
  description: "Ends all your other sessions.",
  body: named(NewPasskeyRequest),
  ...answering(Done, "You can sign in with it.", [
    ...OF_OWN_CREDENTIALS,
    "passkey-refused",
    "step-over",
  ]),
}
export const removePasskeySchema = {
  ...account,
  operationId: "removePasskey",
  summary: "Remove a passkey",
  description: "Ends all your other sessions.",
  params: ID,
  ...answering(Done, "It opens nothing any more.", [
    ...reading(OF_OWN_CREDENTIALS),
    "not-found",
    "last-credential",
  ]),
}
export const startTotpSchema = {
  ...account,
  operationId: "startTotp",
  summary: "Begin to use an authenticator app",
  description: "Nothing is asked for before a code of it was confirmed.",
  ...answering(TotpStart, "What to hand to the app.", reading(OF_OWN_CREDENTIALS)),
}
export const confirmTotpSchema = {
  ...account,
  operationId: "confirmTotp",
  summary: "Confirm the authenticator app with a code",
  description: "A sign-in with the password then takes a code too. Ends all your other sessions.",
  body: named(TotpRequest),
  ...answering(RecoveryCodes, "Codes for the day the app is lost.", [
    ...OF_OWN_CREDENTIALS,
    "sign-in-refused",
    "step-over",
  ]),
}
export const removeTotpSchema = {
  ...account,
  operationId: "removeTotp",
  summary: "Stop using the authenticator app",
  description: "Its recovery codes go with it. Ends all your other sessions.",
  ...answering(Done, "The password alone signs you in.", reading(OF_OWN_CREDENTIALS)),
}
export const recoveryCodesSchema = {
  ...account,
  operationId: "makeRecoveryCodes",
  summary: "Make new recovery codes",
  description: "The old ones open nothing any more. Ends all your other sessions.",
  ...answering(RecoveryCodes, "The new ones.", reading(OF_OWN_CREDENTIALS)),
}

export const membersSchema = {
  ...members,
  operationId: "listMembers",
  summary: "See who belongs to the tenant",
  description:
    "To the tenant you act in. An administrator who acts in none sees who has a role for the service.",
  ...answering(MemberList, "Members, and invitations nobody took up yet.", reading(OF_SESSIONS)),
}
export const inviteSchema = {
  ...members,
  operationId: "inviteMember",
  summary: "Invite somebody by a link",
  body: named(InviteRequest),
  ...answering(NewInvitationLink, "The link, this once.", OF_SESSIONS),
}
export const endInvitationSchema = {
  ...members,
  operationId: "endInvitation",
  summary: "Take an invitation back",
  params: ID,
  ...answering(Done, "The link opens nothing any more.", [...reading(OF_SESSIONS), ...OF_IDS]),
}
export const setRoleSchema = {
  ...members,
  operationId: "setMemberRole",
  summary: "Give a member another role",
  description: "Ends the sessions of that person. The last owner stays one.",
  params: ID,
  body: named(MemberRoleRequest),
  ...answering(Done, "It holds at the next sign-in.", [...OF_SESSIONS, ...OF_IDS, "last-owner"]),
}
export const removeMemberSchema = {
  ...members,
  operationId: "removeMember",
  summary: "Remove a member, or leave",
  description: "Ends the sessions of that person. The last owner stays.",
  params: ID,
  ...answering(Done, "That person is no member any more.", [
    ...reading(OF_SESSIONS),
    ...OF_IDS,
    "last-owner",
  ]),
}
