import { Type, type Static } from "typebox"
import {
  Against,
  CalibrationSchema,
  checkAscending,
  CostsSchema,
  Days,
  exactly,
  Fading,
  For,
  ModelFault,
  NotNegative,
  oneOf,
  Points,
  Positive,
  Probability,
  readDocument,
  ReasonsSchema,
  ScaleSchema,
  Share,
  Table,
  Version,
  type Frozen,
} from "./model-document.ts"
import { EmailTexts } from "./model-email-texts.ts"
import { STAGES } from "./vocabulary.ts"

const Kind = exactly({
  oddsRatio: Type.Number({ minimum: 1 }),
  fastShare: Share,
  fastHalfLifeDays: Positive,
})
const Saturating = exactly({ nats: For, natsMax: For, halfLifeDays: Positive })
const Limits = exactly({
  floor: Type.Union([Points, Type.Null()]),
  cap: Points,
  /** After each window an item counts one stage less; null: it never does. */
  windowDays: Type.Union([Positive, Type.Null()]),
})
const StageName = oneOf(STAGES.map(({ name }) => name))
const NativeStage = Type.Union([StageName, Type.Null()])

const Exposures = exactly({
  discount: Share,
  slowHalfLifeDays: Positive,
  rotatedShare: Share,
  reuse: NotNegative,
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
  tolerance: NotNegative,
  limits: exactly({
    CLEAN: Limits,
    LEAKED: Limits,
    REPOSTED: Limits,
    TRADED: Limits,
    TESTED: Limits,
    ATTACKED: Limits,
    MONETIZED: Limits,
  }),
  /** The higher floor of REPOSTED when enough sources repeat it and none of them long ago. */
  freshRepost: exactly({ floor: Points, sourcesMin: Type.Integer({ minimum: 1 }), daysMax: Days }),
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
  logOddsMin: Type.Number(),
  logOddsMax: Type.Number(),
  emailAge: Table,
  disposable: For,
  burnerDomain: exactly({ nats: For, daysBelow: Days }),
  masked: For,
  corporate: exactly({ nats: Against, domainDaysAbove: Days }),
  domainAge: Table,
  undeliverable: For,
  toxicDomain: For,
  typosquat: For,
  catchAll: For,
  role: For,
  ownershipVerified: Against,
  deliverable: Against,
  /** By the number of traces found; the last value is for as many or more. */
  traces: Type.Array(Type.Number(), { minItems: 1 }),
  handle: exactly({ min: Against, max: For }),
  velocity24h: Table,
  instantAction: Table,
  cluster: Table,
  blocklist: Fading,
  confirmedFraud: Fading,
  anomaly: For,
  mailboxDied: For,
  goodHistory: Table,
})

const Confidence = exactly({
  coverageShare: Share,
  evidenceShare: Share,
  evidenceScale: Positive,
  evidenceHalfLifeDays: Positive,
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
    classesMax: Type.Integer({ minimum: 0 }),
    classes: Type.Array(Type.String({ minLength: 1 }), { maxItems: 31, uniqueItems: true }),
  }),
  market: Market,
  trend: exactly({
    fastHalfLifeDays: Positive,
    slowHalfLifeDays: Positive,
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
})

export type EmailModel = Frozen<Static<typeof EmailModelSchema>>

/** A checked e-mail model; fails with the path and the reason for a malformed document. */
export function loadEmailModel(document: unknown): EmailModel {
  const model = readDocument("email", EmailModelSchema, document)
  const tables = ["emailAge", "domainAge", "velocity24h", "instantAction", "cluster", "goodHistory"]
  for (const table of tables as (keyof EmailModel["abuse"])[]) {
    checkAscending("email", `/abuse/${table}`, model.abuse[table] as [number, number][])
  }
  checkStages(model)
  return model
}

// Risk may only grow with the stage. That holds by construction as long as neither the floors nor
// the caps ever fall from one stage to the next.
function checkStages({ stages }: EmailModel): void {
  let floor = -Infinity
  let cap = -Infinity
  for (const { name } of STAGES) {
    const limits = stages.limits[name]
    const path = `/stages/limits/${name}`
    const own = limits.floor ?? -Infinity
    if (own < floor)
      throw new ModelFault("email", `${path}/floor`, "is below that of the stage before")
    if (limits.cap < cap)
      throw new ModelFault("email", `${path}/cap`, "is below that of the stage before")
    if (own > limits.cap) throw new ModelFault("email", `${path}/floor`, "is above the cap")
    floor = own
    cap = limits.cap
  }
  const { freshRepost, limits } = stages
  const { REPOSTED, TRADED } = limits
  if (
    freshRepost.floor < (REPOSTED.floor ?? 0) ||
    freshRepost.floor > Math.min(REPOSTED.cap, TRADED.floor ?? 100)
  ) {
    const reason = "must lie between the floors of REPOSTED and TRADED"
    throw new ModelFault("email", "/stages/freshRepost/floor", reason)
  }
}
