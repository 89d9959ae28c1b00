import { Type, type Static, type TSchema } from "typebox"
import { Pointer, Value } from "typebox/value"

/** A model document cannot be used. `path` is the JSON pointer of the member at fault. */
export class ModelFault extends Error {
  override readonly name = "ModelFault"
  readonly path: string
  constructor(model: string, path: string, reason: string) {
    super(`${model} model, ${path === "" ? "document" : path}: ${reason}`)
    this.path = path
  }
}

export type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** A private, frozen copy of the document, or a fault that names the first wrong member. */
export function readDocument<S extends TSchema>(
  model: string,
  schema: S,
  document: unknown,
): Frozen<Static<S>> {
  if (!Value.Check(schema, document)) {
    const [fault] = Value.Errors(schema, document)
    if (fault === undefined) throw new ModelFault(model, "", "does not match the schema")
    const { path, reason } = described(fault, document)
    throw new ModelFault(model, path, reason)
  }
  return frozen(Value.Clone(document)) as Frozen<Static<S>>
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

// The schema speaks of the object around a missing or surplus member; a reader wants the member.
function described({ keyword, instancePath, params, message }: SchemaError, document: unknown) {
  if (keyword === "required" && "requiredProperties" in params) {
    const [name] = params.requiredProperties as string[]
    return { path: `${instancePath}/${name ?? ""}`, reason: "is missing" }
  }
  if (keyword === "minItems") {
    const { length } = Pointer.Get(document, instancePath) as unknown[]
    return { path: `${instancePath}/${length}`, reason: "is missing" }
  }
  if (message === "schema is false") {
    return { path: instancePath, reason: "is not a member of the model" }
  }
  return { path: instancePath, reason: message }
}

export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) frozen(member)
    Object.freeze(value)
  }
  return value
}

/** An object with exactly these members: a misspelt weight must not be ignored. */
export function exactly<P extends Parameters<typeof Type.Object>[0]>(members: P) {
  return Type.Object(members, { additionalProperties: false })
}

/** One of the words of a vocabulary. */
export function oneOf<W extends string>(words: readonly W[]) {
  return Type.Unsafe<W>({ enum: words })
}

// Every number has two ends. What lies beyond them is a slip of the keyboard and no model: e^30 is
// further than any odds that were ever measured, and no document counts to a million.
const NATS_MAX = 30
const MUCH = 1_000_000
const DAYS_MAX = 36_500

export const Probability = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })
export const Share = Type.Number({ minimum: 0, maximum: 1 })
export const Positive = Type.Number({ exclusiveMinimum: 0, maximum: MUCH })
export const NotNegative = Type.Number({ minimum: 0, maximum: MUCH })
export const OddsRatio = Type.Number({ minimum: 1, maximum: MUCH })
/** Nats that speak for risk, and nats that speak against it: a sign turned round is refused. */
export const For = Type.Number({ minimum: 0, maximum: NATS_MAX })
export const Against = Type.Number({ minimum: -NATS_MAX, maximum: 0 })
export const Nats = Type.Number({ minimum: -NATS_MAX, maximum: NATS_MAX })
export const Days = Type.Number({ minimum: 0, maximum: DAYS_MAX })
export const HalfLife = Type.Number({ exclusiveMinimum: 0, maximum: DAYS_MAX })
export const Points = Type.Number({ minimum: 0, maximum: 100 })
/** A floor or cap is whole, so that rounding never takes a score below its floor. */
export const WholePoints = Type.Integer({ minimum: 0, maximum: 100 })
export const Version = Type.String({ pattern: "^(0|[1-9][0-9]{0,4})\\.(0|[1-9][0-9]{0,4})$" })
export const Fading = exactly({ nats: For, halfLifeDays: HalfLife })

/** Rows of a number to look up and its value. */
export function table<V extends typeof Nats>(value: V) {
  return Type.Array(Type.Tuple([NotNegative, value]), { minItems: 1 })
}

/** A sentence that may use the named values in braces and no others. */
export function sentence(...values: string[]) {
  const braces = values.length === 0 ? "" : `|\\{(?:${values.join("|")})\\}`
  return Type.String({ pattern: `^(?:[^{}]${braces})+$` })
}

export const ScaleSchema = exactly({
  anchorPoints: Points,
  anchorOdds: Positive,
  pointsToDouble: Positive,
})

export const CostsSchema = exactly({
  loss: Positive,
  challenge: Positive,
  wrongBlock: Positive,
  review: NotNegative,
  reviewDelay: NotNegative,
  reviewCatch: Share,
  stopsTakeover: Probability,
  stopsAbuse: Share,
})

export const CalibrationSchema = exactly({ slopeMin: Positive, slopeMax: Positive })

/** The public answer promises no more; less than a point is no reason. */
const REASONS_MAX = 4

export const ReasonsSchema = exactly({
  pointsMin: Type.Number({ minimum: 1, maximum: 5 }),
  countMax: Type.Integer({ minimum: 1, maximum: REASONS_MAX }),
})

export const AgoSchema = exactly({
  today: sentence(),
  day: sentence(),
  days: sentence("n"),
  months: Type.Optional(sentence("n")),
  years: Type.Optional(sentence("n")),
})

/** How long something has lasted, as people say it. */
export const SpanSchema = exactly({
  day: sentence(),
  days: sentence("n"),
  months: sentence("n"),
  years: sentence("n"),
})

/** Names of the months, for dates in sentences. */
export const MonthsSchema = Type.Array(sentence(), { minItems: 12, maxItems: 12 })
