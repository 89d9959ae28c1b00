import type { EmailWeights } from "./email-weights.ts"
import type { EmailModel } from "./model-email.ts"
import { SECRETS, STAGES } from "./vocabulary.ts"

const REPOSTED = STAGES.findIndex(({ name }) => name === "REPOSTED")
const SECRET_NONE = SECRETS.indexOf("none")

export function isBeforeRotation(age: number, rotatedAge: number | null): boolean {
  return rotatedAge !== null && age > rotatedAge
}

/** The stage an item still stands for at its age; 0 for one that never sets a stage. */
export function effectiveStage(
  kind: number,
  secret: number,
  age: number,
  rotated: boolean,
  { kinds, stages, addressOnlyStage, rotatedStage }: EmailWeights,
): number {
  const weights = kinds[kind]
  if (weights === undefined) return 0
  const stage = secret === SECRET_NONE ? addressOnlyStage : weights.stage
  if (stage === 0) return 0
  if (rotated && !weights.survivesRotation) return Math.min(stage, rotatedStage)
  return Math.max(1, stage - Math.floor(age / (stages[stage]?.windowDays ?? Infinity)))
}

interface Voice {
  readonly source: number
  readonly bit: number
  readonly stage: number
  readonly conf: number
}

/**
 * What the items show about the stage, kept so that the stage can be computed for any set of kinds.
 * A set of kinds is a bit mask over `EMAIL_EVIDENCE_KINDS`.
 */
export class StageEvidence {
  readonly #model: EmailModel["stages"]
  /** By stage: the kinds of items that carry it alone, and of items that need company for it. */
  readonly #certain = new Uint32Array(STAGES.length)
  readonly #doubted = new Uint32Array(STAGES.length)
  /** Items that need company to carry a stage, those of one source next to each other. */
  readonly #doubtful: Voice[] = []
  /** Items of a short while ago that are at least reposted, in the same order. */
  readonly #fresh: Voice[] = []

  constructor(model: EmailModel["stages"]) {
    this.#model = model
  }

  /** Forgets what the identity before left. */
  clear(): void {
    for (let stage = 0; stage < STAGES.length; stage++) {
      this.#certain[stage] = 0
      this.#doubted[stage] = 0
    }
    if (this.#doubtful.length > 0) this.#doubtful.length = 0
    if (this.#fresh.length > 0) this.#fresh.length = 0
  }

  /** An item that stands for a stage; `bit` is that of its kind. */
  add(bit: number, source: number, conf: number, age: number, stage: number): void {
    const { certainty, freshRepost } = this.#model
    if (conf >= certainty) {
      this.#certain[stage] = (this.#certain[stage] ?? 0) | bit
    } else {
      this.#doubted[stage] = (this.#doubted[stage] ?? 0) | bit
      this.#doubtful.push({ source, bit, stage, conf })
    }
    if (stage >= REPOSTED && age <= freshRepost.daysMax) {
      this.#fresh.push({ source, bit, stage, conf })
    }
  }

  /** To be called once after the last `add`. */
  close(): this {
    if (this.#doubtful.length > 1) this.#doubtful.sort(bySource)
    if (this.#fresh.length > 1) this.#fresh.sort(bySource)
    return this
  }

  /** The highest stage that the sources of these kinds together support with enough confidence. */
  stage(kinds: number): number {
    let doubted = 0
    for (let stage = STAGES.length - 1; stage > 0; stage--) {
      if (((this.#certain[stage] ?? 0) & kinds) !== 0) return stage
      // Above what is certain every voice is a doubtful one, so only those are heard together.
      doubted |= (this.#doubted[stage] ?? 0) & kinds
      if (doubted !== 0 && this.#isCorroborated(stage, kinds)) return stage
    }
    return 0
  }

  /** Whether REPOSTED has its higher floor. */
  isFreshRepost(stage: number, kinds: number): boolean {
    return stage === REPOSTED && this.#freshSources(kinds) >= this.#model.freshRepost.sourcesMin
  }

  #isCorroborated(stage: number, kinds: number): boolean {
    let doubt = 1
    let source = -1
    let conf = 0
    for (const voice of this.#doubtful) {
      if (voice.stage < stage || (voice.bit & kinds) === 0) continue
      if (voice.source !== source) {
        doubt *= 1 - conf
        source = voice.source
        conf = 0
      }
      conf = Math.max(conf, voice.conf)
    }
    doubt *= 1 - conf
    const { certainty, tolerance } = this.#model
    return 1 - doubt >= certainty - tolerance
  }

  #freshSources(kinds: number): number {
    let sources = 0
    let latest = -1
    for (const { bit, source } of this.#fresh) {
      if ((bit & kinds) === 0 || source === latest) continue
      sources++
      latest = source
    }
    return sources
  }
}

function bySource(a: Voice, b: Voice): number {
  return a.source - b.source
}
