import compilers from "@fastify/fast-json-stringify-compiler"
import type { FastifyServerOptions } from "fastify"
import { withNullableTypes } from "./nullable-schemas.ts"

/** What makes validators and serialisers of the routes' schemas. */
export type SchemaCompilers = NonNullable<
  NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]
>

/** Serialisers of Fastify's own, by schemas that need no validator for what may be null. */
export function nullably(build: compilers.SerializerFactory): compilers.SerializerFactory {
  return (externalSchemas, options) => {
    const compile = build(withNullableTypes(externalSchemas), options)
    return (route) => compile({ ...route, schema: withNullableTypes(route.schema) })
  }
}

/**
 * Fastify's own, for sources that run as they are; built programs have this module made by
 * scripts/compile-schemas.ts, with the code compiled ahead. A serialiser is made when its first
 * answer is sent: most routes of a process are never called.
 */
export const schemaCompilers: SchemaCompilers = {
  buildSerializer: (externalSchemas, options) => {
    const compile = nullably(compilers.SerializerSelector())(externalSchemas, options)
    return (route) => {
      let serialize: compilers.Serializer | undefined
      return (document) => (serialize ??= compile(route))(document)
    }
  },
}
