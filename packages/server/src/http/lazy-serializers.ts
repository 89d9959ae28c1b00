import compilers from "@fastify/fast-json-stringify-compiler"

/**
 * Fastify's own serialisers, each made when its first answer is sent: made all at once they are a
 * fifth of a worker's start, and most routes of a process are never called.
 */
export const lazySerializers: compilers.SerializerFactory = (externalSchemas, options) => {
  const compile = compilers.SerializerSelector()(externalSchemas, options)
  return (route) => {
    let serialize: compilers.Serializer | undefined
    return (document) => (serialize ??= compile(route))(document)
  }
}
