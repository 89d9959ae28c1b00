import { Type, type Static, type TUnsafe } from "typebox"

/** What a caller may be asking about; `signup` is taken as `sign-up`. */
export const EVENTS = ["sign-up", "signup", "login", "transaction", "other"] as const

/** Callers fill these from objects of their own, where a value that is not there is often null. */
export function nullable<T>(type: "string" | "number", rules: object): TUnsafe<T | null> {
  return Type.Unsafe<T | null>({ type: [type, "null"], ...rules })
}

export function contextText(
  maxLength: number,
  description: string,
  rules: object = {},
): TUnsafe<string | null> {
  return nullable<string>("string", { minLength: 1, maxLength, description, ...rules })
}

/** A text that can be printed and does not begin or end with a space. */
const REF_PATTERN = "^[^\\p{C}\\p{Z}]([^\\p{C}\\p{Zl}\\p{Zp}]{0,62}[^\\p{C}\\p{Z}])?$"

/** The caller's own name of the case, the same in every context. */
export const caseRef = contextText(
  64,
  "Your own name of the case, which the review queue shows. Kept with the decision as it is, so it must not be an e-mail address or a phone number. It does not change the score.",
  { pattern: REF_PATTERN },
)

/**
 * What happened when the caller asked about an identity. Every member is optional, and null means
 * the same as leaving it out.
 */
export const RequestContext = Type.Object(
  {
    event: Type.Optional(
      nullable<(typeof EVENTS)[number]>("string", {
        enum: [...EVENTS, null],
        description:
          "What the person is doing; `other` where left out. Only sign-ups are counted, every event is compared with them.",
      }),
    ),
    occurred_at: Type.Optional(
      contextText(40, "When it happened, RFC 3339: at most 48 hours ago; now where left out.", {
        format: "date-time",
      }),
    ),
    signup_at: Type.Optional(
      contextText(40, "When the account was made, RFC 3339: not after `occurred_at`.", {
        format: "date-time",
      }),
    ),
    ip: Type.Optional(
      contextText(64, "The person's IPv4 or IPv6 address, not that of a proxy of yours."),
    ),
    device_id: Type.Optional(contextText(256, "Your stable name of the device.")),
    user_agent: Type.Optional(
      contextText(
        1024,
        "Stands in for the device, together with `ip`, where there is no `device_id`.",
      ),
    ),
    account_id: Type.Optional(contextText(256, "Your name of the account.")),
    anomaly: Type.Optional(
      nullable<number>("number", {
        minimum: 0,
        maximum: 1,
        description: "How unusual your own checks find the behaviour, from 0 to 1.",
      }),
    ),
    ref: Type.Optional(caseRef),
  },
  {
    description:
      "What is known of the request's circumstances. All but `ref` is kept as hashes that change every day, for at most 48 hours.",
  },
)
export type RequestContext = Static<typeof RequestContext>

/**
 * As a member of a request. One schema and not a choice of two, so that a refusal names the member
 * at fault.
 */
export const NullableContext = Type.Unsafe<RequestContext | null>({
  ...RequestContext,
  type: ["object", "null"],
  examples: [{ event: "sign-up", device_id: "d-4711" }],
})
