import type { FastifyServerOptions } from "fastify"

type Bucket = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["bucket"]>

/**
 * Keeps the schemas that routes refer to by their `$id`, for one application or for a scope of it.
 * Fastify's own copies each of them when it is added, and the list of all of them for every route.
 * Nothing changes them here.
 */
export const sharedSchemas = ((ofParent: Readonly<Record<string, unknown>> = {}) => {
  const schemas = { ...ofParent }
  return {
    add(schema: { readonly $id?: string }) {
      const { $id: id } = schema
      if (id === undefined || Object.hasOwn(schemas, id))
        throw new Error(`A shared schema needs a name that no other has: ${id ?? "it has none"}`)
      schemas[id] = schema
    },
    getSchema: (id: string) => schemas[id],
    getSchemas: () => schemas,
  }
  // By its types `add` returns the application, which nothing reads.
}) as unknown as Bucket
