import { type Static, Type } from "typebox"
import { SERVICE_ROLES, TENANT_ROLES } from "./rights.ts"

const exactly = { additionalProperties: false }

/** The shortest password that is taken. */
export const PASSWORD_LENGTH_MIN = 12

const Email = Type.String({
  minLength: 3,
  maxLength: 320,
  description: "The person's own address, by which they sign in.",
})
const NewPassword = Type.String({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: 200,
  description: `At least ${PASSWORD_LENGTH_MIN} characters, and none that many people use.`,
})
const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^\\P{C}+$",
  description: "As others see the person.",
})
const Step = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: "As the answer to the first request gave it; good once, for some minutes.",
})
const Moment = Type.String({ format: "date-time" })
const Role = Type.String({ description: "What the person is." })
const MemberRole = Type.Unsafe<string>({
  type: "string",
  enum: [...TENANT_ROLES, ...SERVICE_ROLES],
  description:
    "`owner`, `analyst` or `viewer` in a tenant; `administrator` or `drop-recipient` for the service.",
})
/** What a browser's passkey interface gives or takes, as WebAuthn defines its JSON. */
const PasskeyJson = Type.Record(Type.String(), Type.Unknown(), {
  description: "As `PublicKeyCredential.toJSON()` of the browser gives it.",
})
const PasskeyOptions = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.",
})
const Token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Of the link, behind its `#`.",
})
const Code = Type.String({ minLength: 1, maxLength: 40 })

export const SignInRequest = Type.Object(
  { email: Email, password: Type.String({ minLength: 1, maxLength: 1000 }) },
  { $id: "SignInRequest", ...exactly },
)
export type SignInRequest = Static<typeof SignInRequest>

export const SecondStepRequest = Type.Object(
  {
    step: Step,
    code: Type.String({
      minLength: 1,
      maxLength: 40,
      description: "Six digits of the authenticator app, or a recovery code.",
    }),
  },
  { $id: "SecondStepRequest", ...exactly },
)
export const PasskeyRequest = Type.Object(
  { step: Step, passkey: PasskeyJson },
  { $id: "PasskeyRequest", ...exactly },
)
export const PasskeyStart = Type.Object(
  { step: Step, options: PasskeyOptions },
  { $id: "PasskeyStart", ...exactly },
)
export type PasskeyStart = Static<typeof PasskeyStart>

export const Membership = Type.Object(
  { tenant_id: Type.Integer(), tenant: Type.String(), role: Role },
  exactly,
)

/** Who is signed in, where, and what that allows. */
export const SessionDetails = Type.Object(
  {
    person_id: Type.String(),
    name: Type.String(),
    tenant_id: Type.Union([Type.Integer(), Type.Null()], {
      description: "The tenant the person acts in; null: in none, for the service alone.",
    }),
    tenant: Type.Union([Type.String(), Type.Null()]),
    roles: Type.Array(Role, { description: "In that tenant, and for the service." }),
    scopes: Type.Array(Type.String(), {
      description:
        "What the plan of that tenant has; the roles say how much of it is the person's. None for the service.",
    }),
    memberships: Type.Array(Membership, { description: "Tenants the person can act in." }),
    signed_in_at: Moment,
    expires_at: Type.String({
      format: "date-time",
      description: "When it ends, also if it is used.",
    }),
    csrf_token: Type.String({
      description: "Send it as `X-CSRF-Token` with every request of this session that is no GET.",
    }),
  },
  { $id: "Session", ...exactly },
)
export type SessionDetails = Static<typeof SessionDetails>

export const SignInAnswer = Type.Object(
  {
    state: Type.Unsafe<"signed_in" | "second_step">({
      type: "string",
      enum: ["signed_in", "second_step"],
      description: "`second_step`: send a code with `step`. Nobody is signed in before that.",
    }),
    step: Type.Optional(Step),
    csrf_token: Type.Optional(Type.String()),
    expires_at: Type.Optional(Moment),
  },
  { $id: "SignInAnswer", ...exactly },
)
export type SignInAnswer = Static<typeof SignInAnswer>

export const ActingRequest = Type.Object(
  {
    tenant_id: Type.Union([Type.Integer(), Type.Null()], {
      description: "A tenant of the person's own, or null for none.",
    }),
  },
  { $id: "ActingRequest", ...exactly },
)

