import {
  assessPhone,
  explainPhone,
  LINES,
  type PhoneInput,
  type PhoneModel,
} from "@assay/core/score"
import { type Cell, code, list, percent, table } from "./card-markdown.ts"
import { contentHash } from "../score/models.ts"
import { exampleInput, examplesOf, phoneExamples } from "./phone-examples.ts"
import {
  fieldRows,
  lineRows,
  qualityRows,
  takeoverRows,
  type WeightRow,
} from "./phone-model-tables.ts"

/**
 * The model card of a phone model in Markdown, with the sections of Mitchell et al., "Model Cards
 * for Model Reporting" (2019) as far as there is something to report: no phone model was ever
 * compared with outcomes. Every number in it is read from the document or is an answer of the
 * scorer.
 */
export function phoneModelCard(model: PhoneModel, shipped: boolean): string {
  return `${[
    `# Model card: ${model.name} ${model.version}`,
    NOT_EVALUATED,
    ...(shipped ? [] : [NOT_SHIPPED]),
    ...detailsOf(model),
    ...intendedUse,
    ...factorsOf(model),
    ...weights(model, shipped),
    ...fieldsOf(model),
    ...evaluationData,
    ...(shipped ? trainingData : []),
    ...analyses(model, shipped),
    ...invariantsOf(model),
    ...ethics(model),
    ...caveats(model),
    ...versions(model),
  ].join("\n\n")}\n`
}

const NOT_EVALUATED =
  "**Not evaluated on outcomes, and not validated.** We know of no public data set that joins what is known of phone numbers with what became of their accounts, and a simulator of our own would only have shown our own assumptions. The figures below are what the model answers, not how often it is right. Nominal probabilities are priors, and stay so: `npx assay calibrate` fits outcomes of e-mail scores only."
const NOT_SHIPPED =
  "This document does not come with the program. What is said below of intended use, limits and invariants holds for every phone model; where its weights come from only its author can say."

function detailsOf(model: PhoneModel): string[] {
  const { name, version, scale, takeover, quality, calibration, floors } = model
  return [
    "## Model details",
    list(
      `Model \`${name}\`, version ${version}: a document of weights and a pure function that applies it. Document SHA-256 \`${contentHash(model).slice(0, 16)}…\`.`,
      "Two scorecards of weights of evidence, joined: p_takeover, that control of the number is lost, and p_quality, that the number is of the kind that abuse uses; p = 1 − (1 − p_takeover)(1 − p_quality).",
      `Priors: ${percent(takeover.prior)} for takeover, ${percent(quality.prior)} for quality.`,
      `Terms for and against are summed apart in nats: the largest in full, each further one with ${percent(takeover.discount)} (takeover) or ${percent(quality.discount)} (quality) of the weight before it, because findings about one number are seldom independent.`,
      `The score is linear in the log-odds of p: ${scale.anchorPoints} points are odds of 1 to ${scale.anchorOdds}, and ${scale.pointsToDouble} points double them. Bands and costs are those of the e-mail model.`,
      floors === undefined
        ? "Two floors hold the takeover side from below: one by days since the SIM changed or the number was ported, one for a number given to somebody else. They are policy and no probabilities."
        : `Floors hold the score from below: by days since the SIM changed or the number was ported, for a number given to somebody else, ${floors.callForwarding} for one with all calls forwarded, ${floors.inactive} for a line out of service, and ${floors.withoutOwner} for a number nobody can own. They are policy and no probabilities, and no setting of a tenant undoes them. A number that must not get codes is never let through.`,
      `The function takes a calibration that maps log-odds ℓ to A·ℓ + B with A from ${calibration.slopeMin} to ${calibration.slopeMax}; floors hold after it too. The service gives it none.`,
      "License Apache-2.0. Questions and faults: as SECURITY.md and CONTRIBUTING.md of the repository say.",
    ),
  ]
}

const intendedUse: readonly string[] = [
  "## Intended use",
  list(
    "For: choosing between allow, a further factor, review and block where a phone number is given or a code is about to be sent to it: sign-up, sign-in, recovery, payment.",
    "By: operators who run the service themselves, hold their evidence lawfully and have a reason in law to ask a carrier where they do.",
    "Not for: credit, employment, housing or insurance; not for finding, following or telling who a person is. An adverse decision about a person needs a human route (`review`) and the reasons the service gives.",
    "A high score after a SIM change is about a victim or about somebody with a new phone. Use another factor than SMS and help the person; do not shut them out.",
  ),
]

