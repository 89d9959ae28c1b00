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
  Nats,
  NotNegative,
  oneOf,
  Points,
  Positive,
  Probability,
  readDocument,
  ReasonsSchema,
  ScaleSchema,
  sentence,
  Share,
  table,
  Version,
  WholePoints,
  type Frozen,
} from "./model-document.ts"
import { checkPhoneRules } from "./model-phone-rules.ts"
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
})

const Fields = exactly({
  simSwapRisk: exactly({ highBelowDays: Days, elevatedBelowDays: Days, lowBelowDays: Days }),
  simChangeDetectedBelowDays: Days,
  windowInHoursBelowHours: NotNegative,
  smsUnsafeBelowDays: Days,
  smsWeakLines: Type.Array(LineName),
  ownership: exactly({
    lowBelowDays: Days,
    lowWithNewDeviceBelowDays: Days,
    highContinuityDays: Days,
    highFromDays: Days,
    highNoChangeDays: Days,
  }),
  network: exactly({ unstablePortBelowDays: Days, unstableRouteChanges: NotNegative }),
})

const Texts = exactly({
  ago: exactly({ hour: sentence(), hours: sentence("n"), days: sentence("n") }),
  reasons: exactly({
    SIM_CHANGED: sentence("ago"),
    SIM_PORTED: sentence("ago"),
    NUMBER_RECYCLED: sentence(),
    CALL_FORWARDING: sentence(),
    DEVICE_CHANGED: sentence("ago"),
    ROUTE_CHANGES: count,
    OTP_FAILURES: sentence(),
    NUMBER_INVALID: sentence(),
    NUMBER_INACTIVE: sentence(),
    LINE_TYPE: sentence("line"),
    NEW_NUMBER: count,
    COUNTRY_MISMATCH: sentence(),
    PHONE_VELOCITY: sentence("n"),
    PHONE_BLOCKLIST: sentence(),
  }),
  lines: byLine(sentence()),
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
    noChange: sentence("n"),
    window: sentence("high", "elevated", "low"),
    floor: sentence("floor", "raw"),
    verified: sentence("ago"),
    calibrated: sentence(),
  }),
})

export const PhoneModelSchema = exactly({
  name: Type.Literal("phone"),
  version: Version,
  scale: ScaleSchema,
  takeover: Takeover,
  quality: Quality,
  lineOfNumberType: Type.Record(Type.String(), LineName),
  fields: Fields,
  coverage: exactly({ number: Share, sim: Share, device: Share, network: Share, context: Share }),
  costs: CostsSchema,
  calibration: CalibrationSchema,
  reasons: ReasonsSchema,
  texts: Texts,
})

export type PhoneModel = Frozen<Static<typeof PhoneModelSchema>>

/** A checked phone model; fails with the path and the reason for a malformed document. */
export function loadPhoneModel(document: unknown): PhoneModel {
  const model = readDocument("phone", PhoneModelSchema, document)
  checkPhoneRules(model)
  return model
}
