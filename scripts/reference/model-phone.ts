import { PHONE_REASON_CODES, phoneModels, type PhoneModel } from "@assay/core/score"
import { code, lines, percent, signed, table } from "./page.ts"
import { points, scaleSection, sentencesOf } from "./model-shared.ts"

/** The model card of the phone model: its data, as the document the scorer loads holds it. */
export function phoneModelPage(): string {
  const model = phoneModels["1.0"]
  const { takeover, quality, coverage, reasons } = model
  return lines(
    `# Phone model ${model.version}`,
    "Two risks are scored apart and joined. *Takeover*: control of the number is lost. *Quality*: the number is of the kind that abuse uses. With probabilities p_T and p_Q the total is p = 1 − (1 − p_T)(1 − p_Q). Ages are in days, from the hour.",
    "**Not validated end to end.** Probabilities are nominal; most weights are judgement. A SIM change is weak evidence by itself and strong at the moment of a sensitive action, which is why it has a floor that is policy and no probability.",
    scaleSection(model),
    "A number of which nothing but its shape is known is reviewed rather than blocked, unless no numbering plan allows it: then it belongs to nobody.",
    "## Takeover",
    `Prior ${percent(takeover.prior)}. Terms in nats: those for and those against are summed apart, the largest in full, each further one with ${percent(takeover.discount)} of the weight before it.`,
    table(["Term", "Nats"], takeoverRows(model)),
    "Policy floor under the takeover points, by days since the SIM changed or the number was ported (flat up to the first, interpolated, none after the last):",
    table(["Days", "Points"], takeover.simChange.floor),
    `A number given to another subscriber since it was verified has a floor of ${takeover.recycled.floor}.`,
    "## Quality",
    `Prior ${percent(quality.prior)}; terms are summed the same way, each further one with ${percent(quality.discount)} of the weight before it.`,
    table(["Term", "Nats"], qualityRows(model)),
    table(
      ["Line", "Nats", "Number types it stands for"],
      Object.entries(quality.lines).map(([line, nats]) => [
        code(line),
        signed(nats),
        typesOf(model, line),
      ]),
    ),
    "## Fields",
    table(["Field", "Value"], fieldRows(model)),
    "## Coverage",
    table(["Family", "Share"], Object.entries(coverage)),
    "In this release the service knows the number itself and what its index holds of it; no operator is asked while a caller waits, and use of the number is not observed.",
    "## Reasons",
    `At most ${reasons.countMax}, each of at least ${reasons.pointsMin} point, and one more sentence when SIM history was not available: “${model.texts.simHistoryUnavailable}”. The line type is a reason from ${quality.lineReasonFrom} nats on. The order breaks ties.`,
    table(
      ["Code", "Sentence"],
      PHONE_REASON_CODES.map((name) => [code(name), sentencesOf(model.texts.reasons[name])]),
    ),
  )
}

function takeoverRows({ takeover }: PhoneModel): string[][] {
  const { simChange, port, deviceChanged, routeChanges } = takeover
  const delays = simChange.delays
    .map(({ share, meanDays }) => `${percent(share)} with a mean delay of ${meanDays} d`)
    .join(", ")
  return [
    [
      "SIM changed or number ported",
      `ln of the likelihood ratio, from ${simChange.changesPerYear} honest changes a year, ${percent(simChange.takeoverShare)} of takeovers by SIM, and abuse that follows the change (${delays})`,
    ],
    ["number ported, besides", `${signed(port.nats)}, half-life ${port.halfLifeDays} days`],
    ["number given to another subscriber since verified", signed(takeover.recycled.nats)],
    ["all calls forwarded", signed(takeover.callForwarding)],
    [
      "device changed together with the SIM",
      `${signed(deviceChanged.nats)}, half-life ${deviceChanged.halfLifeDays} days`,
    ],
    ["SIM moved within the same device", signed(takeover.simMovedSameDevice)],
    ["days with the same device", points(takeover.deviceContinuity, " or more")],
    [
      "n changes of route or carrier in 90 days",
      `${signed(routeChanges.nats)} × log2(1 + n), at most ${routeChanges.natsMax}`,
    ],
    ["burst of failed one-time codes", signed(takeover.otpFailureBurst)],
  ]
}

function qualityRows({ quality }: PhoneModel): string[][] {
  return [
    ["no numbering plan allows the number", signed(quality.invalid)],
    ["not active on its network", signed(quality.inactive)],
    ["active on its network", signed(quality.active)],
    ["days in service (interpolated)", points(quality.tenure, "")],
    ["country of the number and of its use differ", signed(quality.countryMismatch)],
    ["accounts on the number in 24 hours", points(quality.accounts24h, " or more")],
    ["on a block list", signed(quality.blocklisted)],
  ]
}

function typesOf({ lineOfNumberType }: PhoneModel, line: string): string {
  return Object.entries(lineOfNumberType)
    .filter(([, of]) => of === line)
    .map(([type]) => code(type))
    .join(", ")
}

function fieldRows({ fields }: PhoneModel): string[][] {
  const { simSwapRisk, ownership, network } = fields
  return [
    [
      code("sim_swap_risk"),
      `by days since the SIM changed or the number was ported: under ${simSwapRisk.highBelowDays} high, under ${simSwapRisk.elevatedBelowDays} elevated, under ${simSwapRisk.lowBelowDays} low, else none; low when no source could answer`,
    ],
    [code("sim_change_detected"), `under ${fields.simChangeDetectedBelowDays} days`],
    [
      code("sim_change_window"),
      `hours under ${fields.windowInHoursBelowHours} hours, then days; null when not detected`,
    ],
    [
      code("ownership_confidence"),
      `low when the change is under ${ownership.lowBelowDays} days old and the number not verified since, under ${ownership.lowWithNewDeviceBelowDays} days with a new device, when the number was recycled, is inactive or invalid, or when nothing is known beyond the number; high with ${ownership.highContinuityDays} days on one device or a verification since, and ${ownership.highFromDays} days since the change or ${ownership.highNoChangeDays} days affirmed without one, and calls not forwarded; else medium`,
    ],
    [
      code("network_continuity"),
      `unstable when ported under ${network.unstablePortBelowDays} days ago, at ${network.unstableRouteChanges} or more route changes in 90 days, when inactive or when calls are forwarded; else stable, which without a network source means only that nothing was observed`,
    ],
    [
      `${code("sms_otp_trust")} (explanation)`,
      `do_not_use when the SIM changed under ${fields.smsUnsafeBelowDays} days ago and was not verified since, or the number is recycled, forwarded, invalid or inactive; weak for ${fields.smsWeakLines.map(code).join(", ")}; else ok`,
    ],
  ]
}
