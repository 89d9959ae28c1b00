import type { EmailModel, Quality } from "@assay/core/score"
import { type Cell, list, percent, table } from "./card-markdown.ts"
import type { AreaWithInterval, EmailEvaluation } from "./email-evaluation.ts"

/**
 * The model card of an e-mail model in Markdown, with the sections of Mitchell et al., "Model Cards
 * for Model Reporting" (2019). Every number in it is read from the model document or from the
 * evaluation; a model that was never evaluated has a card that says so. `before` is shown beside
 * the results.
 */
export function emailModelCard(
  model: EmailModel,
  results: EmailEvaluation | null,
  before: EmailEvaluation | null = null,
): string {
  const measured =
    results === null
      ? { caution: NEVER_EVALUATED, before: [], after: [] }
      : {
          caution: SMOKE_TEST,
          before: [...metricsOf(results), ...evaluationData(results)],
          after: [
            ...resultsOf(model, results),
            ...(before === null ? [] : sideBySide(before, results)),
          ],
        }
  return `${[
    `# Model card: ${model.name} ${model.version}`,
    measured.caution,
    ...detailsOf(model),
    ...intendedUse,
    ...factors(model),
    ...measured.before,
    ...trainingData(model),
    ...measured.after,
    ...ethics,
    ...caveats(model, results),
  ].join("\n\n")}\n`
}

const SMOKE_TEST =
  "**A smoke test, not a validation.** No public data set joins exposures of an address with what became of it. The figures below come from a simulator that shares no weight with the model: they show that the model is consistent with itself and ranks as intended in a world we made up. They do not show that it is right about yours. Nominal probabilities are priors until they are calibrated with your own outcomes (`npx assay calibrate`)."
const NEVER_EVALUATED =
  "**Never evaluated, and not validated.** This document does not come with the program, so nothing is known of how well it ranks. Nominal probabilities are priors until they are calibrated with your own outcomes (`npx assay calibrate`)."

function detailsOf({ name, version, scale, priors, calibration, exposure }: EmailModel): string[] {
  const { freshUsable } = exposure
  return [
    "## Model details",
    list(
      `Model \`${name}\`, version ${version}: a document of weights and a pure function that applies it. An old version stays loadable, so that a past decision can be computed again.`,
      `Two scorecards of weights of evidence, joined: p_credential, that stolen credentials are used against this person within 12 months, and p_abuse, that the owner of the address is the abuser; p = 1 − (1 − p_credential)(1 − p_abuse).`,
      `The score is linear in the log-odds of p: ${scale.anchorPoints} points are odds of 1 to ${scale.anchorOdds}, and ${scale.pointsToDouble} points double them. A stage of the criminal lifecycle holds the credential side between a floor and a cap.`,
      `Priors: ${percent(priors.credential)} a year for credentials, ${percent(priors.abuse)} for abuse; both are settings of a tenant.`,
      `A calibration of a tenant maps log-odds ℓ to A·ℓ + B with A from ${calibration.slopeMin} to ${calibration.slopeMax}; floors of stages hold after it too.`,
      ...(freshUsable === undefined
        ? []
        : [
            `A leaked password that can be used as it is (${freshUsable.secretFrom.replace("_", " ")} or plain text, from a source trusted to ${percent(freshUsable.confMin)} or more) and is at most ${freshUsable.daysMax} days old holds the credential side at ${freshUsable.floor} points or more. No cost or calibration of a tenant lets it through unasked. A challenge costs little, and stolen pairs are used within days.`,
          ]),
      "License Apache-2.0. Questions and faults: as SECURITY.md and CONTRIBUTING.md of the repository say.",
    ),
  ]
}

const intendedUse: readonly string[] = [
  "## Intended use",
  list(
    "For: choosing between allow, a further factor, review and block at sign-up, sign-in and payment, and warning people whose credentials circulate.",
    "By: operators who run the service themselves and hold their evidence lawfully.",
    "Not for: credit, employment, housing or insurance; not for telling who a person is or what they deserve. An adverse decision about a person needs a human route (`review`) and the reasons the service gives.",
    "A high score at stage TESTED or above is about a victim: others use this person's credentials. Challenge the session and help the person; do not shut them out.",
  ),
]

