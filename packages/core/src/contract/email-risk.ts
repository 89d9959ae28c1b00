import { Type, type Static } from "typebox"
import { NullableContext } from "./context.ts"
import {
  Action,
  Confidence,
  EmailExplanation,
  RiskReasons,
  RiskScore,
  ThreatStage,
} from "./words.ts"

/**
 * No format and no length here: whether a text is an address is decided by the identity rules, with
 * a reason.
 */
export const EmailRiskRequest = Type.Object(
  {
    email: Type.String({
      description: "The e-mail address to score.",
      examples: ["ana.silva@mail.example"],
    }),
    context: Type.Optional(NullableContext),
  },
  { $id: "EmailRiskRequest", description: "Unknown members are ignored." },
)
export type EmailRiskRequest = Static<typeof EmailRiskRequest>

/** `explanation` is the only member a caller can add, with `?explain=true`. */
export const EmailRiskResult = Type.Object(
  {
    email: Type.String({ description: "The address exactly as received." }),
    risk_score: RiskScore,
    confidence: Confidence,
    threat_stage: ThreatStage,
    exposed: Type.Boolean({
      description: "Whether the address appears in breach or exposure data.",
    }),
    exposure_count: Type.Integer({
      minimum: 0,
      description: "Number of distinct exposure sources.",
    }),
    last_seen: Type.Union([Type.String({ format: "date" }), Type.Null()], {
      description: "Date of the latest exposure; null when there is none.",
    }),
    risk_reasons: RiskReasons,
    recommended_action: Action,
    model_version: Type.String({
      pattern: "^\\d+\\.\\d+$",
      description: "Version of the risk model.",
    }),
    explanation: Type.Optional(EmailExplanation),
  },
  {
    $id: "EmailRiskResult",
    additionalProperties: false,
    examples: [
      {
        email: "ana.silva@mail.example",
        risk_score: 34,
        confidence: "medium",
        threat_stage: "LEAKED",
        exposed: true,
        exposure_count: 2,
        last_seen: "2026-10-26",
        risk_reasons: [
          "Plaintext password in 2 breach sources, newest 20 days ago",
          "Same password leaked by 2 sources, newest 20 days ago",
        ],
        recommended_action: "step_up_auth",
        model_version: "1.1",
      },
    ],
  },
)
export type EmailRiskResult = Static<typeof EmailRiskResult>
