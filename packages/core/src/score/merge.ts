import type { EmailInput, Exposure, Signal } from "./email-input.ts"
import type { EmailWeights } from "./email-weights.ts"
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
const NOT_FOUND = -1

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
  // Between identities, never within one.
  if (places.size >= PLACES_MAX) places.clear()
  const merger = new Merger(usualConf)
  if (exposures != null) for (const told of exposures) merger.addExposure(told, classBits)
  if (signals != null) for (const told of signals) merger.addSignal(told)
  return merger
}

function isNone(told: readonly object[] | null | undefined): boolean {
  return told == null || told.length === 0
}

/** Where a source stands among those of one identity; `of` numbers the identities. */
interface Place {
  of: number
  place: number
}

// The same sources come up for one identity after the other. A Map made anew for each would grow
// and be thrown away each time, which cost a fifth of merging. Names of sources are all it keeps.
const places = new Map<string, Place>()
const PLACES_MAX = 10_000
let merged = 0

class Merger implements Evidence {
  readonly items: Item[] = []
  readonly lastOfSource: Item[] = []
  readonly #number = ++merged
  readonly #usualConf: number

  constructor(usualConf: number) {
    this.#usualConf = usualConf
  }

  addExposure(exposure: Exposure, classBits: ReadonlyMap<string, number>): void {
    const secret = placeIn(SECRETS, exposure.secret ?? "unknown", SECRET_UNKNOWN)
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
    const kind = placeIn(EMAIL_EVIDENCE_KINDS, kindName, NOT_FOUND)
    if (kind === NOT_FOUND) throw new RangeError("evidence of a kind this model does not know")
    const name = told.item ?? ""
    const age = Math.max(0, told.age)
    const conf = told.conf ?? this.#usualConf
    const source = this.#placeOf(told.source)
    const before = this.lastOfSource[source] ?? null
    for (let same = before; same !== null; same = same.before) {
      if (same.kind !== kind || same.item !== name) continue
      same.age = Math.min(same.age, age)
      same.conf = Math.max(same.conf, conf)
      same.secret = Math.max(same.secret, secret)
      return same
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

  /** Of a source that this identity did not have yet: the next one. */
  #placeOf(source: string): number {
    const known = places.get(source)
    if (known?.of === this.#number) return known.place
    const place = this.lastOfSource.length
    if (known === undefined) places.set(source, { of: this.#number, place })
    else {
      known.of = this.#number
      known.place = place
    }
    return place
  }
}

/** Looks for a word among a few: for the words of a program, that is faster than a Map. */
function placeIn(words: readonly string[], word: string, otherwise: number): number {
  for (let place = 0; place < words.length; place++) if (words[place] === word) return place
  return otherwise
}

function union(known: readonly string[], told: string | readonly string[]): readonly string[] {
  const prints = typeof told === "string" ? [told] : told
  return known.length === 0 ? prints : [...new Set([...known, ...prints])]
}
