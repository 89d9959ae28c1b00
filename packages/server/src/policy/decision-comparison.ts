import type { DecisionComparison } from "@assay/core/contract"
import {
  assessEmail,
  assessPhone,
  type EmailInput,
  type EmailModel,
  explainEmail,
  explainPhone,
  lackingEmailMembers,
  lackingPhoneMembers,
  type PhoneInput,
  type PhoneModel,
} from "@assay/core/score"
import type { Decision } from "@assay/stores/decisions"
import type { Policy } from "@assay/stores/records"
import { readTenantSettings, scoringSettings } from "../accounts/tenant-settings.ts"
import { Problem } from "../base/problem.ts"
import type { Models } from "../score/models.ts"
import type { Replay } from "../score/replay.ts"
import { weighedPhone } from "./weighed-phone.ts"

export interface Compared {
  readonly decision: Decision
  /** The decision computed again as it was made. */
  readonly recorded: Replay
  /** The policy to decide under; null: what was set when it was decided. */
  readonly policy: Policy | null
  /** The version of the model; null: the one that the policy chose. */
  readonly model: string | null
  readonly models: Models
}

type Side = DecisionComparison["recorded"]
/** What both kinds of explanations have. */
interface Explained {
  readonly contributions: readonly { readonly code: string; readonly points: number }[]
}

/** A decision as it was made, and from the same input under another model or policy. */
export function comparisonOf(compared: Compared): DecisionComparison {
  const { decision, recorded, policy, models } = compared
  const { id, at, identityType } = decision
  const before = sideOf(decision.modelVersion, null, recorded.assessment, recorded.explain())
  const { side: after, notes } =
    identityType === "email" ? otherEmail(compared) : otherPhone(compared)
  return {
    id,
    decided_at: new Date(at).toISOString(),
    subject: identityType,
    recorded: before,
    other: after,
    summary: summaryOf(before, after),
    contributions: contributionsOf(before, after),
    notes: [
      ...notes,
      ...(policy === null
        ? []
        : [
            "What was known of the identity stays as it was recorded: what a policy has looked up is not looked up again.",
          ]),
    ],
    models: models.loaded(identityType).map(({ model }) => model.version),
  }
}

interface Other {
  readonly side: Side
  readonly notes: readonly string[]
}

function otherEmail({ decision, recorded, policy, model: version, models }: Compared): Other {
  const input = recorded.input as EmailInput
  const own = policy === null ? null : scoringSettings(readTenantSettings(policy.settings))
  const chosen = own === null ? decision.modelVersion : own.emailModel
  const model = loadedOf(models, "email", version ?? chosen) as EmailModel
  const settings = own === null ? input.settings : own.emailSettings
  const fittedTo = chosen ?? models.email(null).version
  // A fit maps the scores of one model; on those of another it would be wrong.
  const isStale = settings?.calibration != null && fittedTo !== model.version
  const { calibration: _stale, ...uncalibrated } = settings ?? {}
  const weighed = { ...input, settings: isStale ? uncalibrated : settings }
  return {
    side: sideOf(
      model.version,
      policy?.version ?? null,
      assessEmail(weighed, model),
      explainEmail(weighed, model),
    ),
    notes: [
      ...(isStale
        ? [
            `The tenant's own calibration was fitted to model ${fittedTo} and is left out under ${model.version}.`,
          ]
        : []),
      ...lackingNotes(lackingEmailMembers(input, model), model.version),
    ],
  }
}

function otherPhone({ decision, recorded, policy, model: version, models }: Compared): Other {
  const input = recorded.input as PhoneInput
  const own = policy === null ? null : scoringSettings(readTenantSettings(policy.settings))
  const chosen = own === null ? decision.modelVersion : own.phoneModel
  const model = loadedOf(models, "phone", version ?? chosen) as PhoneModel
  const weighed = own === null ? input : weighedPhone(input, own, model)
  return {
    side: sideOf(
      model.version,
      policy?.version ?? null,
      assessPhone(weighed, model),
      explainPhone(weighed, model),
    ),
    notes: lackingNotes(lackingPhoneMembers(input, model), model.version),
  }
}

function loadedOf(
  models: Models,
  name: "email" | "phone",
  version: string | null,
): EmailModel | PhoneModel {
  const loaded = models.loaded(name).map(({ model }) => model)
  if (version === null) return models[name](null)
  const found = loaded.find((model) => model.version === version)
  if (found !== undefined) return found
  const versions = loaded.map((model) => model.version).join(", ")
  throw new Problem("model-not-found", "Nothing was compared.", {
    errors: [{ pointer: "#/model", detail: `takes a version that is loaded: ${versions}` }],
  })
}

function lackingNotes(members: readonly string[], version: string): string[] {
  if (members.length === 0) return []
  return [
    `Model ${version} also reads what nobody looked for when this was decided, and takes it as unknown: ${members.join(", ")}.`,
  ]
}

function sideOf(
  modelVersion: string,
  policyVersion: number | null,
  assessment: ReturnType<typeof assessEmail> | ReturnType<typeof assessPhone>,
  explanation: object,
): Side {
  return {
    model_version: modelVersion,
    policy_version: policyVersion,
    risk_score: assessment.risk_score,
    ...("threat_stage" in assessment
      ? {
          threat_stage: assessment.threat_stage,
          confidence: assessment.confidence,
          recommended_action: assessment.recommended_action,
        }
      : { recommended_action: assessment.recommendation }),
    assessment: { ...assessment },
    explanation: { ...explanation },
  }
}

const FIELDS = [
  ["risk_score", "the score"],
  ["threat_stage", "the stage"],
  ["confidence", "the confidence"],
  ["recommended_action", "the action"],
] as const

function summaryOf(recorded: Side, other: Side): string {
  const under =
    other.policy_version === null
      ? `Under model ${other.model_version}`
      : `Under version ${other.policy_version} of the policy and model ${other.model_version}`
  const changes = FIELDS.filter(([field]) => recorded[field] !== other[field]).map(
    ([field, words]) => `${words} is ${other[field]} instead of ${recorded[field]}`,
  )
  if (changes.length === 0) return `${under} the answer is the same.`
  const last = changes.pop() ?? ""
  return `${under} ${changes.length === 0 ? last : `${changes.join(", ")}, and ${last}`}.`
}

function contributionsOf(recorded: Side, other: Side): DecisionComparison["contributions"] {
  const points = (side: Side): Map<string, number> =>
    new Map(
      (side.explanation as unknown as Explained).contributions.map((each) => [
        each.code,
        each.points,
      ]),
    )
  const [before, after] = [points(recorded), points(other)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((code) => ({ code, recorded: before.get(code) ?? 0, other: after.get(code) ?? 0 }))
    .sort((a, b) => Math.abs(b.other - b.recorded) - Math.abs(a.other - a.recorded))
}
