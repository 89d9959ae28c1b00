import type { EmailInput, Exposure, Signal } from "./email-input.ts"
import type { EmailWeights } from "./email-weights.ts"
import { EMAIL_EVIDENCE_KINDS, SECRETS } from "./vocabulary.ts"
import { WordPlaces } from "./word-places.ts"

/** One exposure or signal after merging. */
export interface Item {
  /** Place of its kind in `EMAIL_EVIDENCE_KINDS`. */
  readonly kind: number
  /** Sources are numbered in order of appearance, so that they compare fast. */
  readonly source: number
  readonly sourceName: string
  readonly age: number
  readonly conf: number
  /** Place in `SECRETS`; a signal has no secret, so -1. */
  readonly secret: number
}

/** Before the first place in `SECRETS`. */
export const NO_SECRET = -1
/** In place of an item where there is none. */
export const NO_ITEM = -1
const SECRET_UNKNOWN = SECRETS.indexOf("unknown")
const NOT_FOUND = -1
const kindPlaces = new WordPlaces(EMAIL_EVIDENCE_KINDS)
const secretPlaces = new WordPlaces(SECRETS)
const ROOM_FIRST = 64

/**
 * The exposures and signals of one identity after merging. Their facts stand in columns, by the
 * number of the item: one object serves identities one after the other, and weighing an item reads
 * no object.
 *
 * Repetitions of the same observation are joined: same kind, source and item. The newest age, the
 * largest confidence and the strongest secret are kept, each by itself, so that importing a file
 * twice changes nothing and a weaker repetition never hides a stronger one.
 */
export class Evidence {
  count = 0
  sourceCount = 0
  /** Place of its kind in `EMAIL_EVIDENCE_KINDS`. */
  kinds = new Uint8Array(ROOM_FIRST)
  /** Sources are numbered in order of appearance. */
  sources = new Int32Array(ROOM_FIRST)
  ages = new Float64Array(ROOM_FIRST)
  confs = new Float64Array(ROOM_FIRST)
  /** Place in `SECRETS`; a signal has no secret, so -1. */
  secrets = new Int8Array(ROOM_FIRST)
  /** A bit for each sensitive class of the model. */
  classes = new Int32Array(ROOM_FIRST)
  /** The item before this one from the same source, or `NO_ITEM`. */
  before = new Int32Array(ROOM_FIRST)
  /** The kinds of all items before this one from the same source, as a bit mask. */
  kindsBefore = new Int32Array(ROOM_FIRST)
  /** By source, its last item. */
  lastOfSource = new Int32Array(ROOM_FIRST)
  /** The item before this one of the same kind, or `NO_ITEM`. */
  beforeOfKind = new Int32Array(ROOM_FIRST)
  /** By kind, its last item, or `NO_ITEM`. */
  readonly lastOfKind = new Int32Array(EMAIL_EVIDENCE_KINDS.length).fill(NO_ITEM)
  /** By place among the exposures and then the signals of the input: the item it became. */
  itemOf = new Int32Array(ROOM_FIRST)
  /** Of each item: the first place among those that became it. */
  firstTold = new Int32Array(ROOM_FIRST)

  /**
   * Takes the evidence of an identity instead of the one before. `usualConf` is the confidence in a
   * source that states none.
   */
  take(
    { exposures, signals }: EmailInput,
    usualConf: number,
    { classBits }: Pick<EmailWeights, "classBits">,
  ): this {
    if (this.count > 0) this.lastOfKind.fill(NO_ITEM)
    this.count = 0
    this.sourceCount = 0
    const exposed = exposures == null ? 0 : exposures.length
    const signalled = signals == null ? 0 : signals.length
    if (exposed + signalled === 0) return this
    this.#makeRoom(exposed + signalled)
    // Between identities, never within one.
    if (places.size >= PLACES_MAX) places.clear()
    identities++
    if (exposures != null) {
      for (let at = 0; at < exposed; at++) {
        const exposure = exposures[at] as Exposure
        const secret = secretPlaces.of(exposure.secret ?? "unknown", SECRET_UNKNOWN)
        const item = this.#add(exposures, at, 0, exposure.kind, secret, usualConf)
        if (exposure.classes != null) this.#addClasses(item, exposure.classes, classBits)
      }
    }
    if (signals != null) {
      for (let at = 0; at < signalled; at++) {
        const { type } = signals[at] as Signal
        this.#add(signals, at, exposed, type, NO_SECRET, usualConf)
      }
    }
    return this
  }

