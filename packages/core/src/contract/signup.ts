import { Type, type Static } from "typebox"
import { words } from "./words.ts"

/** What the free plan may be used for; whoever signs up names those that are meant. */
export const PURPOSES = {
  "fraud-prevention": "To prevent fraud against your own service and its users.",
  "account-security": "To protect accounts of your own users: sign-up, sign-in, recovery.",
  "security-operations": "To find and handle incidents in your own organisation.",
  "own-identities": "To check identities of your own, or of people who asked you to.",
} as const
export type Purpose = keyof typeof PURPOSES
const purposeNames = Object.keys(PURPOSES) as Purpose[]

/**
 * What somebody who signs up agrees to. The version is recorded with every sign-up, so a change of
 * any sentence is a new version.
 */
export const TERMS = {
  version: "2026-11",
  sentences: [
    "You look up identities for the purposes you name here and for no other.",
    "You have a legal ground to process each identity that you send.",
    "You do not use a score to decide on employment, credit, insurance, housing or benefits.",
    "You do not look anybody up to find, follow, harass or expose them.",
    "A person whose identity was scored can ask you why; you tell them, and correct what is wrong.",
    "Your key is yours alone. You revoke it when others may have seen it.",
  ],
} as const

/** How the service takes sign-ups. */
export const SIGN_UP_MODES = ["off", "open", "confirmed", "approved"] as const
export type SignUpMode = (typeof SIGN_UP_MODES)[number]

export const ORGANISATION_MAX = 80
const TOKEN_PATTERN = "^[0-9A-Za-z_-]{43}$"

const purposes = Type.Array(words(purposeNames, "A permitted purpose."), {
  minItems: 1,
  maxItems: purposeNames.length,
  uniqueItems: true,
})

/** What one must know to sign up. */
export const SignUpOffer = Type.Object(
  {
    mode: words(
      SIGN_UP_MODES.filter((mode) => mode !== "off"),
      "What follows a sign-up. `open`: a key at once. `confirmed`: a mail whose token gives the key. `approved`: an administrator decides first.",
    ),
    plan: Type.String({ description: "The plan the key is of." }),
    terms: Type.Object(
      {
        version: Type.String({ description: "Sent back as `terms_version`." }),
        sentences: Type.Array(Type.String()),
        purposes: Type.Array(
          Type.Object(
            { name: words(purposeNames, "As `purposes` names it."), meaning: Type.String() },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false, description: "What is agreed to by signing up." },
    ),
    challenge: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description:
        "Work for the sender's computer, about a second of it, in the form of altcha-lib. Its solution is good once.",
    }),
  },
  { $id: "SignUpOffer", additionalProperties: false },
)
export type SignUpOffer = Static<typeof SignUpOffer>

export const SignUpRequest = Type.Object(
  {
    organisation: Type.String({
      minLength: 1,
      maxLength: ORGANISATION_MAX,
      description: "What the organisation is called. Must not be an e-mail address or a number.",
      examples: ["Corner Shop Ltd"],
    }),
    email: Type.String({
      description: "The address of its owner, kept sealed.",
      examples: ["owner@shop.example"],
    }),
    purposes,
    terms_version: Type.String({ maxLength: 32, examples: [TERMS.version] }),
    proof: Type.Object(
      {
        challenge: Type.Unsafe<object>({ type: "object" }),
        solution: Type.Unsafe<object>({ type: "object" }),
      },
      { description: "The challenge as it came, and what solving it gave." },
    ),
  },
  { $id: "SignUpRequest", description: "Unknown members are ignored." },
)
export type SignUpRequest = Static<typeof SignUpRequest>

/** What was made for somebody who signed up. */
export const SignUpResult = Type.Object(
  {
    tenant: Type.String({ description: "The name of the tenant that was made." }),
    plan: Type.String(),
    key: Type.String({ description: "The API key. It is shown this once." }),
    key_id: Type.String({ description: "The key's name in lists, logs and usage." }),
    owner_link: Type.String({
      description: "By this link, once and within seven days, its owner joins and can sign in.",
    }),
  },
  { $id: "SignUpResult", additionalProperties: false },
)
export type SignUpResult = Static<typeof SignUpResult>

/** A sign-up that somebody must act on first. */
export const SignUpPending = Type.Object(
  {
    state: words(
      ["mail-sent", "waiting"],
      "`mail-sent`: the token of the mail gives the key, within a day. `waiting`: an administrator decides, and then sends the token.",
    ),
  },
  { $id: "SignUpPending", additionalProperties: false },
)
export type SignUpPending = Static<typeof SignUpPending>

export const SignUpConfirmation = Type.Object(
  {
    token: Type.String({
      pattern: TOKEN_PATTERN,
      description: "The token of the mail, or the one an administrator gave out.",
    }),
  },
  { $id: "SignUpConfirmation" },
)
export type SignUpConfirmation = Static<typeof SignUpConfirmation>

/** Sign-ups that wait for an administrator. */
export const SignUpList = Type.Object(
  {
    signups: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          at: Type.String({ format: "date-time" }),
          organisation: Type.String(),
          email: Type.String({ description: "The address of its owner." }),
          purposes: Type.Array(Type.String()),
          terms_version: Type.String(),
        },
        { additionalProperties: false },
      ),
      { description: "The oldest first, a hundred at most." },
    ),
  },
  { $id: "SignUpList", additionalProperties: false },
)
export type SignUpList = Static<typeof SignUpList>

export const SignUpParams = Type.Object({ id: Type.String({ description: "Of the sign-up." }) })

/** What an administrator hands on after an approval. */
export const SignUpApproval = Type.Object(
  {
    token: Type.Union([Type.String(), Type.Null()], {
      description: "For whoever signed up, good once within seven days; null where it was mailed.",
    }),
  },
  { $id: "SignUpApproval", additionalProperties: false },
)
export type SignUpApproval = Static<typeof SignUpApproval>
