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
  OddsRatio,
  oneOf,
  Positive,
  Probability,
  ReasonsSchema,
  ScaleSchema,
  Share,
  table,
  Version,
  WholePoints,
  type Frozen,
} from "./model-document.ts"
import { EmailFactors } from "./factor-rows.ts"
import { EmailTexts } from "./model-email-texts.ts"
import { SECRETS, STAGES } from "./vocabulary.ts"

const Kind = exactly({
  oddsRatio: OddsRatio,
  fastShare: Share,
  fastHalfLifeDays: HalfLife,
})
const Saturating = exactly({ nats: For, natsMax: For, halfLifeDays: HalfLife })
const Limits = exactly({
  floor: Type.Union([WholePoints, Type.Null()]),
  cap: WholePoints,
  /** After each window an item counts one stage less; null: it never does. */
  windowDays: Type.Union([HalfLife, Type.Null()]),
})
const StageName = oneOf(STAGES.map(({ name }) => name))
const NativeStage = Type.Union([StageName, Type.Null()])

const Exposures = exactly({
  discount: Share,
  slowHalfLifeDays: HalfLife,
  rotatedShare: Share,
  reuse: NotNegative,
  /** A usable secret that leaked a moment ago: the least points while that lasts. */
  freshUsable: Type.Optional(
    exactly({
      floor: WholePoints,
      daysMax: Days,
      confMin: Probability,
      secretFrom: oneOf(SECRETS),
    }),
  ),
  kinds: exactly({ breach: Kind, paste: Kind, combolist: Kind, stealer: Kind, phish: Kind }),
  secrets: exactly({
    none: Share,
    slow_hash: Share,
    unknown: Share,
    salted_hash: Share,
    weak_hash: Share,
    plaintext: Share,
  }),
})

const Market = exactly({
  discount: Share,
  rotatedShare: Share,
  circulation: Saturating,
  listing: Saturating,
  mention: Saturating,
  ready: Fading,
  sale: Fading,
  tested: Fading,
  attack: Fading,
  monetized: Fading,
})

const Stages = exactly({
  /** How sure the sources together must be for a stage to hold. */
  certainty: Probability,
  /** Of the sum of doubts, for its rounding errors alone. */
  tolerance: Type.Number({ minimum: 0, maximum: 1e-6 }),
  limits: exactly({
    CLEAN: Limits,
    LEAKED: Limits,
    REPOSTED: Limits,
    TRADED: Limits,
    TESTED: Limits,
    ATTACKED: Limits,
    MONETIZED: Limits,
  }),
  /** The higher floor of REPOSTED, when enough sources repeat it and all of them recently. */
  freshRepost: exactly({
    floor: WholePoints,
    sourcesMin: Type.Integer({ minimum: 1, maximum: 100 }),
    daysMax: Days,
  }),
  native: exactly({
    breach: NativeStage,
    paste: NativeStage,
    combolist: NativeStage,
    stealer: NativeStage,
    phish: NativeStage,
    repost: NativeStage,
    listing: NativeStage,
    sale: NativeStage,
    mention: NativeStage,
    ready: NativeStage,
    tested: NativeStage,
    attack: NativeStage,
    monetized: NativeStage,
  }),
  /** What an exposure without any secret amounts to, and what one from before a rotation does. */
  addressOnly: StageName,
  rotated: StageName,
})

const Abuse = exactly({
  discount: Share,
  logOddsMin: Against,
  logOddsMax: For,
  emailAge: table(Nats),
  disposable: For,
  disposableLikely: Type.Optional(For),
  burnerDomain: exactly({ nats: For, daysBelow: Days }),
  masked: For,
  corporate: exactly({ nats: Against, domainDaysAbove: Days }),
  domainAge: table(Nats),
  undeliverable: For,
  toxicDomain: For,
  typosquat: For,
  homograph: Type.Optional(For),
  catchAll: For,
  role: For,
  ownershipVerified: Against,
  deliverable: Against,
  /** By the number of traces found; the last value is for as many or more. */
  traces: Type.Array(Nats, { minItems: 1 }),
  handle: exactly({
    min: Against,
    max: For,
    /** Shorter local parts reveal nothing by their letters. */
    lengthMin: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    /** Below this the finding is not listed as a reason; it stays in the explanation. */
    reasonFrom: Type.Optional(For),
  }),
  velocity24h: table(For),
  instantAction: table(For),
  cluster: table(For),
  blocklist: Fading,
  confirmedFraud: Fading,
  anomaly: For,
  mailboxDied: For,
  goodHistory: table(Against),
})

const Confidence = exactly({
  coverageShare: Share,
  evidenceShare: Share,
  evidenceScale: Positive,
  evidenceHalfLifeDays: HalfLife,
  conflict: Share,
  coverage: exactly({ credential: Share, darkweb: Share, trust: Share, bot: Share }),
  mediumFrom: Share,
  highFrom: Share,
})

export const EmailModelSchema = exactly({
  name: Type.Literal("email"),
  version: Version,
  scale: ScaleSchema,
  priors: exactly({ credential: Probability, abuse: Probability }),
  /** The confidence in a source that states none. */
  conf: Probability,
  exposure: Exposures,
  depth: exactly({
    nats: For,
    classesMax: Type.Integer({ minimum: 0, maximum: 31 }),
    classes: Type.Array(Type.String({ minLength: 1 }), { maxItems: 31, uniqueItems: true }),
  }),
  market: Market,
  trend: exactly({
    fastHalfLifeDays: HalfLife,
    slowHalfLifeDays: HalfLife,
    rising: NotNegative,
    falling: NotNegative,
  }),
  stages: Stages,
  abuse: Abuse,
  confidence: Confidence,
  costs: CostsSchema,
  calibration: CalibrationSchema,
  reasons: ReasonsSchema,
  texts: EmailTexts,
  factors: EmailFactors,
})

export type EmailModel = Frozen<Static<typeof EmailModelSchema>>