function factors({ depth, abuse, exposure }: EmailModel): string[] {
  const { homograph, disposableLikely, confirmedFraud } = abuse
  const { lengthMin, reasonFrom } = abuse.handle
  return [
    "## Factors",
    list(
      `Evidence: exposures (${Object.keys(exposure.kinds).join(", ")}) by kind of secret, age and trust in the source; signals of the criminal market; ${depth.classes.length} classes of personal data that leaked beside.`,
      `Trust and abuse: age of address and domain, kind of domain, deliverability, traces, shape of the local part (from ${abuse.handle.min} to +${abuse.handle.max} nats, Latin letters only, and too little to leave the low band alone), velocity, block lists, history.`,
      ...(homograph === undefined
        ? []
        : [
            `Domains that imitate another with letters of another alphabet: +${homograph} nats. Nobody types those by mistake.`,
          ]),
      ...(disposableLikely === undefined
        ? []
        : [
            `A host that one list alone calls disposable: +${disposableLikely} nats, too little to leave the low band alone.`,
          ]),
      ...(reasonFrom === undefined
        ? []
        : [
            `A local part shorter than ${lengthMin ?? 0} characters is not judged by its letters, and its shape is told as a reason only from ${reasonFrom} nats on, in words: short and foreign names were called generated.`,
            `Fraud that the tenant itself confirmed: +${confirmedFraud.nats} nats, half of it after ${confirmedFraud.halfLifeDays} days. It is the strongest evidence there is.`,
          ]),
      "Not used: name, sex, origin, language, location, content of mail; free providers, plus-aliases and the hour of day have weight 0.",
      "Results are told apart below by kind of domain, age of the address, masked or not, and confidence. Whether the model treats scripts and regions alike cannot be told from the simulator, which knows neither.",
    ),
  ]
}

function metricsOf({ auc }: EmailEvaluation): string[] {
  return [
    "## Metrics",
    `Ranking: area under the ROC curve (AUC) with a 95 % interval after DeLong, average precision, and lift of the top tenth. Probabilities: Brier score, log loss and expected calibration error over at most ten bins of equal mass (equal probabilities share a bin). "Bad" means taken over within a year or owned by an abuser.`,
    table(
      ["AUC of", "against", "AUC", "95 % interval"],
      [
        ["p", "bad", ...areaCells(auc.all)],
        ["p_credential", "takeover", ...areaCells(auc.takeover)],
        ["p_abuse", "abuse", ...areaCells(auc.abuse)],
      ],
    ),
  ]
}

function evaluationData({ population, model }: EmailEvaluation): string[] {
  const { identities, seed, bad, takeover, abuse } = population
  return [
    "## Evaluation data",
    `${counted(identities)} simulated identities, seed ${seed}: ${counted(bad)} bad (${percent(bad / identities)}), of whom ${counted(takeover)} taken over and ${counted(abuse)} abusers. Model document SHA-256 \`${model.sha256.slice(0, 16)}…\`.`,
    "The simulator plays out causes, not scores: mailboxes of some age are breached, infected and phished at given rates; passwords are stored in some way, cracked or not, reused or not, and fall out of use; records enter lists and markets; attempts come in waves and work only if the password does on that day; sources see a part of all this, and late. Abusers have younger mailboxes, other handles and bursts, and also these are seen in part. Every rate is in `eval/simulator/rates.ts` with its source, or marked as assumed. How often accounts are attacked, how often that is noticed or told, and how abusers' mailboxes look was set after looking at earlier runs, so that about two identities in a hundred turn out bad, half of them taken over and half abusive.",
  ]
}

function trainingData({ exposure }: EmailModel): string[] {
  const { breach, stealer, phish } = exposure.kinds
  return [
    "## Training data",
    `None: no weight was fitted to outcomes. The odds ratios of exposures (breach ${breach.oddsRatio}, stealer ${stealer.oddsRatio}, phish ${phish.oddsRatio}) and the base rate follow published measurements (Thomas et al., CCS 2017; Bursztein et al., IMC 2014). Most other weights are judgement, vendor figures among them shrunk by 35 to 50 %. The letter model of the local part comes from public-domain name lists. REPOSTED's floor, the weight of circulation and the credential prior were changed after an earlier simulator had been run.`,
  ]
}

