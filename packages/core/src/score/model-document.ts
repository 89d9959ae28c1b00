import { Type, type Static, type TSchema } from "typebox"
import { Value } from "typebox/value"

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
    const { path, reason } = described(fault)
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
function described({ keyword, instancePath, params, message }: SchemaError) {
  if (keyword === "required" && "requiredProperties" in params) {
    const [name] = params.requiredProperties as string[]
    return { path: `${instancePath}/${name ?? ""}`, reason: "is missing" }
  }
  if (message === "schema is false") {
    return { path: instancePath, reason: "is not a member of the model" }
  }
  return { path: instancePath, reason: message }
}

function frozen<T>(value: T): T {
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

export const Probability = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })
export const Share = Type.Number({ minimum: 0, maximum: 1 })
export const Positive = Type.Number({ exclusiveMinimum: 0 })
export const NotNegative = Type.Number({ minimum: 0 })
/** Nats that speak for risk, and nats that speak against it: a sign turned round is refused. */
export const For = NotNegative
export const Against = Type.Number({ maximum: 0 })
export const Days = NotNegative
export const Points = Type.Number({ minimum: 0, maximum: 100 })
export const Version = Type.String({ pattern: "^[0-9]+\\.[0-9]+$" })
export const Table = Type.Array(Type.Tuple([NotNegative, Type.Number()]), { minItems: 1 })
export const Fading = exactly({ nats: For, halfLifeDays: Positive })

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

export const ReasonsSchema = exactly({
  pointsMin: Positive,
  countMax: Type.Integer({ minimum: 1 }),
})

export const AgoSchema = exactly({ today: sentence(), day: sentence(), days: sentence("n") })

/** Fails unless the first column ascends, which look-ups in a table rely on. */
export function checkAscending(
  model: string,
  path: string,
  table: readonly (readonly [number, number])[],
): void {
  table.forEach(([x], i) => {
    const before = table[i - 1]
    if (before !== undefined && !(x > before[0])) {
      throw new ModelFault(model, `${path}/${i}/0`, "must be greater than the one before it")
    }
  })
}
