import { Type, type Static } from "typebox"
import { caseRef, contextText, EVENTS, nullable } from "./context.ts"

/** How the holder of a number was verified. */
const VERIFIED_BY = ["phone", "other"] as const

/**
 * What happened when the caller asked about a number. Every member is optional, and null means the
 * same as leaving it out.
 */
export const PhoneContext = Type.Object(
  {
    event: Type.Optional(
      nullable<(typeof EVENTS)[number]>("string", {
        enum: [...EVENTS, null],
        description: "What the person is doing; `other` where left out. Every event is counted.",
      }),
    ),
    occurred_at: Type.Optional(
      contextText(40, "When it happened, RFC 3339: at most 48 hours ago; now where left out.", {
        format: "date-time",
      }),
    ),
    account_id: Type.Optional(
      contextText(
        256,
        "Your name of the account. Different accounts that used the number in 24 hours are counted.",
      ),
    ),
    device_id: Type.Optional(
      contextText(
        256,
        "Your stable name of the device; it stands in for the account where there is no `account_id`.",
      ),
    ),
    ip: Type.Optional(
      contextText(
        64,
        "The person's IPv4 or IPv6 address. It is checked and not kept: the phone model has no use for it.",
      ),
    ),
    enrolled_at: Type.Optional(
      contextText(
        40,
        "When the account took this number, RFC 3339, not before 1990. It counts as a verification.",
        { format: "date-time" },
      ),
    ),
    last_verified_at: Type.Optional(
      contextText(
        40,
        "When the account last proved that it holds the number, RFC 3339, not before 1990. A SIM change before it is no risk where `verified_by` is `other` or the change was ten days earlier or more; a number given away later is.",
        { format: "date-time" },
      ),
    ),
    verified_by: Type.Optional(
      nullable<(typeof VERIFIED_BY)[number]>("string", {
        enum: [...VERIFIED_BY, null],
        description:
          "How that was proved; `phone` where left out. `phone`: by a code or call to the number, which whoever holds a swapped SIM receives. `other`: by anything else, such as a document, a passkey or a visit.",
      }),
    ),
    ref: Type.Optional(caseRef),
  },
  {
    description:
      "What is known of the request's circumstances. Accounts and devices are kept as hashes that change every day, for at most 48 hours.",
  },
)
export type PhoneContext = Static<typeof PhoneContext>

/**
 * As a member of a request. One schema and not a choice of two, so that a refusal names the member
 * at fault.
 */
export const NullablePhoneContext = Type.Unsafe<PhoneContext | null>({
  ...PhoneContext,
  type: ["object", "null"],
  examples: [{ event: "login", account_id: "a-4711", last_verified_at: "2026-03-02T09:30:00Z" }],
})
