import type { TSchema } from "typebox"

/** A schema whose objects have no members but those it names, at any depth. */
export function closed(schema: TSchema): TSchema {
  return closedNode(schema) as TSchema
}

function closedNode(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closedNode)
  if (typeof node !== "object" || node === null) return node
  const inside = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      // Examples are values and no schemas.
      name === "examples" || name === "enum" ? value : closedNode(value),
    ]),
  )
  return "properties" in inside ? { ...inside, additionalProperties: false } : inside
}
