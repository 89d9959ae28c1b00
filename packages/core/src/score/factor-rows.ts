import { Type, type Static, type TSchema } from "typebox"
import { exactly, ModelFault, Nats, oneOf, sentence, table, type Frozen } from "./model-document.ts"
import { checkAscending } from "./model-rules.ts"
import { interpolated } from "./scale.ts"
import { filled } from "./sentence.ts"

// A finding that a document weighs by itself: a row names its code, the one member of the input it
// reads, its weight and the sentence. A finding that needs more than one member is part of the
// program.

const row = {
  code: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,39}$" }),
  member: Type.String({ minLength: 1 }),
  /** Of a flag: counts where the flag is true. */
  nats: Type.Optional(Nats),
  /** Of a number: linear between its rows, flat outside. */
  table: Type.Optional(table(Nats)),
  text: sentence("value"),
}
export const EmailFactors = rows(exactly(row))
export const PhoneFactors = rows(exactly({ ...row, side: oneOf(["takeover", "quality"]) }))

function rows<Row extends TSchema>(schema: Row) {
  return Type.Optional(Type.Array(schema, { minItems: 1, maxItems: 1_000 }))
}

export type FactorRow = Frozen<Static<ReturnType<typeof exactly<typeof row>>>>

/** What the members of an input hold that rows may read. */
export type Readable = Readonly<Record<string, "flag" | "number">>

/** Nats of a row for an input; 0 where the member is unknown. */
export function rowNats({ member, nats = 0, table: weights }: FactorRow, input: object): number {
  const value = (input as Readonly<Record<string, unknown>>)[member]
  if (weights === undefined) return value === true ? nats : 0
  return typeof value === "number" ? interpolated(weights, value) : 0
}

/** The sentence of a row. */
export function rowText({ member, text }: FactorRow, input: object): string {
  const value = (input as Readonly<Record<string, unknown>>)[member]
  return filled(text, { value: typeof value === "number" ? value : "" })
}

/**
 * Fails with the path of the first row that cannot be weighed, or cannot be distinguished from
 * another.
 */
export function checkFactorRows(
  model: string,
  factors: readonly FactorRow[] | undefined,
  known: readonly string[],
  readable: Readable,
): void {
  const codes = new Set(known)
  for (const [at, { code, member, nats, table: weights, text }] of (factors ?? []).entries()) {
    const fault = (name: string, reason: string): ModelFault =>
      new ModelFault(model, `/factors/${at}/${name}`, reason)
    if (codes.has(code)) throw fault("code", "is the code of another factor")
    codes.add(code)
    const holds = Object.hasOwn(readable, member) ? readable[member] : undefined
    if (holds === undefined) throw fault("member", "is no member that a row may read")
    if (holds === "flag" && (nats === undefined || weights !== undefined))
      throw fault("nats", "must be given for a flag, and no table")
    if (holds === "number" && (weights === undefined || nats !== undefined))
      throw fault("table", "must be given for a number, and no nats")
    if (holds === "flag" && text.includes("{value}")) throw fault("text", "has no value to tell")
    if (weights !== undefined) checkAscending(model, `/factors/${at}/table`, weights)
  }
}
