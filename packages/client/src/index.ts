export { AssayProblem, AssayUnavailable, type ProblemErrors } from "./errors.ts"
export { type Client, createClient, type Explained, type ScoreOptions } from "./client.ts"
export { decisionIdOf } from "./decision-id.ts"
export type { Answer, Failover, FailoverAnswer } from "./failover.ts"
export type { ClientOptions } from "./options.ts"
export type {
  DecisionDetails,
  EmailRiskResult,
  PhoneRiskResult,
  ProblemCode,
} from "@assay/core/contract"
