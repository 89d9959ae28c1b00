import { Type, type TUnsafe } from "typebox"

/** A string that is one of `values`: a plain JSON Schema `enum`, which every generator of clients understands. */
export function words<const T extends readonly string[]>(
  values: T,
  description: string,
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], description })
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
  description: "What drives the score, in plain English.",
})

/** Its members follow the model, so the contract leaves them open; the model card describes them. */
export const Explanation = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "Only with ?explain=true: the scorer's input and how each part of it moved the score.",
})

export const ExplainQuery = Type.Object({
  explain: Type.Optional(words(["true", "false"], "`true` adds `explanation` to the result.")),
})
