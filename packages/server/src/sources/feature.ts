import { SourceList, SourceListQuery, type SourceSummary } from "@assay/core/contract"
import type { Caller } from "../accounts/callers.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { ExposureIndex, Source } from "@assay/stores/exposure-index"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"
import { type HeldSource, heldSources, isLive } from "@assay/corpus/sources"

const PAGE = 100

const listSchema = {
  operationId: "listSources",
  summary: "List the sources that scores rest on",
  tags: ["Sources"],
  security: [{ apiKey: [] }],
  querystring: SourceListQuery,
  response: {
    200: named(
      SourceList,
      "Shared sources; plans that do not name them see kinds, dates and counts.",
    ),
    ...failures(...FAILURES_OF_READING),
  },
}

export interface SourceServices {
  readonly index: Pick<ExposureIndex, "catalogue">
}

export const sources: Feature<SourceServices> = { routes: sourceRoutes }

function sourceRoutes(app: App, { index }: SourceServices): void {
  app.get("/api/v1/sources", { schema: listSchema }, async ({ caller, query }) => {
    const after = Number(query.after ?? 0)
    const limit = Number(query.limit ?? PAGE)
    const held = heldSources(await index.catalogue())
    // Administrators of the service hold them; sensitive ones act for verified tenants alone.
    const seesAll = caller.tenantId === null || caller.verified
    const visible = held.filter(
      ({ source, batches }) => batches.some(isLive) && (!source.flags.sensitive || seesAll),
    )
    const names = new Map(visible.map(({ source }) => [source.id, source.name]))
    // For plans without named sources the cursor is a position in the list: an id would identify a
    // source everywhere, and a gap in the ids a hidden one.
    const { namedSources } = caller.plan
    const rest = namedSources
      ? visible.filter(({ source }) => source.id > after)
      : visible.slice(after)
    const page = rest.slice(0, limit)
    const last = namedSources ? page.at(-1)?.source.id : after + page.length
    return {
      sources: page.map((each) => summary(each, caller, names)),
      newest: newestOf(visible),
      next: rest.length > limit ? String(last) : null,
    }
  })
}

function newestOf(held: readonly HeldSource[]): SourceList["newest"] {
  const live = held.flatMap(({ batches }) => batches.filter(isLive))
  if (live.length === 0) return null
  const imported = Math.max(...live.map(({ liveAt, createdAt }) => liveAt ?? createdAt))
  const events = held.flatMap(({ source: { eventDate } }) =>
    eventDate === null ? [] : [eventDate],
  )
  return {
    imported_at: new Date(imported).toISOString(),
    event_date: events.toSorted().at(-1) ?? null,
  }
}

function summary(
  { source, rows, identities }: HeldSource,
  { plan }: Caller,
  names: ReadonlyMap<number, string>,
): SourceSummary {
  const { kind, eventDate, publishedDate = null, acquiredDate = null, importedAt } = source
  const counted = {
    kind,
    event_date: eventDate,
    published_date: publishedDate,
    acquired_date: acquiredDate,
    imported_at: new Date(importedAt).toISOString(),
    rows,
    identities,
  }
  if (!plan.namedSources) return counted
  const { name, title, flags, circulates } = source
  const { spamList, fabricated, sensitive, verified, stealerLog = false } = flags
  return {
    name,
    title,
    ...counted,
    flags: {
      spam_list: spamList,
      fabricated,
      sensitive,
      verified,
      stealer_log: stealerLog,
    },
    circulates,
    circulation: circulationOf(source, names),
  }
}

/** Sources that the caller may not see are left out of the names; the counts are of all. */
function circulationOf(
  { circulation = null }: Source,
  names: ReadonlyMap<number, string>,
): Exclude<SourceSummary["circulation"], undefined> {
  if (circulation === null) return null
  const { decidedBy, identities, knownIdentities, pairs, knownPairs } = circulation
  const { sameAs = -1, origins = [] } = circulation
  return {
    decided_by: decidedBy,
    identities,
    known_identities: knownIdentities,
    pairs,
    known_pairs: knownPairs,
    same_as: names.get(sameAs) ?? null,
    origins: origins.flatMap(({ sourceId, identities: count }) => {
      const name = names.get(sourceId)
      return name === undefined ? [] : [{ name, identities: count }]
    }),
  }
}