  /** The same as objects, with the names that the input has. */
  items({ exposures, signals }: EmailInput): Item[] {
    const told = [...(exposures ?? []), ...(signals ?? [])]
    return Array.from({ length: this.count }, (_, item) => ({
      kind: this.kinds[item] as number,
      source: this.sources[item] as number,
      sourceName: told[this.firstTold[item] as number]?.source ?? "",
      age: this.ages[item] as number,
      conf: this.confs[item] as number,
      secret: this.secrets[item] as number,
    }))
  }

  /** Adds what is told at a place of a list, and returns the number of its item. */
  #add(
    list: readonly (Exposure | Signal)[],
    at: number,
    listFrom: number,
    kindName: string,
    secret: number,
    usualConf: number,
  ): number {
    const kind = kindPlaces.of(kindName, NOT_FOUND)
    if (kind === NOT_FOUND) throw new RangeError("evidence of a kind this model does not know")
    const told = list[at] as Exposure | Signal
    const age = Math.max(0, told.age)
    const conf = told.conf ?? usualConf
    const source = this.#placeOf(told.source)
    const before = source === this.sourceCount ? NO_ITEM : (this.lastOfSource[source] as number)
    for (let same = before; same !== NO_ITEM; same = this.before[same] as number) {
      // All items of a kind are in one list.
      if (this.kinds[same] !== kind) continue
      const first = list[(this.firstTold[same] as number) - listFrom]
      if ((first?.item ?? "") !== (told.item ?? "")) continue
      this.ages[same] = Math.min(this.ages[same] as number, age)
      this.confs[same] = Math.max(this.confs[same] as number, conf)
      this.secrets[same] = Math.max(this.secrets[same] as number, secret)
      this.itemOf[listFrom + at] = same
      return same
    }
    const item = this.count++
    this.kinds[item] = kind
    this.sources[item] = source
    this.ages[item] = age
    this.confs[item] = conf
    this.secrets[item] = secret
    this.classes[item] = 0
    this.before[item] = before
    this.kindsBefore[item] =
      before === NO_ITEM
        ? 0
        : (this.kindsBefore[before] as number) | (1 << (this.kinds[before] as number))
    this.beforeOfKind[item] = this.lastOfKind[kind] as number
    this.lastOfKind[kind] = item
    this.firstTold[item] = listFrom + at
    this.itemOf[listFrom + at] = item
    if (before === NO_ITEM) this.sourceCount++
    this.lastOfSource[source] = item
    return item
  }

  #addClasses(
    item: number,
    classes: readonly string[],
    classBits: ReadonlyMap<string, number>,
  ): void {
    let bits = this.classes[item] as number
    for (let at = 0; at < classes.length; at++) bits |= classBits.get(classes[at] as string) ?? 0
    this.classes[item] = bits
  }

  /** Of a source that this identity did not have yet: the next one. */
  #placeOf(source: string): number {
    const known = places.get(source)
    if (known?.of === identities) return known.place
    const place = this.sourceCount
    if (known === undefined) places.set(source, { of: identities, place })
    else {
      known.of = identities
      known.place = place
    }
    return place
  }

  #makeRoom(count: number): void {
    let room = this.kinds.length
    if (count <= room) return
    while (room < count) room *= 2
    this.kinds = new Uint8Array(room)
    this.sources = new Int32Array(room)
    this.ages = new Float64Array(room)
    this.confs = new Float64Array(room)
    this.secrets = new Int8Array(room)
    this.classes = new Int32Array(room)
    this.before = new Int32Array(room)
    this.kindsBefore = new Int32Array(room)
    this.lastOfSource = new Int32Array(room)
    this.beforeOfKind = new Int32Array(room)
    this.itemOf = new Int32Array(room)
    this.firstTold = new Int32Array(room)
  }
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
let identities = 0
