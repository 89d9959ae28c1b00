import type { Item } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import {
  EMAIL_EVIDENCE_KINDS,
  SECRETS,
  STAGES,
  type EmailEvidenceKind,
  type Stage,
} from "./vocabulary.ts"

const REPOSTED = STAGES.findIndex(({ name }) => name === "REPOSTED")
const SECRET_NONE = SECRETS.indexOf("none")
const KINDS = EMAIL_EVIDENCE_KINDS.length

// A new password does not undo what was done to the person.
const SURVIVES_ROTATION: ReadonlySet<EmailEvidenceKind> = new Set<EmailEvidenceKind>([
  "attack",
  "monetized",
])

export function stageName(place: number): Stage {
  return STAGES[place]?.name ?? "CLEAN"
}

const places = new Map<Stage | null, number>(STAGES.map(({ name }, place) => [name, place]))

export function stagePlace(name: Stage | null): number {
  return places.get(name) ?? 0
}

export function isBeforeRotation(age: number, rotatedAge: number | null): boolean {
  return rotatedAge !== null && age > rotatedAge
}

/** The stage an item still stands for at its age; 0 for one that never sets a stage. */
export function effectiveStage(
  item: Pick<Item, "kind" | "age" | "secret">,
  rotated: boolean,
  model: EmailModel,
): number {
  const { native, addressOnly, rotated: rotatedStage, limits } = model.stages
  const kind = EMAIL_EVIDENCE_KINDS[item.kind]
  if (kind === undefined) return 0
  const name = item.secret === SECRET_NONE ? addressOnly : native[kind]
  const place = stagePlace(name)
  if (name === null || place === 0) return 0
  if (rotated && !SURVIVES_ROTATION.has(kind)) return Math.min(place, stagePlace(rotatedStage))
  const { windowDays } = limits[name]
  return windowDays === null ? place : Math.max(1, place - Math.floor(item.age / windowDays))
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
  readonly #model: EmailModel
  /** By kind: the highest stage that one trusted source alone carries, and the highest of all. */
  readonly #certain = new Array<number>(KINDS).fill(0)
  readonly #highest = new Array<number>(KINDS).fill(0)
  /** Items that need company to carry a stage, those of one source next to each other. */
  readonly #doubtful: Voice[] = []
  readonly #fresh: Voice[] = []

  constructor(model: EmailModel) {
    this.#model = model
  }

  add({ kind, source, age, conf }: Item, stage: number): void {
    if (stage === 0) return
    const { certainty, freshRepost } = this.#model.stages
    if (stage > (this.#highest[kind] ?? 0)) this.#highest[kind] = stage
    if (conf >= certainty) {
      if (stage > (this.#certain[kind] ?? 0)) this.#certain[kind] = stage
    } else {
      this.#doubtful.push({ source, bit: 1 << kind, stage, conf })
    }
    if (stage >= REPOSTED && age <= freshRepost.daysMax) {
      this.#fresh.push({ source, bit: 1 << kind, stage, conf })
    }
  }

  /** To be called once after the last `add`. */
  close(): this {
    this.#doubtful.sort((a, b) => a.source - b.source)
    return this
  }

  /** The highest stage that the sources of these kinds together support with enough confidence. */
  stage(kinds: number): number {
    let certain = 0
    let highest = 0
    for (let kind = 0; kind < KINDS; kind++) {
      if ((kinds & (1 << kind)) === 0) continue
      certain = Math.max(certain, this.#certain[kind] ?? 0)
      highest = Math.max(highest, this.#highest[kind] ?? 0)
    }
    // Above `certain` every voice is a doubtful one, so only those need to be heard together.
    for (let stage = highest; stage > certain; stage--) {
      if (this.#isCorroborated(stage, kinds)) return stage
    }
    return certain
  }

  floor(stage: number, kinds: number): number | null {
    const { limits, freshRepost } = this.#model.stages
    if (stage === REPOSTED && this.#freshSources(kinds) >= freshRepost.sourcesMin) {
      return freshRepost.floor
    }
    return limits[stageName(stage)].floor
  }

  cap(stage: number): number {
    return this.#model.stages.limits[stageName(stage)].cap
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
    const { certainty, tolerance } = this.#model.stages
    return 1 - doubt >= certainty - tolerance
  }

  #freshSources(kinds: number): number {
    const sources = new Set<number>()
    for (const { bit, source } of this.#fresh) if ((bit & kinds) !== 0) sources.add(source)
    return sources.size
  }
}