export const InvitationRequest = Type.Object(
  { token: Token },
  { $id: "InvitationRequest", ...exactly },
)
export const InvitationDetails = Type.Object(
  {
    tenant: Type.Union([Type.String(), Type.Null()], {
      description: "null: the service itself.",
    }),
    role: Type.Union([Role, Type.Null()]),
    back_in: Type.Boolean({
      description: "The link lets somebody known set what they sign in by anew.",
    }),
    expires_at: Moment,
  },
  { $id: "InvitationDetails", ...exactly },
)
export type InvitationDetails = Static<typeof InvitationDetails>
export const JoinPasskeyRequest = Type.Object(
  { token: Token, name: Type.Optional(Name), email: Type.Optional(Email) },
  { $id: "JoinPasskeyRequest", ...exactly },
)
export const JoinRequest = Type.Object(
  {
    token: Token,
    name: Type.Optional(Name),
    email: Type.Optional(Email),
    password: Type.Optional(NewPassword),
    step: Type.Optional(Step),
    passkey: Type.Optional(PasskeyJson),
  },
  { $id: "JoinRequest", ...exactly },
)
export type JoinRequest = Static<typeof JoinRequest>

export const OwnAccount = Type.Object(
  {
    person_id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    password: Type.Boolean({ description: "Whether there is one." }),
    totp: Type.Boolean({ description: "Whether a code of an authenticator app is asked for." }),
    recovery_codes: Type.Integer({ description: "How many are left." }),
    passkeys: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          label: Type.String(),
          created_at: Moment,
          used_at: Type.Union([Moment, Type.Null()]),
        },
        exactly,
      ),
    ),
  },
  { $id: "OwnAccount", ...exactly },
)
export type OwnAccount = Static<typeof OwnAccount>

export const PasswordRequest = Type.Object(
  { password: NewPassword },
  { $id: "PasswordRequest", ...exactly },
)
export const NewPasskeyRequest = Type.Object(
  {
    step: Step,
    passkey: PasskeyJson,
    label: Type.String({ minLength: 1, maxLength: 100, pattern: "^\\P{C}+$" }),
  },
  { $id: "NewPasskeyRequest", ...exactly },
)
export const TotpStart = Type.Object(
  {
    step: Step,
    secret: Type.String({ description: "In base 32, to be typed in." }),
    uri: Type.String({ description: "The same as a QR code holds it." }),
  },
  { $id: "TotpStart", ...exactly },
)
export type TotpStart = Static<typeof TotpStart>
export const TotpRequest = Type.Object(
  { step: Step, code: Code },
  { $id: "TotpRequest", ...exactly },
)
export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description: "Shown this once. Each is good once, in place of a code of the app.",
    }),
  },
  { $id: "RecoveryCodes", ...exactly },
)
export type RecoveryCodes = Static<typeof RecoveryCodes>
export const Done = Type.Object({ done: Type.Literal(true) }, { $id: "Done", ...exactly })

export const OwnSessions = Type.Object(
  {
    sessions: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          current: Type.Boolean(),
          method: Type.String({ description: "How the person signed in." }),
          tenant_id: Type.Union([Type.Integer(), Type.Null()]),
          signed_in_at: Moment,
          seen_at: Type.String({ format: "date-time", description: "Within a minute or so." }),
          expires_at: Moment,
        },
        exactly,
      ),
    ),
  },
  { $id: "OwnSessions", ...exactly },
)
export type OwnSessions = Static<typeof OwnSessions>
export const EndedSessions = Type.Object(
  { ended: Type.Integer({ minimum: 0 }) },
  { $id: "EndedSessions", ...exactly },
)

export const MemberList = Type.Object(
  {
    members: Type.Array(
      Type.Object(
        {
          person_id: Type.String(),
          name: Type.String(),
          email: Type.String(),
          roles: Type.Array(Role),
          since: Moment,
        },
        exactly,
      ),
    ),
    invitations: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          role: Role,
          invited_by: Type.String(),
          created_at: Moment,
          expires_at: Moment,
        },
        exactly,
      ),
    ),
  },
  { $id: "MemberList", ...exactly },
)
export type MemberList = Static<typeof MemberList>

export const InviteRequest = Type.Object({ role: MemberRole }, { $id: "InviteRequest", ...exactly })
export const NewInvitationLink = Type.Object(
  {
    id: Type.String(),
    link: Type.String({ description: "Shown this once. Whoever opens it first joins by it." }),
    expires_at: Moment,
  },
  { $id: "NewInvitationLink", ...exactly },
)
export type NewInvitationLink = Static<typeof NewInvitationLink>
export const MemberRoleRequest = Type.Object(
  { role: MemberRole },
  { $id: "MemberRoleRequest", ...exactly },
)