function resultsOf({ priors }: EmailModel, results: EmailEvaluation): string[] {
  const { auc, averagePrecision, topDecileLift, baselines, calibration: fit } = results
  const { bad, identities } = results.population
  return [
    "## Quantitative analyses",
    `![ROC curves of the model and its baselines](${plotName("roc", results)})`,
    table(
      ["Ranked by", "AUC", "Average precision"],
      [
        ["the model", area(auc.all.auc), decimals(averagePrecision, 3)],
        ...baselines.map((baseline) => [
          baseline.name,
          area(baseline.auc),
          decimals(baseline.averagePrecision, 3),
        ]),
      ],
    ),
    `The top tenth by score holds ${decimals(topDecileLift, 1)} times the base rate of ${percent(bad / identities)}. More exposures alone rank worse than chance: an address with a long past is exposed often, and seldom an abuser's. That is why the two risks are scored apart.`,
    "### Calibration",
    `Fitted on ${counted(fit.fitted)} identities, measured on the other ${counted(fit.measured)}: A ${decimals(fit.A, 2)}, B ${decimals(fit.B, 2)}. Saying the base rate of everyone has a Brier score of ${decimals(fit.baseRateBrier, 5)}.`,
    `![Reliability before and after calibration](${plotName("reliability", results)})`,
    table(
      ["", "Brier", "Calibration error", "Log loss", "AUC"],
      [
        ["before", ...qualityCells(fit.before)],
        ["after, as the service answers", ...qualityCells(fit.after)],
        ["after, without floors of stages", ...qualityCells(fit.afterWithoutFloors)],
      ],
    ),
    "The fitted line alone keeps every order. Floors of stages hold after it, as a promise about evidence, so a fit that lowers most scores lifts identities at a floor above others; the difference of the last two rows is the price.",
    "### Bands and stages",
    `![Scores by what became of the identity](${plotName("scores", results)})`,
    table(
      ["Band", "Share", "Bad", "Mean nominal p"],
      results.bands.map(({ band, share, badRate, meanP }) => [
        band,
        percent(share),
        percent(badRate),
        percent(meanP),
      ]),
    ),
    table(
      ["Stage", "Share", "Taken over within a year", "Mean p_credential"],
      results.stages.map(({ stage, share, takeoverRate, meanCredentialP }) => [
        stage,
        percent(share),
        percent(takeoverRate),
        percent(meanCredentialP),
      ]),
    ),
    "### Sensitivity to the credential prior",
    `The prior (${percent(priors.credential)} as shipped) sets how many identities are elevated, and hardly the order.`,
    table(
      ["Prior", "AUC", "Elevated", "Bad among them"],
      results.sensitivity.map(
        ({ priorCredential, auc: reached, elevatedShare, elevatedBadRate }) => [
          percent(priorCredential),
          area(reached),
          percent(elevatedShare),
          percent(elevatedBadRate),
        ],
      ),
    ),
    "### By group",
    "An empty AUC: the group has only one outcome.",
    table(
      ["Factor", "Group", "Share", "Bad", "Mean nominal p", "AUC"],
      results.groups.map(({ factor, group, share, badRate, meanP, auc: reached }) => [
        factor,
        group,
        percent(share),
        percent(badRate),
        percent(meanP),
        reached === null ? null : area(reached),
      ]),
    ),
  ]
}

/** The file of a plot. Plots of 1.0 have no version in their name: there was only one then. */
export function plotName(
  plot: "roc" | "reliability" | "scores",
  { model }: EmailEvaluation,
): string {
  return model.version === "1.0" ? `${plot}.svg` : `${plot}-${model.version}.svg`
}

