import { join } from "node:path"
import type { EventData } from "@assay/core/contract"
import { EXPOSURE_KINDS } from "@assay/core/score"
import { Explained } from "@assay/runtime/explained"
import { dayOf, HOUR_MS } from "@assay/runtime/time"
import { derivedEventId } from "@assay/stores/event-id"
import type { Batch, Catalogue, Entry, ExposureIndex, Source } from "@assay/stores/exposure-index"
import type { Records } from "@assay/stores/records"
import type { NewEvent } from "@assay/stores/records-events"
import type { DomainWatch } from "@assay/stores/records-domain-watches"
import type { SegmentBlock } from "@assay/stores/segment-block"
import type { MatchedWatchItem, WatchedBatch } from "@assay/stores/records-watch"
import type { Caller } from "../accounts/callers.ts"
import { provedSince } from "./domain-proof.ts"
import type { Tenants } from "./tenants.ts"
import { type MatchedIdentity, matchSegment } from "./match-segment.ts"

interface MatchOptions {
  readonly records: Pick<
    Records,
    | "watchingTenants"
    | "watchedBatches"
    | "watchedKeys"
    | "watchItemsOf"
    | "matchBatch"
    | "provedDomains"
    | "followRemovedBatch"
  >
  readonly index: Pick<ExposureIndex, "catalogue">
  /** Where segments are. */
  readonly segments: string
  /**
   * Whether a segment is missing because another node imported it, which then matches its batch.
   */
  readonly isElsewhere: (file: string) => boolean
  /** Whether the service stops: it goes on at the next start. */
  readonly isEnding: () => boolean
  readonly now: () => number
}

/** Has watched identities scored that a batch names which went live since the last call. */
export type MatchBatches = (tenants: Tenants) => Promise<void>

const KEYS_AT_ONCE = 10_000
const MATCHED_AT_ONCE = 500

const exposureKinds: ReadonlySet<string> = new Set(EXPOSURE_KINDS)

/**
 * A batch goes live by a write of the index, not of the records, so that nothing can be written
 * with it. What follows from it is derived afterwards, and how far that is done is kept with it:
 * after a kill it goes on there, and what was told is known by its id.
 */
