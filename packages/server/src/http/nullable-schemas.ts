/**
 * A schema as the serialiser should have it: `anyOf` something and null as one schema of two types.
 * For `anyOf` it would ask a validator which of them an answer's member is, at every answer, and
 * load the validator's compiler for that. The API description keeps the schema as it was written.
 */
export function withNullableTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullableTypes)
  if (typeof schema !== "object" || schema === null) return schema
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, withNullableTypes(member)]),
  )
  const { anyOf, ...rest } = members
  const typed = Array.isArray(anyOf) ? typedOf(anyOf) : null
  return typed === null ? members : { ...typed, ...rest, type: [typed.type, "null"] }
}

/** The other one of two schemas, where one is for null and the other has one type. */
function typedOf(schemas: readonly unknown[]): { readonly type: string } | null {
  const [first, second, ...more] = schemas as readonly { readonly type?: unknown }[]
  if (more.length > 0) return null
  const other = isNull(second) ? first : isNull(first) ? second : undefined
  return typeof other?.type === "string" ? (other as { readonly type: string }) : null
}

function isNull(schema: { readonly type?: unknown } | undefined): boolean {
  return schema?.type === "null"
}
