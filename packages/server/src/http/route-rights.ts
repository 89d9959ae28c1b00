import { type Open, PAGES, type Right, RIGHTS, STANDARD_PATHS } from "@assay/core/contract"
import type { FastifySchema, RouteOptions } from "fastify"

/**
 * Who may use a route, by the row of its operation; null where no key is asked for. Throws for a
 * route that has no row, so that none is open because somebody forgot one.
 */
export function rightOf({
  url,
  schema,
  config,
}: Pick<RouteOptions, "url" | "schema" | "config">): Right | null {
  const right = rightOfOperation(schema)
  if (right !== undefined) return typeof right === "string" ? null : right
  if (config?.refusesMethods === true || isPage(url)) return null
  throw new Error(`${url} has no row in core/contract/rights.ts`)
}

/** The row of an operation; undefined where the schema is of none, or of one without a row. */
function rightOfOperation(schema: FastifySchema | undefined): Right | Open | undefined {
  const id = schema?.operationId
  return id !== undefined && Object.hasOwn(RIGHTS, id) ? rows[id] : undefined
}

const rows: Readonly<Record<string, Right | Open>> = RIGHTS

function isPage(url: string): boolean {
  return [...PAGES, ...STANDARD_PATHS].some((page) =>
    page.length > 1 && page.endsWith("/") ? url.startsWith(page) : url === page,
  )
}
