/** The parts of a JSON Schema that say what a value may be. `takes` is our own, for texts. */
interface ValueSchema {
  readonly type?: string
  readonly takes?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly items?: object
  readonly anyOf?: readonly { readonly const?: unknown }[]
}

/** What a value of the schema is, in the words of a sentence with "takes". */
export function takesOf(schema: object): string {
  const { type, takes, minimum, maximum, items, maxItems, anyOf } = schema as ValueSchema
  if (takes !== undefined) return takes
  if (anyOf !== undefined) return anyOf.map((each) => String(each.const)).join(" or ")
  if (type === "integer" || type === "number") {
    const kind = type === "integer" ? "an integer" : "a number"
    return `${kind} from ${minimum ?? 0} to ${maximum ?? "any"}`
  }
  if (type === "boolean") return "true or false"
  if (type === "array") {
    const count = maxItems === undefined ? "1 or more" : `1 to ${maxItems}`
    return `a list of ${count}, each ${takesOf(items ?? {})}`
  }
  return "an object"
}
