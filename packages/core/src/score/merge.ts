import type { EmailInput, Exposure, Signal } from "./email-input.ts"
import type { EmailWeights } from "./email-weights.ts"
import { NameNumbers } from "./name-numbers.ts"
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
  /** The kinds of all items before this one from the same source, as a bit mask. */
  readonly kindsBefore: number
}

export interface Evidence {
  readonly items: readonly Item[]
  /** By source, its last item. */
  readonly lastOfSource: readonly Item[]
}

/** Before the first place in `SECRETS`. */
export const NO_SECRET = -1
const SECRET_UNKNOWN = SECRETS.indexOf("unknown")
const NO_PRINTS: readonly string[] = []
const NO_EVIDENCE: Evidence = { items: [], lastOfSource: [] }
const kindPlaces = new Map<string, number>(EMAIL_EVIDENCE_KINDS.map((kind, i) => [kind, i]))
const secretPlaces = new Map<string, number>(SECRETS.map((secret, i) => [secret, i]))

/**
 * Joins repetitions of the same observation: same kind, source and item. Keeps the newest age, the
 * largest confidence and the strongest secret, each by itself, so that importing a file twice
 * changes nothing and a weaker repetition never hides a stronger one. `usualConf` is the confidence
 * in a source that states none.
 */
export function mergedEvidence(
  { exposures, signals }: EmailInput,
  usualConf: number,
  { classBits }: EmailWeights,
): Evidence {
  if (isNone(exposures) && isNone(signals)) return NO_EVIDENCE
  const merger = new Merger(usualConf)
  if (exposures != null) for (const told of exposures) merger.addExposure(told, classBits)
  if (signals != null) for (const told of signals) merger.addSignal(told)
  return merger
}

function isNone(told: readonly object[] | null | undefined): boolean {
  return told == null || told.length === 0
}

const sources = new NameNumbers()

class Merger implements Evidence {
  readonly items: Item[] = []
  readonly lastOfSource: Item[] = []
  readonly #usualConf: number

  constructor(usualConf: number) {
    this.#usualConf = usualConf
    sources.clear()
  }

  addExposure(exposure: Exposure, classBits: ReadonlyMap<string, number>): void {
    const secret = secretPlaces.get(exposure.secret ?? "unknown") ?? SECRET_UNKNOWN
    const item = this.#add(exposure, exposure.kind, secret)
    if (exposure.classes != null) {
      for (const name of exposure.classes) item.classes |= classBits.get(name) ?? 0
    }
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
    const conf = told.conf ?? this.#usualConf
    const source = sources.numberOf(told.source)
    const before = source < this.lastOfSource.length ? (this.lastOfSource[source] ?? null) : null
    for (let known = before; known !== null; known = known.before) {
      if (known.kind !== kind || known.item !== name) continue
      known.age = Math.min(known.age, age)
      known.conf = Math.max(known.conf, conf)
      known.secret = Math.max(known.secret, secret)
      return known
    }
    const added: Item = {
      kind,
      source,
      sourceName: told.source,
      item: name,
      age,
      conf,
      secret,
      classes: 0,
      prints: NO_PRINTS,
      before,
      kindsBefore: before === null ? 0 : before.kindsBefore | (1 << before.kind),
    }
    if (before === null) this.lastOfSource.push(added)
    else this.lastOfSource[source] = added
    this.items.push(added)
    return added
  }
}

function union(known: readonly string[], told: string | readonly string[]): readonly string[] {
  const prints = typeof told === "string" ? [told] : told
  return known.length === 0 ? prints : [...new Set([...known, ...prints])]
}
