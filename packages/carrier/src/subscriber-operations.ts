import { Type } from "typebox"
import { outOfRange } from "./carrier-error.ts"
import { latestToday } from "./line.ts"
import { exactly, type LineOperation, PhoneNumber, readRequest, subject } from "./operation.ts"

const Day = Type.String({ format: "date" })
const NumberRequest = Type.Object({ phoneNumber: Type.Optional(PhoneNumber) }, exactly)
const RecyclingRequest = Type.Object(
  { phoneNumber: Type.Optional(PhoneNumber), specifiedDate: Day },
  exactly,
)
const TenureRequest = Type.Object(
  { phoneNumber: Type.Optional(PhoneNumber), tenureDate: Day },
  exactly,
)

/**
 * APIs about the subscription: Number Recycling, Call Forwarding Signal, Tenure, Subscription
 * Status.
 */
export const subscriberOperations: readonly LineOperation[] = [
  {
    api: "number_recycling",
    path: "/number-recycling/v0.2/check",
    scopes: ["number-recycling:check"],
    read(body) {
      const { phoneNumber, specifiedDate } = readRequest(RecyclingRequest, body)
      return {
        number: subject(phoneNumber),
        answer({ recycled_on: recycledOn }, nowMs) {
          refuseFuture(specifiedDate, nowMs)
          // The day a subscriber signed counts as theirs.
          return { phoneNumberRecycled: recycledOn !== null && specifiedDate < recycledOn }
        },
      }
    },
  },
  {
    api: "call_forwarding",
    path: "/call-forwarding-signal/v0.4/unconditional-call-forwardings",
    scopes: ["call-forwarding-signal:unconditional-call-forwardings:read"],
    read: (body) => ({
      number: subject(readRequest(NumberRequest, body).phoneNumber),
      answer: ({ forwarding }) => ({ active: forwarding.includes("unconditional") }),
    }),
  },
  {
    api: "call_forwarding",
    path: "/call-forwarding-signal/v0.4/call-forwardings",
    scopes: ["call-forwarding-signal:call-forwardings:read"],
    read: (body) => ({
      number: subject(readRequest(NumberRequest, body).phoneNumber),
      answer: ({ forwarding }) => (forwarding.length === 0 ? ["inactive"] : forwarding),
    }),
  },
  {
    api: "tenure",
    path: "/kyc-tenure/v0.2/check-tenure",
    scopes: ["kyc-tenure:check-tenure"],
    read(body) {
      const { phoneNumber, tenureDate } = readRequest(TenureRequest, body)
      return {
        number: subject(phoneNumber),
        answer({ tenure: { since, contract } }, nowMs) {
          refuseFuture(tenureDate, nowMs)
          const tenureDateCheck = since <= tenureDate
          return contract === null
            ? { tenureDateCheck }
            : { tenureDateCheck, contractType: contract }
        },
      }
    },
  },
  {
    api: "subscription_status",
    // Spelt as the definition spells it.
    path: "/subscription-status/v0.1/retrive-subscription-status",
    scopes: ["subscription-status:retrive-subscription-status"],
    read: (body) => ({
      number: subject(readRequest(NumberRequest, body).phoneNumber),
      answer: ({ services }) => ({
        voiceSmsIn: services.voice_sms_in,
        voiceSmsOut: services.voice_sms_out,
        dataService: services.data,
      }),
    }),
  },
]

function refuseFuture(day: string, nowMs: number): void {
  if (day > latestToday(nowMs)) throw outOfRange("The day lies in the future")
}
