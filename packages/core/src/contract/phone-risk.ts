import { Type, type Static } from "typebox"
import { NUMBER_TYPES } from "../identity/number-types.ts"
import { NullablePhoneContext } from "./phone-context.ts"
import { Action, PhoneExplanation, RiskReasons, RiskScore, words } from "./words.ts"

export const PhoneRiskRequest = Type.Object(
  {
    phone_number: Type.String({
      description:
        "E.164: a plus sign, the country code, then the subscriber digits, without separators.",
      examples: ["+61491570156"],
    }),
    context: Type.Optional(NullablePhoneContext),
  },
  { $id: "PhoneRiskRequest", description: "Unknown members are ignored." },
)
export type PhoneRiskRequest = Static<typeof PhoneRiskRequest>

/** `explanation` is the only member a caller can add, with `?explain=true`. */
export const PhoneRiskResult = Type.Object(
  {
    phone_number: Type.String({ description: "The number exactly as received." }),
    risk_score: RiskScore,
    risk_level: words(
      ["LOW", "ELEVATED", "HIGH", "CRITICAL"],
      "Level of the score: 0-24, 25-59, 60-79, 80-100.",
    ),
    sim_swap_risk: words(["none", "low", "elevated", "high"], "Likelihood of a SIM swap."),
    sim_change_detected: Type.Boolean({
      description: "Whether the SIM was changed in the last 30 days.",
    }),
    sim_change_window: Type.Union([Type.String({ pattern: "^\\d+[hd]$" }), Type.Null()], {
      description:
        "Time since the last SIM change or port in hours or days, null when none was detected. Where a carrier tells only between which two moments the SIM changed, the longer of the two.",
    }),
    ownership_confidence: words(["low", "medium", "high"], "Certainty of device ownership."),
    network_continuity: words(["stable", "unstable"], "Routing and provisioning stability."),
    number_type: words(NUMBER_TYPES, "Type of the line."),
    carrier_region: Type.String({
      pattern: "^[A-Z]{2}$",
      description: "ISO 3166-1 region of the number; ZZ where it has none.",
    }),
    risk_reasons: RiskReasons,
    recommendation: Action,
    explanation: Type.Optional(PhoneExplanation),
  },
  {
    $id: "PhoneRiskResult",
    additionalProperties: false,
    examples: [
      {
        phone_number: "+61491570156",
        risk_score: 61,
        risk_level: "HIGH",
        sim_swap_risk: "high",
        sim_change_detected: true,
        sim_change_window: "2h",
        ownership_confidence: "low",
        network_continuity: "stable",
        number_type: "mobile",
        carrier_region: "AU",
        risk_reasons: [
          "SIM changed 2 hours ago",
          "Device changed together with the SIM 2 hours ago",
        ],
        recommendation: "step_up_auth",
      },
    ],
  },
)
export type PhoneRiskResult = Static<typeof PhoneRiskResult>
