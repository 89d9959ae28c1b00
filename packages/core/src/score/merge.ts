import type { EmailInput, Exposure, Signal } from "./email-input.ts"
import type { EmailModel } from "./model-email.ts"
import { EMAIL_EVIDENCE_KINDS, SECRETS } from "./vocabulary.ts"

/** One exposure or signal after merging. */
export interface Item {
  /** Place of its kind in `EMAIL_EVIDENCE_KINDS`. */
  readonly kind: number
  /** Sources are numbered in order of appearance, so that they compare fast. */
  readonly source: number
  readonly sourceName: string
  readonly item: string
  age: number
  conf: number
  /** Place in `SECRETS`; a signal has no secret, so -1. */
  secret: number
  /** A bit for each sensitive class of the model. */
  classes: number
  prints: readonly string[]
  /** The item before this one from the same source, or null. */
  readonly before: Item | null
}

export interface Evidence {
  readonly items: readonly Item[]
  readonly sourceCount: number
}

const NO_SECRET = -1
const SECRET_UNKNOWN = SECRETS.indexOf("unknown")
const NO_PRINTS: readonly string[] = []
const kindPlaces = new Map<string, number>(EMAIL_EVIDENCE_KINDS.map((kind, i) => [kind, i]))
const secretPlaces = new Map<string, number>(SECRETS.map((secret, i) => [secret, i]))

/**
 * Joins repetitions of the same observation: same kind, source and item. Keeps the newest age, the
 * largest confidence and the strongest secret, each by itself, so that importing a file twice
 * changes nothing and a weaker repetition never hides a stronger one.
 */
export function mergedEvidence(input: EmailInput, model: EmailModel): Evidence {
  const merger = new Merger(model)
  for (const exposure of input.exposures ?? []) merger.addExposure(exposure)
  for (const signal of input.signals ?? []) merger.addSignal(signal)
  return { items: merger.items, sourceCount: merger.sourceCount }
}

class Merger {
  readonly items: Item[] = []
  readonly #newestOf = new Map<string, Item>()
  readonly #model: EmailModel

  constructor(model: EmailModel) {
    this.#model = model
  }

  get sourceCount(): number {
    return this.#newestOf.size
  }

  addExposure(exposure: Exposure): void {
    const secret = secretPlaces.get(exposure.secret ?? "unknown") ?? SECRET_UNKNOWN
    const item = this.#add(exposure, exposure.kind, secret)
    if (exposure.classes != null) item.classes |= this.#classBits(exposure.classes)
    if (exposure.pwFp != null) item.prints = union(item.prints, exposure.pwFp)
  }

  addSignal(signal: Signal): void {
    this.#add(signal, signal.type, NO_SECRET)
  }

  #add(told: Exposure | Signal, kindName: string, secret: number): Item {
    const kind = kindPlaces.get(kindName)
    if (kind === undefined) throw new RangeError("evidence of a kind this model does not know")
    const name = told.item ?? ""
    const age = Math.max(0, told.age)
    const conf = told.conf ?? this.#model.conf
    const before = this.#newestOf.get(told.source) ?? null
    for (let known = before; known !== null; known = known.before) {
      if (known.kind !== kind || known.item !== name) continue
      known.age = Math.min(known.age, age)
      known.conf = Math.max(known.conf, conf)
      known.secret = Math.max(known.secret, secret)
      return known
    }
    const added: Item = {
      kind,
      source: before === null ? this.#newestOf.size : before.source,
      sourceName: told.source,
      item: name,
      age,
      conf,
      secret,
      classes: 0,
      prints: NO_PRINTS,
      before,
    }
    this.#newestOf.set(told.source, added)
    this.items.push(added)
    return added
  }

  #classBits(names: readonly string[]): number {
    let bits = 0
    for (const name of names) {
      const place = this.#model.depth.classes.indexOf(name)
      if (place >= 0) bits |= 1 << place
    }
    return bits
  }
}

function union(known: readonly string[], told: string | readonly string[]): readonly string[] {
  const prints = typeof told === "string" ? [told] : told
  return known.length === 0 ? prints : [...new Set([...known, ...prints])]
}