function factorsOf({ fields, quality }: PhoneModel): string[] {
  const proof = fields.verificationCountsAfterDays
  return [
    "## Factors",
    list(
      "The number itself: whether a plan allows it, its type and region. Always known, and nothing is asked of anybody.",
      "SIM and device: dates of the last SIM change, port and device change, or a source that affirms none in a period.",
      "Network: active or not, days in service, prepaid or contract, forwarding, changes of route, given to another subscriber.",
      "Use: accounts on the number, failed codes, country of use, when the account last verified the number, block lists.",
      proof === undefined
        ? "A change before the account's last verification is shown and does not count: whoever controls the number since has proven it."
        : `A change before the account's last verification is shown, and does not count where the number was verified by other means or ${proof} days after the change or later. A code sent to the number proves nothing sooner: whoever holds a swapped SIM receives it.`,
      ...(fields.boundedChange === "near_end"
        ? [
            "Where a carrier tells only between which two moments the SIM changed, the nearer one is weighed, the farther one shown, and the sentence tells both.",
          ]
        : []),
      quality.reserved === undefined
        ? "Not used: name, address, location, who calls whom, contents of messages, the original carrier, and what a number is reserved for (film, tests). The last two are shown in the explanation and weigh nothing."
        : "Not used: name, address, location, who calls whom, contents of messages, and the original carrier, which is shown in the explanation and weighs nothing.",
      "Whether the model treats countries alike is not known. Prepaid and internet telephony are the rule in some of them, and both raise the score.",
    ),
  ]
}

function weights(model: PhoneModel, shipped: boolean): string[] {
  const { takeover } = model
  const header = shipped ? ["Term", "Nats", "Taken from"] : ["Term", "Nats"]
  const cells = ({ term, nats, basis }: WeightRow): Cell[] =>
    shipped ? [term, nats, basis] : [term, nats]
  return [
    "## Weights",
    "### Takeover",
    table(header, takeoverRows(model).map(cells)),
    "Policy floor under the takeover points by days since the change: flat up to the first, interpolated, none after the last.",
    table(["Days", "Points"], takeover.simChange.floor),
    `A number given to another subscriber since it was verified has a floor of ${takeover.recycled.floor}.`,
    "### Quality",
    table(header, qualityRows(model).map(cells)),
    table(["Line", "Nats", "Number types it stands for"], lineRows(model)),
    ...(shipped
      ? [
          "The order of lines follows Thomas et al. (CCS 2014: accounts verified in bulk abuse free internet telephony) and the classes that MaxMind publishes; their distances are judgement.",
        ]
      : []),
  ]
}

function fieldsOf(model: PhoneModel): string[] {
  const { coverage } = model
  return [
    "## Fields beside the score",
    table(["Field", "Value"], fieldRows(model)),
    "### Under uncertainty",
    "What is not known adds no term, except that an unknown line has a weight of its own. Unknown never reads as none: a source that failed, was not asked or does not cover the number leaves the same answer as no source, and the explanation says which.",
    table(
      ["Field", "No source could answer", "A source affirms no change"],
      uncertaintyRows(model),
    ),
    "Coverage in the explanation says how much was known; it does not change the score.",
    table(["Family", "Share"], Object.entries(coverage)),
  ]
}

function uncertaintyRows(model: PhoneModel): string[][] {
  const bare = { line: "mobile", valid: true } as const
  const unknown = assessPhone(exampleInput(bare), model)
  const affirmed = assessPhone(exampleInput({ ...bare, noSimChangeDays: 240 }), model)
  const names = [
    "risk_score",
    "sim_swap_risk",
    "sim_change_detected",
    "sim_change_window",
    "ownership_confidence",
    "network_continuity",
  ] as const
  const rows = names.map((name) => [code(name), String(unknown[name]), String(affirmed[name])])
  return [
    ...rows,
    [code("risk_reasons"), unknown.risk_reasons.join("; "), affirmed.risk_reasons.join("; ")],
  ]
}

const evaluationData: readonly string[] = [
  "## Evaluation data",
  "None. There is no evaluation of this model on outcomes, ours or anybody's.",
]

