import { pricesOf, type Prices } from "./action.ts"
import { ByDay } from "./by-day.ts"
import type { EmailModel } from "./model-email.ts"
import { decayed, scaleOf, type Scale } from "./scale.ts"
import { type Counted, DaysAgo } from "./sentence.ts"
import {
  EMAIL_EVIDENCE_KINDS,
  EXPOSURE_KINDS,
  SECRETS,
  stagePlace,
  STAGES,
  type EmailEvidenceKind,
  type ExposureKind,
} from "./vocabulary.ts"

/** The numbers of an e-mail model by place, so that scoring looks up no names. */
export interface EmailWeights {
  readonly scale: Scale
  readonly prices: Prices
  /** By place in `EMAIL_EVIDENCE_KINDS`. */
  readonly kinds: readonly KindWeights[]
  /** By place in `STAGES`. */
  readonly stages: readonly StageLimits[]
  /** The stage of an exposure without any secret, and the most after a rotation. */
  readonly addressOnlyStage: number
  readonly rotatedStage: number
  /** How much evidence of an age still tells, for the confidence. */
  readonly witnessShare: ByDay
  /**
   * From this place in `SECRETS` on, a fresh secret is usable; beyond all where the model has none.
   */
  readonly freshSecretFrom: number
  /** The bit of each sensitive class. */
  readonly classBits: ReadonlyMap<string, number>
  readonly texts: EvidenceTexts
}

/** The sentences about exposures and signals by place. */
export interface EvidenceTexts {
  /** By place in `EXPOSURE_KINDS`. */
  readonly exposures: readonly ExposureTexts[]
  /** By place in `SIGNAL_TYPES`. */
  readonly signals: readonly Counted[]
  /** By place in `SECRETS`. */
  readonly secrets: readonly string[]
  readonly ago: DaysAgo
}

export interface ExposureTexts extends Counted {
  readonly part: string
}

/** One kind of evidence. */
export interface KindWeights {
  readonly bit: number
  /** The stage that a fresh item stands for; 0 for none. */
  readonly stage: number
  /** A new password does not undo what was done to the person. */
  readonly survivesRotation: boolean
  /** Of an exposure; null for a signal. */
  readonly exposure: ExposureWeights | null
  readonly market: MarketWeights
}

export interface ExposureWeights {
  /** By place in `SECRETS`: the odds ratio beyond 1, as far as what leaked can be used. */
  readonly excess: readonly number[]
  /** The share left at an age: part of it fades fast, the rest slowly. */
  readonly share: ByDay
}

export interface MarketWeights {
  /** The share left at an age. */
  readonly share: ByDay
  /** A new password makes goods on offer stale. */
  readonly isGoods: boolean
  readonly nats: number
  /** Where several items add up: the most they come to. Elsewhere the largest counts: null. */
  readonly natsMax: number | null
}

export interface StageLimits {
  readonly floor: number | null
  readonly cap: number
  /** After each window an item counts one stage less. */
  readonly windowDays: number
}

export function emailWeights(model: EmailModel): EmailWeights {
  const { exposure, stages, depth, confidence } = model
  const scale = scaleOf(model.scale)
  return {
    scale,
    prices: pricesOf(scale, model.costs),
    kinds: EMAIL_EVIDENCE_KINDS.map((kind, place) => kindWeights(kind, 1 << place, model)),
    stages: STAGES.map(({ name }) => {
      const { floor, cap, windowDays } = stages.limits[name]
      return { floor, cap, windowDays: windowDays ?? Infinity }
    }),
    addressOnlyStage: stagePlace(stages.addressOnly),
    rotatedStage: stagePlace(stages.rotated),
    witnessShare: new ByDay((days) => decayed(days, confidence.evidenceHalfLifeDays)),
    freshSecretFrom:
      exposure.freshUsable === undefined
        ? SECRETS.length
        : SECRETS.indexOf(exposure.freshUsable.secretFrom),
    classBits: new Map(depth.classes.map((name, place) => [name, 1 << place])),
    texts: evidenceTexts(model.texts),
  }
}

function evidenceTexts({ exposures, signals, secrets, ago }: EmailModel["texts"]): EvidenceTexts {
  return {
    exposures: [
      exposures.CRED_BREACH,
      exposures.CRED_PASTE,
      exposures.CRED_COMBOLIST,
      exposures.CRED_STEALER_LOG,
      exposures.CRED_PHISHED,
    ],
    signals: [
      signals.DW_REPOSTED,
      signals.DW_LISTED,
      signals.DW_SOLD,
      signals.DW_MENTIONED,
      signals.DW_READY_TO_USE,
      signals.DW_TESTED,
      signals.ATO_CONFIRMED,
      signals.FRAUD_MONETIZED,
    ],
    secrets: SECRETS.map((secret) => secrets[secret]),
    ago: new DaysAgo(ago),
  }
}

const SURVIVES_ROTATION: ReadonlySet<EmailEvidenceKind> = new Set(["attack", "monetized"])
// It neither ends interest in the person nor undoes an attack or a loss.
const NO_GOODS: ReadonlySet<EmailEvidenceKind> = new Set(["mention", "attack", "monetized"])

function kindWeights(
  kind: EmailEvidenceKind,
  bit: number,
  { exposure, market, stages }: EmailModel,
): KindWeights {
  return {
    bit,
    stage: stagePlace(stages.native[kind]),
    survivesRotation: SURVIVES_ROTATION.has(kind),
    exposure: isExposure(kind) ? exposureWeights(kind, exposure) : null,
    market: marketWeights(kind, market),
  }
}

function marketWeights(kind: EmailEvidenceKind, market: EmailModel["market"]): MarketWeights {
  const term: MarketTerm = isExposure(kind) || kind === "repost" ? market.circulation : market[kind]
  return {
    share: new ByDay((days) => decayed(days, term.halfLifeDays)),
    isGoods: !NO_GOODS.has(kind),
    nats: term.nats,
    natsMax: term.natsMax ?? null,
  }
}

interface MarketTerm {
  readonly nats: number
  readonly natsMax?: number
  readonly halfLifeDays: number
}

function isExposure(kind: EmailEvidenceKind): kind is ExposureKind {
  return (EXPOSURE_KINDS as readonly string[]).includes(kind)
}

function exposureWeights(
  kind: ExposureKind,
  { kinds, secrets, slowHalfLifeDays }: EmailModel["exposure"],
): ExposureWeights {
  const { oddsRatio, fastShare, fastHalfLifeDays } = kinds[kind]
  return {
    excess: SECRETS.map((secret) => (oddsRatio - 1) * secrets[secret]),
    share: new ByDay(
      (days) =>
        fastShare * decayed(days, fastHalfLifeDays) +
        (1 - fastShare) * decayed(days, slowHalfLifeDays),
    ),
  }
}
