import { type Static, type TSchema, Type, type TUnsafe } from "typebox"

/** Another schema by its name, so that the API description has it once. */
export function referred<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ $ref: `${(schema as { $id?: string }).$id ?? ""}#` })
}
