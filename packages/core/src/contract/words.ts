import { Type, type TUnsafe } from "typebox"

/**
 * A string that is one of `values`: a plain JSON Schema `enum`, which every generator of clients
 * understands.
 */
export function words<const T extends readonly string[]>(
  values: T,
  description: string,
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], description })
}

/**
 * A string that is one of `values` today, and of more in a later version: whoever reads it has to
 * expect words it does not know. No `enum`, which would make a validating reader refuse them.
 */
export function wordsForNow<const T extends readonly string[]>(
  values: T,
  description: string,
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({
    type: "string",
    "x-extensible-enum": [...values],
    description: `${description} Expect others in later versions.`,
  })
}

export const RiskScore = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: "Higher is riskier.",
})
export const Confidence = words(["low", "medium", "high"], "How much evidence the answer rests on.")
export const ThreatStage = words(
  ["CLEAN", "LEAKED", "REPOSTED", "TRADED", "TESTED", "ATTACKED", "MONETIZED"],
  "Position in the criminal lifecycle.",
)
export const Action = words(["allow", "step_up_auth", "block", "review"], "Recommended handling.")
export const RiskReasons = Type.Unsafe<readonly string[]>({
  type: "array",
  items: { type: "string" },
  description:
    "What drives the score, in plain English: up to four sentences, and one more that says what was not looked at.",
})

/** The members of every explanation, whatever it is about. */
const EXPLAINED = [
  "`summary`: for a person, a sentence each on what holds the answer, when it changes next if nothing arrives, and what was not looked at.",
  "`remedies`: what would lower the score if it were done today, each by itself, with the score and the band it leads to (for an address also the stage) and a sentence. Computed by assessing the same input with that one thing changed; empty where nothing of the kind would help.",
  "`contributions`: every factor with its code, its points and the sentence it is told by. `baseline`, all points and `rounding` add up to `risk_score`.",
  "`mitigations`: what speaks against risk, in nats (natural logarithms of odds), and its joint effect on `baseline` in points.",
  "`action`: the handling, those the score permits, what each would cost in units of one unnecessary challenge, and the scores (`edges`) from which a challenge and a block pay.",
  "`coverage`: how much of what the model asks for was looked at, from 0 to 1, by family.",
  "`calibration`: the tenant's own fit, or null. `notes`: what else bears on the answer.",
  "`model`: name and version. `input`: all the model looked at; with the version it gives the same answer again. Ages are in days.",
]

/** The members follow the model, so the contract leaves them open and describes their meaning. */
function explained(...own: string[]) {
  const members = [...own, ...EXPLAINED].map((line) => `- ${line}`).join("\n")
  return Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description: `Only with ?explain=true: the scorer's input and how each part of it moved the score.\n\n${members}`,
  })
}

export const EmailExplanation = explained(
  "`p`: nominal probability of harm within a year. `p_credential`: that stolen credentials are used against this person; `p_abuse`: that the owner is the abuser. p = 1 − (1 − p_credential)(1 − p_abuse).",
  "`credential_points`: the credential side on the scale of the score, held between floor and cap of the stage; `raw_points`: the same before that. Both may lie outside 0 to 100.",
  "`stage`: name, `marker` (percent of the lifecycle), `floor`, `cap`, which of the two holds the points (`held_by`), the fewest items that carry the stage, and when it next steps down.",
  "`confidence_value`: the number behind `confidence`. `interest_trend`: how talk about the identity develops; it is shown and not weighed.",
)

export const PhoneExplanation = explained(
  "`p`: nominal probability of harm. `p_takeover`: that control of the number is lost; `p_quality`: that the number is of the kind that abuse uses. p = 1 − (1 − p_takeover)(1 − p_quality).",
  "`raw_points`: the takeover side on the scale of the score before any floor. `policy_floor`: the highest floor that policy sets, and whether it holds the score.",
  "`sms_otp_trust`: whether a code sent to the number proves anything: `ok`, `weak` or `do_not_use`.",
)

/** The explanation of a past decision, about an address or a number. */
export const Explanation = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "Only with ?explain=true: the members of `explanation` in the answer about an address or a number.",
})

export const ExplainQuery = Type.Object({
  explain: Type.Optional(words(["true", "false"], "`true` adds `explanation` to the result.")),
})