export function batchMatcher({
  records,
  index,
  segments,
  isElsewhere,
  isEnding,
  now,
}: MatchOptions): MatchBatches {
  let begun = new Map<number, WatchedBatch>()
  let matchedVersion: number | null = null

  const isLeft = ({ id, owner, state, segment }: Batch): boolean =>
    owner === "shared" && state === "live" && segment != null && begun.get(id)?.done !== true

  const isUndone = ({ id, state }: Batch): boolean =>
    state === "removed" && begun.get(id)?.removed === false

  return async (tenants) => {
    const catalogue = await index.catalogue()
    if (catalogue.version === matchedVersion) return
    // Another node may have matched some since.
    begun = new Map((await records.watchedBatches()).map((each) => [each.batchId, each]))
    const left = [...catalogue.batches.values()].filter(
      (batch) => isLeft(batch) && !isElsewhere(batch.segment?.file ?? ""),
    )
    const domains =
      left.length === 0 ? [] : await records.provedDomains({ since: provedSince(now()) })
    for (const batch of left) {
      const keep = async (
        through: Uint8Array | null,
        done: boolean,
        ids: readonly string[] = [],
        events: readonly NewEvent[] = [],
      ): Promise<void> => {
        const reached = { batchId: batch.id, through, done }
        await records.matchBatch({ batch: reached, at: now(), ids, events })
        begun.set(batch.id, { ...reached, removed: false })
      }
      const after = begun.get(batch.id)?.through ?? null
      const addedBefore = batch.liveAt ?? 0
      const own = domains.filter(({ addedAt }) => addedAt < addedBefore)
      const isWatched =
        own.length > 0 || (await records.watchingTenants({ addedBefore })).length > 0
      // Whoever was added later was first scored with it, so that it need not be read.
      if (isWatched) await match(batch, catalogue, after, tenants, own, keep)
      else await keep(after, true)
    }
    for (const { id } of [...catalogue.batches.values()].filter(isUndone)) {
      await records.followRemovedBatch({ batchId: id, at: now() })
      const known = begun.get(id)
      if (known !== undefined) begun.set(id, { ...known, removed: true })
    }
    matchedVersion = catalogue.version
  }

  async function match(
    batch: Batch,
    { sources }: Catalogue,
    after: Uint8Array | null,
    tenants: Tenants,
    domains: readonly DomainWatch[],
    keep: (
      through: Uint8Array | null,
      done: boolean,
      ids?: readonly string[],
      events?: readonly NewEvent[],
    ) => Promise<void>,
  ): Promise<void> {
    const source = sources.get(batch.sourceId)
    if (source === undefined) throw new Error("A batch names a source the catalogue does not have")
    // Loaded with the first batch: it brings DuckDB, which would cost every process 10 MB at its
    // start.
    const { openSegmentReader } = await import("@assay/corpus/segments/segment")
    const reader = await openSegmentReader()
    try {
      const path = join(segments, batch.segment?.file ?? "")
      if (domains.length > 0) {
        const counts = (await reader.facts(path)).domains
        await keep(after, false, [], domainEvents(domains, counts, batch, source, tenants))
      }
      const matching = matchSegment({
        blocks: untilEnding(reader.blocks(path), isEnding),
        batchId: batch.id,
        watched: (last) => records.watchedKeys({ after: last, limit: KEYS_AT_ONCE }),
        after,
        atOnce: MATCHED_AT_ONCE,
      })
      let through = after
      for await (const matched of matching) {
        const items = await records.watchItemsOf({
          identityKeys: matched.map(({ key }) => key),
          // Who was added afterwards was first scored with it.
          addedBefore: batch.liveAt ?? 0,
        })
        const seen = items.filter((item) => isSeenBy(tenants.get(item.tenantId), source))
        through = matched.at(-1)?.key ?? through
        await keep(
          through,
          false,
          seen.map(({ id }) => id),
          exposureEvents(seen, matched, batch, source, tenants),
        )
      }
      await keep(through, true)
    } finally {
      reader.close()
    }
  }

  /** One for each domain that the segment has addresses of, with how many; nobody is named. */
  function domainEvents(
    domains: readonly DomainWatch[],
    counts: ReadonlyMap<string, number>,
    batch: Batch,
    source: Source,
    tenants: Tenants,
  ): NewEvent[] {
    return domains.flatMap(({ id, tenantId, domainKey, ref }) => {
      const identities = counts.get(Buffer.from(domainKey).toString("hex"))
      const caller = tenants.get(tenantId)
      if (identities === undefined || !isSeenBy(caller, source)) return []
      const data: EventData<"exposure.added"> = {
        ref,
        watched: "domain",
        source: caller?.plan.namedSources === true ? source.name : null,
        kind: source.kind,
        last_seen: source.eventDate,
        identities,
      }
      const kind = "exposure.added"
      const eventId = derivedEventId([batch.fingerprint, batch.id, id, kind])
      const of = { tenantId, kind, at: now(), ref, identityKey: null, sealed: null } as const
      return [{ ...of, id: eventId, data }]
    })
  }

  function exposureEvents(
    items: readonly MatchedWatchItem[],
    matched: readonly MatchedIdentity[],
    batch: Batch,
    source: Source,
    tenants: Tenants,
  ): NewEvent[] {
    const entriesOf = new Map(matched.map(({ key, entries }) => [nameOf(key), entries]))
    return items.flatMap((item) => {
      const exposures = exposuresIn(entriesOf.get(nameOf(item.identityKey)) ?? [])
      const newest = newestOf(exposures)
      if (newest === null) return []
      const { id, tenantId, identityType, identityKey, ref, sealed } = item
      const data: EventData<"exposure.added"> = {
        ref,
        watched: identityType,
        source: tenants.get(tenantId)?.plan.namedSources === true ? source.name : null,
        kind: newest.kind,
        last_seen: dayOf(newest.hours * HOUR_MS),
        password: exposures.some(({ secret }) => secret !== "none"),
      }
      const kind = "exposure.added"
      const eventId = derivedEventId([batch.fingerprint, batch.id, id, kind])
      return { id: eventId, tenantId, kind, at: now(), ref, identityKey, sealed, data }
    })
  }
}

/** Throws where the service stops: rows that were not read are not rows that do not match. */
async function* untilEnding(
  blocks: AsyncIterable<SegmentBlock>,
  isEnding: () => boolean,
): AsyncGenerator<SegmentBlock> {
  for await (const block of blocks) {
    if (isEnding()) throw new Explained("stopping", "The service stops")
    yield block
  }
}

/** A sensitive source acts for verified tenants only, so no other learns that it was added. */
function isSeenBy(caller: Caller | null | undefined, { flags }: Source): boolean {
  return caller != null && (!flags.sensitive || caller.verified)
}

function exposuresIn(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ kind }) => exposureKinds.has(kind))
}

function newestOf(exposures: readonly Entry[]): Entry | null {
  return exposures.reduce<Entry | null>(
    (newest, entry) => (newest === null || entry.hours > newest.hours ? entry : newest),
    null,
  )
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString("latin1")
}