const trainingData: readonly string[] = [
  "## Training data",
  "None: no weight was fitted to outcomes. The table of weights says for each what it was taken from; most are judgement. Published figures were used to check them: 252 SIM-swap frauds on 92 million subscriptions in the United Kingdom in 2018 and about 3,000 in 2024 (Cifas) make some 2 in 10,000 of all SIM changes fraud, so a change alone is weak evidence; Lee et al. (SOUPS 2020) found that 17 of about 140 sites fall to a SIM swap alone, so at the moment of a sensitive action it is strong. The policy floor stands for the second.",
]

/** The file of the plot. The plot of 1.0 has no version in its name: there was only one then. */
export function simChangePlotName({ version }: PhoneModel): string {
  return version === "1.0" ? "phone-sim-change.svg" : `phone-sim-change-${version}.svg`
}

function analyses(model: PhoneModel, shipped: boolean): string[] {
  const examples = examplesOf(model)
  const { version } = model
  return [
    "## Quantitative analyses",
    "### Examples",
    `${examples.length === 14 ? "Fourteen" : examples.length} numbers, of each of which only what is named is known. Version ${shipped ? version : "1.0"} is held to its answers to nine decimals.`,
    table(
      [
        "Number",
        "p_takeover",
        "p_quality",
        "Score",
        "Level",
        "sim_swap_risk",
        "sms_otp_trust",
        "Action",
      ],
      examples.map(({ name, known }) => [name, ...answerCells(exampleInput(known), model)]),
    ),
    "### Score by age of a SIM change",
    `![Score by days since the SIM changed](${simChangePlotName(model)})`,
    table(
      ["Since the change", "Likelihood ratio", "Floor", "Score", "sim_swap_risk"],
      SIM_AGES.map(([shown, days]) => simAgeRow(shown, days, model)),
    ),
    "### Score by line",
    "A valid number, and nothing else known of it.",
    table(
      ["Line", "Score", "Action"],
      LINES.map((line) => {
        const answer = assessPhone(exampleInput({ line, valid: true }), model)
        return [code(line), answer.risk_score, answer.recommendation]
      }),
    ),
    "### Sensitivity to the priors",
    `Scores of four of the examples. The priors (${percent(model.takeover.prior)} and ${percent(model.quality.prior)} as they are) move quiet numbers; a floor that holds does not move.`,
    table(
      ["Priors times", ...SENSITIVE.map((place) => phoneExamples[place]?.name ?? "")],
      PRIOR_FACTORS.map((factor) => priorRow(factor, model)),
    ),
  ]
}

const SIM_AGES: readonly (readonly [shown: string, days: number])[] = [
  ["at once", 0],
  ["6 hours", 0.25],
  ["24 hours", 1],
  ["48 hours", 2],
  ["72 hours", 3],
  ["7 days", 7],
  ["10 days", 10],
  ["14 days", 14],
  ["30 days", 30],
  ["90 days", 90],
]

/**
 * Places of the examples that show what priors do: one changed, one recycled, one of abuse, one
 * quiet.
 */
const SENSITIVE = [4, 7, 10, 12] as const
const PRIOR_FACTORS = [0.25, 0.5, 1, 2, 5] as const

function answerCells(input: PhoneInput, model: PhoneModel): Cell[] {
  const answer = assessPhone(input, model)
  const { p_takeover, p_quality, sms_otp_trust } = explainPhone(input, model)
  return [
    percent(p_takeover),
    percent(p_quality),
    answer.risk_score,
    answer.risk_level,
    answer.sim_swap_risk,
    sms_otp_trust,
    answer.recommendation,
  ]
}

function simAgeRow(shown: string, simChangeAge: number, model: PhoneModel): Cell[] {
  const bare = { line: "mobile", valid: true } as const
  const changed = exampleInput({ ...bare, simChangeAge })
  const explained = explainPhone(changed, model)
  const { raw_points: quiet } = explainPhone(exampleInput(bare), model)
  // Nothing else counts on the takeover side, so all points gained come from the ratio.
  const ratio = 2 ** ((explained.raw_points - quiet) / model.scale.pointsToDouble)
  const answer = assessPhone(changed, model)
  return [
    shown,
    ratio.toFixed(2),
    explained.policy_floor === null ? "none" : Number(explained.policy_floor.points.toFixed(1)),
    answer.risk_score,
    answer.sim_swap_risk,
  ]
}

