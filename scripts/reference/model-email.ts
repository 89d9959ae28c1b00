import { EMAIL_REASON_CODES, type EmailModel, STAGES } from "@assay/core/score"
import { code, lines, percent, signed, table } from "./page.ts"
import { points, scaleSection, sentencesOf } from "./model-shared.ts"

/** The model card of the e-mail model: its data, as the document the scorer loads holds it. */
export function emailModelPage(model: EmailModel): string {
  const { priors, exposure, confidence, reasons, abuse } = model
  return lines(
    `# E-mail model ${model.version}`,
    "Two risks are scored apart and joined, because the same fact can speak for one and against the other: an address in an old breach is more exposed and less likely to be a throwaway. *Credential*: somebody uses this person's stolen credentials within a year. *Abuse*: the owner of the address is the abuser. With probabilities p_C and p_B the total is p = 1 − (1 − p_C)(1 − p_B).",
    "**Not validated end to end.** No public data set joins exposures and outcomes, so probabilities are nominal: the odds ratios of exposures follow published measurements (Thomas et al., *Data Breaches, Phishing, or Malware?*, CCS 2017, and Bursztein et al., *Handcrafted Fraud and Extortion*, IMC 2014, for the base rate); most other weights are judgement.",
    scaleSection(model),
    "At low confidence nothing is blocked: it is reviewed.",
    "## Credential",
    `Prior ${percent(priors.credential)} a year. An exposure adds (odds ratio − 1) × usable share of its secret × what is left at its age × confidence of its source to the odds; the largest counts in full, each further one with ${percent(exposure.discount)} of the weight before it. The same password from two sources multiplies the sum by ${1 + exposure.reuse}. Each further class of personal data in an exposure adds ${model.depth.nats} nats, for at most ${model.depth.classesMax} of ${model.depth.classes.map(code).join(", ")}. After a confirmed change of the password older exposures count ${percent(exposure.rotatedShare)}.`,
    table(
      [
        "Exposure",
        "Odds ratio",
        "Share that fades fast",
        "Its half-life, days",
        "Half-life of the rest, days",
      ],
      Object.entries(exposure.kinds).map(([kind, { oddsRatio, fastShare, fastHalfLifeDays }]) => [
        code(kind),
        oddsRatio,
        percent(fastShare),
        fastHalfLifeDays,
        exposure.slowHalfLifeDays,
      ]),
    ),
    table(
      ["Secret", "Usable share"],
      Object.entries(exposure.secrets).map(([secret, share]) => [code(secret), percent(share)]),
    ),
    `Signals of the criminal market, in nats; the strongest counts in full, each further one with ${percent(model.market.discount)} of the weight before it:`,
    table(["Signal", "Nats", "At most", "Half-life, days"], marketRows(model)),
    "## Stage",
    `The stage is the highest of which the sources together are at least ${percent(model.stages.certainty)} sure. Its floor and cap hold the credential points. An item counts one stage less after each window without a new sighting. REPOSTED has the floor ${model.stages.freshRepost.floor} when ${model.stages.freshRepost.sourcesMin} sources repeat it within ${model.stages.freshRepost.daysMax} days.`,
    table(["Stage", "Marker", "Floor", "Cap", "Window, days", "Set by"], stageRows(model)),
    ...freshUsable(model),
    "## Abuse",
    `Prior ${percent(priors.abuse)}. Terms in nats: those for and those against are summed apart, the largest in full, each further one with ${percent(abuse.discount)} of the weight before it. An unknown is no term: what was not looked up counts neither for nor against anyone.`,
    table(["Term", "Nats"], abuseRows(model)),
    "## Confidence",
    `${confidence.coverageShare} × coverage + ${confidence.evidenceShare} × (1 − e^(−N/${confidence.evidenceScale})), where N adds up the best item of each source, weighed by confidence and a half-life of ${confidence.evidenceHalfLifeDays} days. \`medium\` from ${confidence.mediumFrom}, \`high\` from ${confidence.highFrom}. Confidence says how much was looked at, not how risky the address is.`,
    table(["Family", "Share of coverage"], Object.entries(confidence.coverage)),
    "Exposures and signals are looked up in the service's index, and domains in shipped and the operator's lists, which covers trust to 0.4. `ASSAY_DNS` turns on the look-up of mail servers and `ASSAY_RDAP_URL` that of the domain's registration; each adds 0.2 where it is answered. No mailbox is asked whether it takes mail: that adds 0.2 where evidence or your feedback tells it. Bot is covered to 0.5 by the request's `context` and to 0.5 by the tenant's own history with the address. What was not looked up is unknown.",
    "## Reasons",
    `At most ${reasons.countMax}, each of at least ${reasons.pointsMin} point; points of all factors, the baseline and rounding add up to the score. The order breaks ties.`,
    table(
      ["Code", "Sentence"],
      EMAIL_REASON_CODES.filter((name) => textOf(model, name) !== undefined).map((name) => [
        code(name),
        sentencesOf(textOf(model, name)),
      ]),
    ),
    ...unchecked(model),
  )
}

