import { Type, type Static } from "typebox"
import {
  Against,
  CalibrationSchema,
  CostsSchema,
  Days,
  exactly,
  Fading,
  For,
  HalfLife,
  MonthsSchema,
  Nats,
  NotNegative,
  oneOf,
  Points,
  Positive,
  Probability,
  ReasonsSchema,
  ScaleSchema,
  sentence,
  Share,
  SpanSchema,
  table,
  Version,
  WholePoints,
  type Frozen,
} from "./model-document.ts"
import { PhoneFactors } from "./factor-rows.ts"
import { LINES } from "./vocabulary.ts"

const LineName = oneOf(LINES)
const count = exactly({ one: sentence(), many: sentence("n") })

function byLine<S extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>>(of: S) {
  return exactly({
    mobile_postpaid: of,
    mobile: of,
    mobile_prepaid: of,
    fixed: of,
    voip_fixed: of,
    voip_nonfixed: of,
    toll_free: of,
    premium: of,
    sms_receive_site: of,
    unknown: of,
  })
}

const Takeover = exactly({
  prior: Probability,
  discount: Share,
  simChange: exactly({
    changesPerYear: Positive,
    /** Share of takeovers of a number that go through a SIM change. */
    takeoverShare: Probability,
    /** How long abuse waits after a change: a mix of exponential delays. */
    delays: Type.Array(exactly({ share: Share, meanDays: HalfLife }), { minItems: 1 }),
    /** Points by days since the change; none after the last day. */
    floor: table(Points),
  }),
  port: Fading,
  recycled: exactly({ nats: For, floor: WholePoints }),
  callForwarding: For,
  deviceChanged: Fading,
  simMovedSameDevice: Against,
  deviceContinuity: table(Against),
  routeChanges: exactly({ nats: For, natsMax: For }),
  otpFailureBurst: For,
})

const Quality = exactly({
  prior: Probability,
  discount: Share,
  lines: byLine(Nats),
  lineReasonFrom: NotNegative,
  invalid: For,
  inactive: For,
  active: Against,
  tenure: table(Nats),
  countryMismatch: For,
  accounts24h: table(For),
  blocklisted: For,
  reserved: Type.Optional(For),
  confirmedFraud: Type.Optional(Fading),
})

/** Points under which a finding does not let its side of the score fall. */
const Floors = exactly({
  callForwarding: WholePoints,
  inactive: WholePoints,
  /** The floor under the whole score of a number that nobody can own. */
  withoutOwner: WholePoints,
})

const Fields = exactly({
  simSwapRisk: exactly({ highBelowDays: Days, elevatedBelowDays: Days, lowBelowDays: Days }),
  simChangeDetectedBelowDays: Days,
  windowInHoursBelowHours: NotNegative,
  /** Which end of an answer such as "within ten days, not within three" is weighed. */
  boundedChange: Type.Optional(oneOf(["near_end", "far_end"])),
  /** A verification through the number counts if the change happened this many days before it. */
  verificationCountsAfterDays: Type.Optional(Days),
  /** Types of numbers that have a SIM; of others its history is not missed. */
  simTypes: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  /** A number that may not get codes is never let through. */
  smsUnsafeForbidsAllow: Type.Optional(Type.Boolean()),
  smsUnsafeBelowDays: Days,
  smsWeakLines: Type.Array(LineName),
  ownership: exactly({
    lowBelowDays: Days,
    lowWithNewDeviceBelowDays: Days,
    highContinuityDays: Days,
    highFromDays: Days,
    highNoChangeDays: Days,
  }),
  network: exactly({
    unstablePortBelowDays: Days,
    unstableRouteChanges: NotNegative,
    unstableWithoutOwner: Type.Optional(Type.Boolean()),
  }),
})

/** Sentences that sum an explanation up for somebody who does not know the model. */
const Summary = exactly({
  months: MonthsSchema,
  date: sentence("day", "month", "year"),
  held: exactly({
    floor: sentence("level", "reason"),
    reason: sentence("level", "reason"),
    nothing: sentence("level"),
  }),
  next: exactly({ level: sentence("level", "date"), never: sentence("n") }),
  unchecked: exactly({
    sentence: sentence("families"),
    none: sentence(),
    sim: sentence(),
    device: sentence(),
    network: sentence(),
    context: sentence(),
  }),
})

const Texts = exactly({
  ago: exactly({
    hour: sentence(),
    hours: sentence("n"),
    days: sentence("n"),
    months: Type.Optional(sentence("n")),
    years: Type.Optional(sentence("n")),
    /**
     * For a change of which only the earliest and the latest time are known; the latest may be now.
     */
    between: Type.Optional(
      exactly({
        hours: sentence("from", "to"),
        days: sentence("from", "to"),
        lastHours: sentence("to"),
        lastDays: sentence("to"),
      }),
    ),
  }),
  spans: Type.Optional(SpanSchema),
  reasons: exactly({
    SIM_CHANGED: sentence("ago"),
    SIM_PORTED: sentence("ago"),
    NUMBER_RECYCLED: sentence(),
    CALL_FORWARDING: sentence(),
    DEVICE_CHANGED: sentence("ago"),
    ROUTE_CHANGES: count,
    OTP_FAILURES: sentence(),
    NUMBER_INVALID: sentence(),
    NUMBER_RESERVED: Type.Optional(sentence()),
    NUMBER_INACTIVE: sentence(),
    LINE_TYPE: sentence("line"),
    NEW_NUMBER: exactly({
      one: sentence(),
      many: sentence("n"),
      spanned: Type.Optional(sentence("span")),
    }),
    COUNTRY_MISMATCH: sentence(),
    PHONE_VELOCITY: sentence("n"),
    PHONE_BLOCKLIST: sentence(),
    FRAUD_CONFIRMED: Type.Optional(sentence("ago")),
  }),
  lines: byLine(sentence()),
  /** Names of number types, for those a line type alone would name wrongly. */
  numberTypes: Type.Optional(Type.Record(Type.String(), sentence())),
  checked: exactly({
    sentence: sentence("families"),
    number: sentence(),
    sim: sentence(),
    device: sentence(),
    network: sentence(),
    context: sentence(),
  }),
  simHistoryUnavailable: sentence(),
  notes: exactly({
    sim: sentence(),
    device: sentence(),
    network: sentence(),
    context: sentence(),
    noChange: sentence("n", "span"),
    window: sentence("high", "elevated", "low"),
    floor: sentence("floor", "raw"),
    verified: sentence("ago"),
    calibrated: sentence(),
    unproven: Type.Optional(sentence("ago")),
  }),
  summary: Type.Optional(Summary),
})

export const PhoneModelSchema = exactly({
  name: Type.Literal("phone"),
  version: Version,
  scale: ScaleSchema,
  takeover: Takeover,
  quality: Quality,
  floors: Type.Optional(Floors),
  lineOfNumberType: Type.Record(Type.String(), LineName),
  fields: Fields,
  coverage: exactly({ number: Share, sim: Share, device: Share, network: Share, context: Share }),
  costs: CostsSchema,
  calibration: CalibrationSchema,
  reasons: ReasonsSchema,
  texts: Texts,
  factors: PhoneFactors,
})

export type PhoneModel = Frozen<Static<typeof PhoneModelSchema>>
