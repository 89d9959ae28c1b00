import compilers from "@fastify/fast-json-stringify-compiler"
import type { FastifyServerOptions } from "fastify"
import { withNullableTypes } from "./nullable-schemas.ts"

/** What makes validators and serialisers of the routes' schemas. */
export type SchemaCompilers = NonNullable<
  NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]
>

/**
 * Makes a compiler once for the same schemas and options. Fastify asks for one at every route, each
 * time with all shared schemas in a new object, and making it looks through all of them.
 */
export function onceForSchemas<Schemas, Options, Compile>(
  build: (schemas: Schemas, options: Options) => Compile,
): (schemas: Schemas, options: Options) => Compile {
  let last: { schemas: readonly unknown[]; options: Options; compile: Compile } | null = null
  return (given, options) => {
    const schemas = Object.values(given ?? {})
    const before = last?.options === options ? last : null
    const isSame =
      before?.schemas.length === schemas.length &&
      schemas.every((schema, n) => schema === before.schemas[n])
    last = isSame ? before : { schemas, options, compile: build(given, options) }
    return last.compile
  }
}

/**
 * Serialisers of Fastify's own, by schemas that need no validator for what may be null. Most
 * answers of all routes are problems and have one schema, of which one serialiser is made: each
 * that is made looks through all shared schemas.
 */
export function nullably(build: compilers.SerializerFactory): compilers.SerializerFactory {
  return onceForSchemas((externalSchemas, options) => {
    const compile = build(withNullableTypes(externalSchemas), options)
    const made = new Map<string, compilers.Serializer>()
    return (route) => {
      const text = JSON.stringify(route.schema)
      const known = made.get(text)
      if (known !== undefined) return known
      const serialize = compile({ ...route, schema: withNullableTypes(route.schema) })
      made.set(text, serialize)
      return serialize
    }
  })
}

const serializers = nullably(compilers.SerializerSelector())

/**
 * Fastify's own, for sources that run as they are; built programs have this module made by
 * scripts/compile-schemas.ts, with the code compiled ahead. A serialiser is made when its first
 * answer is sent: most routes of a process are never called.
 */
export const schemaCompilers: SchemaCompilers = {
  buildSerializer: (externalSchemas, options) => {
    const compile = serializers(externalSchemas, options)
    return (route) => {
      let serialize: compilers.Serializer | undefined
      return (document) => (serialize ??= compile(route))(document)
    }
  },
}
