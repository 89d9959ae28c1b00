export {
  DecisionDetails,
  DecisionList,
  DecisionListQuery,
  type DecisionSummary,
} from "./decisions.ts"
export { EmailRiskRequest, EmailRiskResult } from "./email-risk.ts"
export { NUMBER_TYPES, PhoneRiskRequest, PhoneRiskResult } from "./phone-risk.ts"
export { type ProblemCode, ProblemDetails, problems } from "./problems.ts"
export {
  type Scope,
  SERVICE_SCOPES,
  type ServiceScope,
  TENANT_SCOPES,
  type TenantScope,
} from "./scopes.ts"
export { ExplainQuery } from "./words.ts"
