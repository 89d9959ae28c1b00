import { EmailRiskResult, PhoneRiskResult } from "@assay/core/contract"

/** A scoring operation, as the contract describes it. */
export interface Operation {
  readonly path: string
  /** The member that holds the identity, in the request and in the result. */
  readonly identity: string
  readonly members: readonly string[]
  /** Takes many identities under `identities`, or a stream of lines. */
  readonly batchPath: string
  readonly identities: string
}

export const emailOperation: Operation = {
  path: "/api/v1/risk/score",
  identity: "email",
  members: EmailRiskResult.required,
  batchPath: "/api/v1/risk/score/batch",
  identities: "emails",
}
export const phoneOperation: Operation = {
  path: "/api/v1/phone-risk",
  identity: "phone_number",
  members: PhoneRiskResult.required,
  batchPath: "/api/v1/phone-risk/batch",
  identities: "phone_numbers",
}