function priorRow(factor: number, model: PhoneModel): Cell[] {
  const { takeover, quality } = model
  const moved: PhoneModel = {
    ...model,
    takeover: { ...takeover, prior: takeover.prior * factor },
    quality: { ...quality, prior: quality.prior * factor },
  }
  const scores = SENSITIVE.map(
    (place) => assessPhone(exampleInput(phoneExamples[place]?.known ?? {}), moved).risk_score,
  )
  return [factor, ...scores]
}

function invariantsOf({ fields }: PhoneModel): string[] {
  return [
    "## Invariants",
    "Held by property tests over random numbers, and at loading by rules that refuse a document which could break them.",
    list(
      "An older SIM change or port never scores higher than a newer one, all else equal.",
      "A recycled number, forwarding, failed codes, more accounts, a route change, another country, a block list or an invalid number never lower the probability.",
      "The score is an integer from 0 to 100; its level is a function of the score alone; the low level always allows and no other does.",
      "The same input and document give the same bytes. A member left out and one that is null are the same.",
      "From 25 points on there is a reason, and at most four, besides the sentence that SIM history was not available. Baseline, contributions and rounding add up to the score.",
      "Nothing but a number that no plan allows is blocked on its shape and lists alone; those are reviewed.",
      ...(fields.smsUnsafeForbidsAllow === true
        ? [
            "Under any settings: `sim_swap_risk` high means a score of 40 or more and elevated of 25 or more, unless the number was verified since in a way that counts; `sms_otp_trust` do_not_use is never answered with allow; a change is detected exactly where a window is told.",
          ]
        : []),
    ),
  ]
}

function ethics({ version }: PhoneModel): string[] {
  return [
    "## Ethical considerations",
    list(
      "Assay stores no phone number: a keyed hash stands for it. A number leaves the machine only where a provider is configured and the tenant's plan and its own switch allow it.",
      "People change SIMs for good reasons: a new phone, a lost one, a journey. The weight of a change fades within days, its floor ends on a published day, and a verification after it ends both at once.",
      `Who has a prepaid card or internet telephony often has it for want of money or of an address. In version ${version} those lines alone stay in the low level.`,
      "Numbers are given to new people after some months. What was reported of a number may be about whoever had it before: evidence is dated, and a recycling is told apart from a fault of the present holder.",
    ),
  ]
}

function caveats(model: PhoneModel): string[] {
  const { scale, fields, takeover } = model
  const odds = 2 ** ((100 - scale.anchorPoints) / scale.pointsToDouble) / scale.anchorOdds
  const last = takeover.simChange.floor.at(-1)?.[0] ?? 0
  return [
    "## Caveats and recommendations",
    list(
      "Without a carrier, a vendor or imported telecom evidence only the number itself is known. The answer says so, and its score is little more than a base rate of the line type.",
      `Dates differ in what they are. Some carriers give an hour, some a day, some only yes or no for a period; where only a period is known, the change is taken for as ${fields.boundedChange === "near_end" ? "new" : "old"} as the period allows. After ${last} days no floor is left, and after ${fields.simChangeDetectedBelowDays} no change is reported.`,
      "A carrier's date may be that of the first activation. A new subscriber then looks like a changed SIM for some days.",
      "Type and region are those of the numbering plan. In countries where fixed and mobile numbers look alike, the plan cannot tell them apart; a ported number keeps its prefix.",
      "A number on a list may have been given to somebody else since. Feedback (`not_fraud`, `clear`) undoes what was reported of it.",
      `The score saturates at ${percent(odds / (1 + odds))}. It cannot rank the worst; ${code("p")} of the explanation can.`,
      "Before relying on a probability: send outcomes as feedback, and compare what became of each level with what the model said, countries, lines and carriers apart.",
    ),
  ]
}

function versions({ version }: PhoneModel): string[] {
  return [
    "## Versions",
    list(
      `This is version ${version}. A change of weights, tables or texts is a new MINOR version, a change of what inputs, fields or the scale mean a new MAJOR one; \`npx assay model diff\` says which a difference asks for.`,
      "Old versions stay loadable. A decision keeps the exact input and the version, so it can be computed again without a provider, a list or the corpus.",
    ),
  ]
}