/** The same population under two versions. */
function sideBySide(before: EmailEvaluation, after: EmailEvaluation): string[] {
  const both = [before, after]
  const band = (of: EmailEvaluation, name: string) => of.bands.find((row) => row.band === name)
  // To two decimals: a version changes only a small part of a band.
  const share = (of: number | null | undefined): Cell =>
    of == null ? null : `${decimals(of * 100, 2)} %`
  const figures: [string, (of: EmailEvaluation) => Cell][] = [
    ["AUC, bad", ({ auc }) => area(auc.all.auc)],
    ["AUC, takeover", ({ auc }) => area(auc.takeover.auc)],
    ["AUC, abuse", ({ auc }) => area(auc.abuse.auc)],
    ["Average precision", ({ averagePrecision }) => decimals(averagePrecision, 3)],
    ["Lift of the top tenth", ({ topDecileLift }) => decimals(topDecileLift, 1)],
    ["Brier before calibration", ({ calibration }) => decimals(calibration.before.brier, 5)],
    ["Brier after calibration", ({ calibration }) => decimals(calibration.after.brier, 5)],
    ["Calibration error before", ({ calibration }) => decimals(calibration.before.ece, 4)],
    ["Calibration error after", ({ calibration }) => decimals(calibration.after.ece, 4)],
    ...after.bands.flatMap(({ band: name }): [string, (of: EmailEvaluation) => Cell][] => [
      [`Share in ${name}`, (of) => share(band(of, name)?.share)],
      [`Bad in ${name}`, (of) => share(band(of, name)?.badRate)],
    ]),
  ]
  return [
    `### Beside version ${before.model.version}`,
    "The same simulated people, the same evidence, scored by both versions. The simulator knows no look-alike letters, no host on a single list and no fraud label of a tenant, so it shows what the floor for fresh and usable passwords costs and brings, and nothing of the rest.",
    table(
      ["", ...both.map(({ model }) => model.version)],
      figures.map(([name, of]) => [name, ...both.map(of)]),
    ),
  ]
}

const ethics: readonly string[] = [
  "## Ethical considerations",
  list(
    "Evidence is about people who were wronged. Assay stores no address and no password: a keyed hash of the address, and 12 bits of a keyed, identity-bound fingerprint of a password to see reuse.",
    "People who protect themselves are not punished: an alias of a privacy relay stays in the low band by itself, and what was not looked up counts neither for nor against anyone.",
    "The shape of a local part is judged by Latin letters. Other scripts get no handle score at all.",
    "Time alone never raises a score, evidence steps down on a published clock, and a confirmed change of password lowers what came before it.",
  ),
]

function caveats({ scale, priors }: EmailModel, results: EmailEvaluation | null): string[] {
  const odds = 2 ** ((100 - scale.anchorPoints) / scale.pointsToDouble) / scale.anchorOdds
  const critical = results?.bands.find(({ band }) => band === "critical")
  return [
    "## Caveats and recommendations",
    list(
      "The odds ratios of exposures are those of one large provider in 2016 and 2017, with its defences. That a stealer log is like a keylogger is an analogy. Vendor figures are unaudited.",
      "The figures behind the shape of a local part come from senders of abuse and from developers, not from sign-ups: read them as an upper middle.",
      `An abuse prior of ${percent(priors.abuse)} suits mixed traffic. Open, free sign-up sees 10 % and more: set it per tenant.`,
      ...(critical?.badRate != null && critical.meanP != null
        ? [
            `In the simulated world ${percent(critical.badRate)} of the critical band is bad, where the model says ${percent(critical.meanP)} on average. A confirmed attack blocks the session whether or not a second one follows.`,
          ]
        : []),
      `The score saturates at ${percent(odds / (1 + odds))}. It cannot rank the worst; \`p\` and \`credential_points\` of the explanation can.`,
      "Before relying on a probability: collect outcomes, run `npx assay calibrate`, and look at your own groups.",
    ),
  ]
}

function areaCells({ auc, low, high }: AreaWithInterval): string[] {
  return [area(auc), `${area(low)} to ${area(high)}`]
}

function qualityCells({ brier, ece, logLoss, auc }: Quality): Cell[] {
  return [
    decimals(brier, 5),
    decimals(ece, 4),
    decimals(logLoss, 4),
    auc === null ? null : area(auc),
  ]
}

function area(auc: number): string {
  return decimals(auc, 3)
}

function decimals(value: number, places: number): string {
  return value.toFixed(places)
}

/** 60000 becomes 60,000, whatever the language of the machine. */
function counted(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",")
}