function marketRows({ market }: EmailModel): (string | number | null)[][] {
  const saturating = [
    ["circulation: reposts, and combo lists with a secret", market.circulation],
    ["`listing`", market.listing],
    ["`mention`", market.mention],
  ] as const
  const fading = ["ready", "sale", "tested", "attack", "monetized"] as const
  return [
    ...saturating.map(([name, { nats, natsMax, halfLifeDays }]) => [
      name,
      `${nats} × ln(1 + sum)`,
      natsMax,
      halfLifeDays,
    ]),
    ...fading.map((name) => [
      code(name),
      `${market[name].nats} × strongest`,
      market[name].nats,
      market[name].halfLifeDays,
    ]),
  ]
}

function stageRows({ stages }: EmailModel): (string | number | null)[][] {
  return STAGES.map(({ name, marker }) => {
    const { floor, cap, windowDays } = stages.limits[name]
    const kinds = Object.entries(stages.native)
      .filter(([, stage]) => stage === name)
      .map(([kind]) => code(kind))
    if (stages.addressOnly === name) kinds.push("an exposure without any secret")
    return [name, `${marker} %`, floor, cap, windowDays, kinds.join(", ")]
  })
}

function abuseRows({ abuse }: EmailModel): string[][] {
  const { burnerDomain, corporate, blocklist, confirmedFraud, handle } = abuse
  const flags = {
    disposable: "disposable domain",
    masked: "alias of a privacy relay",
    undeliverable: "no mail server, or the mailbox refuses mail",
    toxicDomain: "domain listed as a source of abuse",
    typosquat: "domain imitates a large provider",
    catchAll: "domain accepts every address",
    role: "role mailbox",
    mailboxDied: "mailbox worked once and now bounces",
    ownershipVerified: "ownership verified",
    deliverable: "deliverable",
  } as const
  return [
    ...(abuse.homograph === undefined
      ? []
      : [
          [
            "domain imitates another with look-alike letters, or mixes alphabets; then nothing for an imitation by a slip",
            signed(abuse.homograph),
          ],
        ]),
    ...(abuse.disposableLikely === undefined
      ? []
      : [
          [
            "one list alone calls the host disposable; then nothing for that entry as a block list",
            signed(abuse.disposableLikely),
          ],
        ]),
    ["age of the address, days (interpolated)", points(abuse.emailAge, "")],
    ["age of the domain, days (interpolated; not for free providers)", points(abuse.domainAge, "")],
    ...Object.entries(flags).map(([name, text]) => [
      text,
      signed(abuse[name as keyof typeof flags]),
    ]),
    [`disposable domain younger than ${burnerDomain.daysBelow} days`, signed(burnerDomain.nats)],
    [
      `own domain with mail servers, older than ${corporate.domainDaysAbove} days`,
      signed(corporate.nats),
    ],
    ["passive traces found: 0, 1, 2, 3 or more", abuse.traces.map(signed).join("; ")],
    [
      handle.lengthMin === undefined
        ? "shape of the local part"
        : `shape of the local part, from ${handle.lengthMin} characters on; told as a reason from ${handle.reasonFrom ?? 0} nats on`,
      `${signed(handle.min)} to ${signed(handle.max)}`,
    ],
    ["sign-ups from the same device or network in 24 hours", points(abuse.velocity24h, " or more")],
    ["addresses of the same pattern in 24 hours", points(abuse.cluster, " or more")],
    ["seconds from sign-up to first action", points(abuse.instantAction, " or fewer")],
    ["behaviour reported as anomalous, 0 to 1", `${signed(abuse.anomaly)} × value`],
    ["on a block list", `${signed(blocklist.nats)}, half-life ${blocklist.halfLifeDays} days`],
    [
      "fraud by this identity confirmed",
      `${signed(confirmedFraud.nats)}, half-life ${confirmedFraud.halfLifeDays} days`,
    ],
    ["days of good history", points(abuse.goodHistory, " or more")],
  ]
}

function textOf({ texts }: EmailModel, name: (typeof EMAIL_REASON_CODES)[number]): unknown {
  const { imitation } = texts
  const all: Readonly<Record<string, unknown>> = {
    ...texts.exposures,
    CRED_PASSWORD_REUSE: texts.reuse,
    ...texts.signals,
    ...texts.trust,
    ...(imitation === undefined
      ? {}
      : {
          ID_TYPOSQUAT: { plain: texts.trust.ID_TYPOSQUAT, named: imitation.typosquat },
          ID_HOMOGRAPH: { named: imitation.homograph, mixed: imitation.mixed },
        }),
  }
  return all[name]
}

function freshUsable({ exposure }: EmailModel): string[] {
  const fresh = exposure.freshUsable
  if (fresh === undefined) return []
  return [
    `Where the stage is LEAKED or later, an exposure whose secret is ${code(fresh.secretFrom)} or stronger, at most ${fresh.daysMax} days old, of a source trusted to ${percent(fresh.confMin)} or more and not from before a confirmed change of the password, raises the floor to ${fresh.floor}. Neither a calibration nor the costs of a tenant undo that: \`allow\` is not permitted while it holds.`,
  ]
}

function unchecked({ texts }: EmailModel): string[] {
  if (texts.nothing.unchecked === undefined) return []
  return [
    `Whatever else there is to say, one more sentence says that exposure was not looked at when no source was searched: “${texts.nothing.unloaded}”, “${texts.nothing.withheld}” or “${texts.nothing.unchecked}”.`,
  ]
}
