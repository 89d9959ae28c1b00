import { Type, type TSchema, type TUnsafe } from "typebox"
import { EmailRiskResult } from "./email-risk.ts"
import { PhoneRiskResult } from "./phone-risk.ts"
import { grouped } from "./grouped.ts"
import { ProblemDetails } from "./problems.ts"
import { referred } from "./referred.ts"

/** The most identities one batch may have. A stream has no such limit. */
export const BATCH_ITEMS_MAX = 1_000

/** The answer about one identity of many: its result, or why there is none. */
export type BatchItem<Result> =
  | { readonly index: number; readonly result: Result; readonly problem?: never }
  | { readonly index: number; readonly problem: ProblemDetails; readonly result?: never }

/**
 * The last line of a stream that the service ended before its end. It has no index, because it is
 * about the stream: lines without an answer were not evaluated.
 */
export interface StreamEnd {
  readonly problem: ProblemDetails
}

/** The items have no type, so that one that is no text gets its own problem and spoils no other. */
function identities(what: string, example: string): TUnsafe<readonly unknown[]> {
  return Type.Unsafe<readonly unknown[]>({
    type: "array",
    minItems: 1,
    maxItems: BATCH_ITEMS_MAX,
    description: `1 to ${grouped(BATCH_ITEMS_MAX)} ${what}.`,
    items: { description: "A text." },
    examples: [[example]],
  })
}

function itemOf<Result extends TSchema>(result: Result, $id: string) {
  return Type.Object(
    {
      index: Type.Integer({ minimum: 0, description: "Place in the request, from 0." }),
      result: Type.Optional(referred(result)),
      problem: Type.Optional(referred(ProblemDetails)),
    },
    { $id, additionalProperties: false, description: "Has either `result` or `problem`." },
  )
}

function resultsOf(item: TSchema, $id: string) {
  return Type.Object(
    { results: Type.Array(referred(item), { description: "One for each item, in its order." }) },
    { $id, additionalProperties: false },
  )
}

export const EmailBatchRequest = Type.Object(
  { emails: identities("e-mail addresses", "ana.silva@mail.example") },
  { $id: "EmailBatchRequest", description: "Unknown members are ignored." },
)
export const EmailBatchItem = itemOf(EmailRiskResult, "EmailBatchItem")
export const EmailBatchResult = resultsOf(EmailBatchItem, "EmailBatchResult")

export const PhoneBatchRequest = Type.Object(
  { phone_numbers: identities("phone numbers in E.164", "+61491570156") },
  { $id: "PhoneBatchRequest", description: "Unknown members are ignored." },
)
export const PhoneBatchItem = itemOf(PhoneRiskResult, "PhoneBatchItem")
export const PhoneBatchResult = resultsOf(PhoneBatchItem, "PhoneBatchResult")
