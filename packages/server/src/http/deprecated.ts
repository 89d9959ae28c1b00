import { type Deprecation, DEPRECATIONS } from "@assay/core/contract"
import type { FastifySchema, RouteOptions } from "fastify"

type Table = Readonly<Record<string, Deprecation | undefined>>

/** What is said of the operation of a route; null for nearly all, which are not deprecated. */
export function deprecationOf(
  schema: FastifySchema | undefined,
  table: Table = DEPRECATIONS,
): Deprecation | null {
  const id = schema?.operationId
  return id !== undefined && Object.hasOwn(table, id) ? (table[id] ?? null) : null
}

/**
 * The header fields of every answer of a deprecated operation, refusals too: `Deprecation` of RFC
 * 9745 and `Sunset` of RFC 8594, whose dates are written differently.
 */
export function deprecationFields({ since, sunset }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: '</docs>; rel="deprecation"; type="text/html"',
  }
}

/** Has a route say that it is deprecated. One that is not costs nothing. */
export function announceDeprecation(route: RouteOptions, table: Table = DEPRECATIONS): void {
  const deprecation = deprecationOf(route.schema, table)
  if (deprecation === null) return
  const fields = deprecationFields(deprecation)
  const own = route.onRequest ?? []
  route.onRequest = [
    // First, so that a request without a key is told too.
    (_request, reply, done) => {
      reply.headers(fields)
      done()
    },
    ...(Array.isArray(own) ? own : [own]),
  ]
}

/** A schema as the API description shows it. */
export function withDeprecation<T extends FastifySchema>(
  schema: T,
  table: Table = DEPRECATIONS,
): T {
  const deprecation = deprecationOf(schema, table)
  if (deprecation === null) return schema
  const { since, sunset, instead } = deprecation
  const sentence = `Deprecated since ${since}, and may be gone from ${sunset} on. ${instead}`
  const description =
    schema.description === undefined ? sentence : `${schema.description} ${sentence}`
  return { ...schema, description, deprecated: true, "x-sunset": sunset }
}
