import type { PhoneModel } from "@assay/core/score"
import { code, percent, signed } from "./card-markdown.ts"

/** A weight in words, and what the shipped document takes it from. */
export interface WeightRow {
  readonly term: string
  readonly nats: string
  readonly basis: string
}

const JUDGEMENT = "judgement"

/** What speaks for and against that control of a number was lost. */
export function takeoverRows({ takeover }: PhoneModel): WeightRow[] {
  const { simChange, port, deviceChanged, routeChanges } = takeover
  const delays = simChange.delays
    .map(({ share, meanDays }) => `${percent(share)} with a mean delay of ${meanDays} d`)
    .join(", ")
  return [
    {
      term: "SIM changed or number ported",
      nats: `ln of the likelihood ratio, from ${simChange.changesPerYear} honest changes a year, ${percent(simChange.takeoverShare)} of takeovers by SIM, and abuse that follows the change (${delays})`,
      basis:
        "derived from three rates that are judgement; the delays fit the windows that regulators and carriers use (TRAI: no port within 7 days of a SIM change; CAMARA: 240 hours by default)",
    },
    {
      term: "number ported, besides",
      nats: `${signed(port.nats)}, half-life ${port.halfLifeDays} days`,
      basis: JUDGEMENT,
    },
    {
      term: "number given to another subscriber since verified",
      nats: signed(takeover.recycled.nats),
      basis:
        "judgement, after Lee and Narayanan (eCrime 2021): of 259 numbers on sale 215 were recycled and open to attack",
    },
    {
      term: "all calls forwarded",
      nats: signed(takeover.callForwarding),
      basis: JUDGEMENT,
    },
    {
      term: "device changed together with the SIM",
      nats: `${signed(deviceChanged.nats)}, half-life ${deviceChanged.halfLifeDays} days`,
      basis: JUDGEMENT,
    },
    {
      term: "SIM moved within the same device",
      nats: signed(takeover.simMovedSameDevice),
      basis: JUDGEMENT,
    },
    {
      term: "days with the same device",
      nats: steps(takeover.deviceContinuity, " or more"),
      basis: JUDGEMENT,
    },
    {
      term: "n changes of route or carrier in 90 days",
      nats: `${signed(routeChanges.nats)} × log2(1 + n), at most ${routeChanges.natsMax}`,
      basis: JUDGEMENT,
    },
    {
      term: "burst of failed one-time codes",
      nats: signed(takeover.otpFailureBurst),
      basis: JUDGEMENT,
    },
  ]
}

/** What speaks for and against that a number is of the kind that abuse uses. */
export function qualityRows({ quality }: PhoneModel): WeightRow[] {
  return [
    {
      term: "no numbering plan allows the number",
      nats: signed(quality.invalid),
      basis: "judgement: nobody has such a number",
    },
    { term: "not active on its network", nats: signed(quality.inactive), basis: JUDGEMENT },
    { term: "active on its network", nats: signed(quality.active), basis: JUDGEMENT },
    {
      term: "days in service (interpolated)",
      nats: steps(quality.tenure, ""),
      basis: JUDGEMENT,
    },
    {
      term: "country of the number and of its use differ",
      nats: signed(quality.countryMismatch),
      basis: JUDGEMENT,
    },
    {
      term: "accounts on the number in 24 hours",
      nats: steps(quality.accounts24h, " or more"),
      basis: JUDGEMENT,
    },
    { term: "on a block list", nats: signed(quality.blocklisted), basis: JUDGEMENT },
    ...(quality.reserved === undefined
      ? []
      : [
          {
            term: "set aside for fiction, tests or documentation, and no line behind it known",
            nats: signed(quality.reserved),
            basis: "judgement: nobody can own it",
          },
        ]),
    ...(quality.confirmedFraud === undefined
      ? []
      : [
          {
            term: "fraud confirmed by the tenant itself",
            nats: `${signed(quality.confirmedFraud.nats)}, half-life ${quality.confirmedFraud.halfLifeDays} days`,
            basis: "judgement: a tenant's own label is the strongest evidence there is",
          },
        ]),
  ]
}

/** Lines with their weight and the public number types that stand for them. */
export function lineRows({ quality, lineOfNumberType }: PhoneModel): string[][] {
  return Object.entries(quality.lines).map(([line, nats]) => [
    code(line),
    signed(nats),
    Object.entries(lineOfNumberType)
      .filter(([, of]) => of === line)
      .map(([type]) => code(type))
      .join(", "),
  ])
}

/** The rules of the public fields beside the score. */
export function fieldRows({ fields, quality }: PhoneModel): string[][] {
  const { simSwapRisk, ownership, network } = fields
  const nearEnd = fields.boundedChange === "near_end"
  const invalid = quality.reserved === undefined ? "invalid" : "invalid or set aside"
  const proof = fields.verificationCountsAfterDays
  const since =
    proof === undefined
      ? "since"
      : `since by other means than the number, or ${proof} days after the change or later`
  return [
    [
      code("sim_swap_risk"),
      `by days since the SIM changed or the number was ported: under ${simSwapRisk.highBelowDays} high, under ${simSwapRisk.elevatedBelowDays} elevated, under ${simSwapRisk.lowBelowDays} low, else none; low when no source could answer${nearEnd ? "; of a change between two ends, by the nearer" : ""}`,
    ],
    [code("sim_change_detected"), `under ${fields.simChangeDetectedBelowDays} days`],
    [
      code("sim_change_window"),
      `hours under ${fields.windowInHoursBelowHours} hours, then days; null when not detected${nearEnd ? "; of a change between two ends, the farther" : ""}`,
    ],
    [
      code("ownership_confidence"),
      `low when the change is under ${ownership.lowBelowDays} days old and the number not verified ${since}, under ${ownership.lowWithNewDeviceBelowDays} days with a new device, when the number was recycled, is inactive or ${invalid}, or when nothing is known beyond the number; high with ${ownership.highContinuityDays} days on one device or a verification since, and ${ownership.highFromDays} days since the change or ${ownership.highNoChangeDays} days affirmed without one, and calls not forwarded; else medium`,
    ],
    [
      code("network_continuity"),
      `unstable when ported under ${network.unstablePortBelowDays} days ago, at ${network.unstableRouteChanges} or more route changes in 90 days, when inactive${network.unstableWithoutOwner === true ? `, ${invalid}` : ""} or when calls are forwarded; else stable, which without a network source means only that nothing was observed`,
    ],
    [
      `${code("sms_otp_trust")} (explanation)`,
      `do_not_use when the SIM changed under ${fields.smsUnsafeBelowDays} days ago and was not verified ${since}, or the number is recycled, forwarded, ${invalid} or inactive; weak for ${fields.smsWeakLines.map(code).join(", ")}; else ok`,
    ],
  ]
}

function steps(of: readonly (readonly [number, number])[], unit: string): string {
  return of.map(([x, nats]) => `${x}${unit}: ${signed(nats)}`).join("; ")
}
