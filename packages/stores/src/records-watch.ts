import type { IdentityType } from "@assay/core/identity"
import { sql, type Selectable } from "kysely"

import type { Engine, EventInserts, Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { appendEvents, type NewEvent } from "./records-events.ts"
import {
  type NewDomainWatch,
  putDomainWatches,
  removeDomainWatches,
} from "./records-domain-watches.ts"
import type { Schema } from "./records-schema.ts"

/** Why a watched identity is scored again. */
export type WatchCause =
  | "added"
  | "import"
  | "evidence"
  | "feedback"
  | "carrier"
  | "time"
  | "lists"
  | "policy"

/** JSON that this port does not look into. */
export type Json = Readonly<Record<string, unknown>>

/** What is kept of the domain of a watched address, once for all of a tenant's addresses there. */
export interface WatchedDomain {
  readonly domainKey: Uint8Array
  /** What values can be made of again when lists change. */
  readonly kept: Json
  /** What a score takes. */
  readonly values: Json
  /** Of lists and own domains: values of another version are to be made again. */
  readonly version: string
}

/** An identity that a tenant watches. */
export interface NewWatchItem {
  readonly id: string
  readonly identityKey: Uint8Array
  readonly identityType: IdentityType
  /** The tenant's own name of it. */
  readonly ref: string
  /** The identity itself, sealed, for tenants that want it in events. */
  readonly sealed: Uint8Array | null
  /** Which address of the mailbox it is, as evidence has it; 0 for a number. */
  readonly aliasTag: number
  /** What a score takes from the address or the number. */
  readonly kept: Json
  /** null for a number. */
  readonly domain: WatchedDomain | null
}

/** By which ref an identity is watched, and whether it was not before. */
export interface Watching {
  readonly added: boolean
  readonly ref: string
}

/** What was last told of a watched identity. */
export interface Told {
  readonly risk_score: number
  /** Of an e-mail address only. */
  readonly threat_stage?: string
  readonly band: string
  readonly recommended_action: string
  readonly model_version: string
}

export interface WatchItem {
  readonly id: string
  readonly tenantId: number
  readonly identityType: IdentityType
  readonly ref: string
  readonly sealed: Uint8Array | null
  readonly addedAt: number
  /** null before it was first scored. */
  readonly told: Told | null
  /** When it is scored next; 0: as soon as its turn comes. */
  readonly dueAt: number
}

/** One that is to be scored. */
export interface DueWatchItem extends WatchItem {
  readonly identityKey: Uint8Array
  readonly kept: Json
  /** The values of its domain; null for a number. */
  readonly domain: Json | null
  /** When its stage or band last went up. */
  readonly roseAt: number | null
  readonly cause: WatchCause
  readonly revision: number
}

/** One that a batch names. */
export interface MatchedWatchItem extends WatchItem {
  readonly identityKey: Uint8Array
}

/** What came of scoring an item. */
export interface WatchOutcome {
  readonly id: string
  /** As it was when the item was read: one that was touched since is scored again. */
  readonly revision: number
  /** null: it could not be scored. */
  readonly told: Told | null
  readonly roseAt: number | null
  readonly dueAt: number
  /** What is to be told; null where nothing changed. */
  readonly event: NewEvent | null
}

/** How far watched identities were looked for in a batch. */
export interface WatchedBatch {
  readonly batchId: number
  /** null: from the beginning. */
  readonly through: Uint8Array | null
  readonly done: boolean
  /** Its removal was followed. */
  readonly removed: boolean
}

/** Whom of a batch tenants watch. */
export interface WatchedInBatch {
  readonly batchId: number
  /** Items that it named so far. */
  readonly items: number
  readonly done: boolean
}

export interface WatchRecords {
  /**
   * Watches identities, each to be scored at once. Says of each whether it
   * is new, and by which ref it is watched. Of one that is
   * known, what is taken from the address or the number is brought up to date, unless it is another
   * address of the same mailbox; its ref stays. Throws
   * `too-many` where the tenant would have more than `WATCH_ITEMS_MAX`, and nothing is added.
   */
  addWatchItems(of: {
    tenantId: number
    at: number
    items: readonly NewWatchItem[]
    /** Come after the items in what is returned. */
    domains?: readonly NewDomainWatch[]
  }): Promise<Watching[]>
  /**
   * Ends watching, and says how many items and domains were removed for each key, then for each
   * domain and then for each ref.
   */
  removeWatchItems(of: {
    tenantId: number
    identityKeys: readonly Uint8Array[]
    domains?: readonly string[]
    refs: readonly string[]
  }): Promise<number[]>
  /** A tenant's items, the newest first; with `ref` those of this name only. */
  watchItems(of: {
    tenantId: number
    before?: string
    ref?: string
    limit: number
  }): Promise<WatchItem[]>
  countWatchItems(tenantId: number): Promise<number>
  /** Tenants that watch an identity, or have since before a moment. */
  watchingTenants(of?: { addedBefore: number }): Promise<number[]>
  /** Items that are due, those due longest first. */
  dueWatchItems(of: { at: number; limit: number }): Promise<DueWatchItem[]>
  /**
   * Keeps what came of scoring items and adds their events, all in one transaction. Items that were
   * touched since they were read stay due, and nothing is told of them. Returns how many were kept.
   */
  settleWatchItems(outcomes: readonly WatchOutcome[]): Promise<number>
  /** Watched keys after one, ascending, each once, one after the other. */
  watchedKeys(of: { after: Uint8Array | null; limit: number }): Promise<Uint8Array>
  /** Items of these identities that were watched before a moment. */
  watchItemsOf(of: {
    identityKeys: readonly Uint8Array[]
    addedBefore: number
  }): Promise<MatchedWatchItem[]>
  /**
   * Has every item scored again, as nobody knows any more whom a removed batch named, and notes
   * that this was done. Nothing is scored for one that named nobody.
   */
  followRemovedBatch(of: { batchId: number; at: number }): Promise<void>
  /** Of these batches, those that were begun. */
  watchedInBatches(batchIds: readonly number[]): Promise<WatchedInBatch[]>
  /** Every batch that was begun. */
  watchedBatches(): Promise<WatchedBatch[]>
  /**
   * Has items scored because of a batch, adds events, and keeps how far the batch was gone through,
   * in one transaction.
   */
  matchBatch(of: {
    batch: Omit<WatchedBatch, "removed">
    at: number
    ids: readonly string[]
    events: readonly NewEvent[]
  }): Promise<void>
  /** A tenant's domains whose values are of another version. */
  staleWatchDomains(of: {
    tenantId: number
    version: string
    limit: number
  }): Promise<WatchedDomain[]>
  /** Replaces what is kept of domains; items of those whose values changed are scored again. */
  setWatchDomains(of: {
    tenantId: number
    domains: readonly (WatchedDomain & { readonly changed: boolean })[]
  }): Promise<void>
  /**
   * Keeps by which plan and policy each tenant's items are scored. All items of those are scored
   * again for whom that is another one than before; they are returned. Items of a tenant whose
   * first policy this is were never scored, and are due already.
   */
  setWatchPolicies(
    policies: readonly { readonly tenantId: number; readonly policy: string }[],
  ): Promise<number[]>
}

/** Of one tenant. */
export const WATCH_ITEMS_MAX = 1_000_000

/** After which a tenant's items are counted again, where others may have added some. */
const RECOUNT_MS = 60_000

/** Few enough for the 32,766 parameters of a statement on SQLite. */
const ROWS_AT_ONCE = 500
const KEY_BYTES = 16

/** Watch lists over either engine. */
export function sqlWatch(
  { read, write }: Store,
  { scrub, ...inserts }: EventInserts & Pick<Engine, "scrub">,
): WatchRecords {
  // To count a million rows takes longer than to add a thousand, so that they are not counted each
  // time: since the last count a tenant has at most that many more as were added here.
  const counts = new Map<number, { readonly atMost: number; readonly countedAt: number }>()

  return {
    async addWatchItems({ tenantId, at, items, domains = [] }) {
      const last = counts.get(tenantId)
      // Others may have added some meanwhile, or the clock was set back.
      const isRecent = last !== undefined && Math.abs(at - last.countedAt) < RECOUNT_MS
      const mayPass = !isRecent || last.atMost + items.length > WATCH_ITEMS_MAX
      const { watching, count } = await write(async (db) => {
        await putDomains(db, tenantId, items)
        const each: Watching[] = []
        for (const some of portions(items)) each.push(...(await putItems(db, tenantId, at, some)))
        const counted = mayPass ? await countItems(db, tenantId) : null
        if (counted !== null && counted > WATCH_ITEMS_MAX && each.some(({ added }) => added))
          throw new RecordsError("too-many", "The tenant watches as many as there may be")
        each.push(...(await putDomainWatches(db, { tenantId, at, domains })))
        return { watching: each, count: counted }
      })
      // As it is by now: others of this tenant may have been added beside these.
      const before = counts.get(tenantId)
      const more = watching.filter(({ added }) => added).length
      if (count !== null) counts.set(tenantId, { atMost: count, countedAt: at })
      else if (before !== undefined)
        counts.set(tenantId, { ...before, atMost: before.atMost + more })
      return watching
    },

    async removeWatchItems({ tenantId, identityKeys, domains = [], refs }) {
      const removed = await write(async (db) => {
        const counts: number[] = []
        const remove = async (
          column: "identity_key" | "ref",
          value: Uint8Array | string,
        ): Promise<number> => {
          const rows = await db
            .deleteFrom("watch_items")
            .where("tenant_id", "=", tenantId)
            .where(column, "=", value)
            .returning("domain_key")
            .execute()
          for (const { domain_key: key } of rows)
            if (key !== null) await dropUnusedDomain(db, tenantId, key)
          return rows.length
        }
        for (const key of identityKeys) counts.push(await remove("identity_key", key))
        for (const name of domains)
          counts.push(await removeDomainWatches(db, tenantId, "domain", name))
        for (const ref of refs)
          counts.push(
            (await remove("ref", ref)) + (await removeDomainWatches(db, tenantId, "ref", ref)),
          )
        return counts
      })
      if (removed.some((count) => count > 0)) await read(scrub)
      return removed
    },

    watchItems: ({ tenantId, before, ref, limit }) =>
      read(async (db) => {
        let query = db.selectFrom("watch_items").selectAll().where("tenant_id", "=", tenantId)
        if (before !== undefined) query = query.where("id", "<", before)
        if (ref !== undefined) query = query.where("ref", "=", ref)
        return (await query.orderBy("id", "desc").limit(limit).execute()).map(itemOf)
      }),

    countWatchItems: (tenantId) => read((db) => countItems(db, tenantId)),

    watchingTenants: (of) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("tenants")
          .select("id")
          .where((row) =>
            row.exists(
              row
                .selectFrom("watch_items")
                .select("watch_items.id")
                .whereRef("watch_items.tenant_id", "=", "tenants.id")
                .$if(of !== undefined, (items) =>
                  items.where("watch_items.added_at", "<", of?.addedBefore ?? 0),
                ),
            ),
          )
          .orderBy("id")
          .execute()
        return rows.map(({ id }) => id)
      }),

    dueWatchItems: ({ at, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("watch_items")
          .leftJoin("watch_domains", (join) =>
            join
              .onRef("watch_domains.tenant_id", "=", "watch_items.tenant_id")
              .onRef("watch_domains.domain_key", "=", "watch_items.domain_key"),
          )
          .selectAll("watch_items")
          .select("watch_domains.taken")
          .where("due_at", "<=", at)
          .orderBy("due_at")
          .limit(limit)
          .execute()
        return rows.map((row) => ({
          ...matchedOf(row),
          kept: JSON.parse(row.kept) as Json,
          domain: row.taken === null ? null : (JSON.parse(row.taken) as Json),
          roseAt: row.rose_at,
          cause: row.cause as WatchCause,
          revision: row.revision,
        }))
      }),

    settleWatchItems: (outcomes) =>
      write(async (db) => {
        const events: NewEvent[] = []
        let kept = 0
        for (const { id, revision, told, roseAt, dueAt, event } of outcomes) {
          const { numUpdatedRows } = await db
            .updateTable("watch_items")
            .set({
              told: told === null ? null : JSON.stringify(told),
              rose_at: roseAt,
              due_at: dueAt,
              cause: "time" satisfies WatchCause,
              revision: revision + 1,
            })
            .where("id", "=", id)
            .where("revision", "=", revision)
            .executeTakeFirstOrThrow()
          if (numUpdatedRows === 0n) continue
          kept++
          if (event !== null) events.push(event)
        }
        await appendEvents(db, inserts, events)
        return kept
      }),

    watchedKeys: ({ after, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("watch_items")
          .select("identity_key")
          .distinct()
          .$if(after !== null, (query) =>
            query.where("identity_key", ">", after ?? new Uint8Array()),
          )
          .orderBy("identity_key")
          .limit(limit)
          .execute()
        const keys = new Uint8Array(rows.length * KEY_BYTES)
        for (const [at, { identity_key: key }] of rows.entries()) keys.set(key, at * KEY_BYTES)
        return keys
      }),

    watchItemsOf: ({ identityKeys, addedBefore }) =>
      read(async (db) => {
        const found: MatchedWatchItem[] = []
        for (const some of portions(identityKeys)) {
          const rows = await db
            .selectFrom("watch_items")
            .selectAll()
            .where("identity_key", "in", some)
            .where("added_at", "<", addedBefore)
            .orderBy("identity_key")
            .orderBy("tenant_id")
            .execute()
          found.push(...rows.map(matchedOf))
        }
        return found
      }),

    watchedInBatches: (batchIds) =>
      read(async (db) => {
        const found: WatchedInBatch[] = []
        for (const some of portions(batchIds)) {
          const rows = await db
            .selectFrom("watch_batches")
            .select(["batch_id", "matched", "done_at"])
            .where("batch_id", "in", some)
            .orderBy("batch_id")
            .execute()
          for (const { batch_id: batchId, matched, done_at } of rows)
            found.push({ batchId, items: matched ?? 0, done: done_at !== null })
        }
        return found
      }),

    watchedBatches: () =>
      read(async (db) => {
        const rows = await db.selectFrom("watch_batches").selectAll().orderBy("batch_id").execute()
        return rows.map(({ batch_id: batchId, through, done_at, removed_at }) => ({
          batchId,
          through,
          done: done_at !== null,
          removed: removed_at !== null,
        }))
      }),

    matchBatch: ({ batch: { batchId, through, done }, at, ids, events }) =>
      write(async (db) => {
        for (const some of portions(ids)) {
          await db
            .updateTable("watch_items")
            .set(touched("import"))
            .where("id", "in", some)
            .execute()
        }
        const state = { through, done_at: done ? at : null }
        await db
          .insertInto("watch_batches")
          .values({ batch_id: batchId, ...state, matched: ids.length, removed_at: null })
          .onConflict((conflict) =>
            conflict.column("batch_id").doUpdateSet((row) => ({
              ...state,
              matched: row("watch_batches.matched", "+", row.ref("excluded.matched")),
            })),
          )
          .execute()
        await appendEvents(db, inserts, events)
      }),

    followRemovedBatch: ({ batchId, at }) =>
      write(async (db) => {
        const batch = await db
          .updateTable("watch_batches")
          .set({ removed_at: at })
          .where("batch_id", "=", batchId)
          .where("removed_at", "is", null)
          .returning("matched")
          .executeTakeFirst()
        if (batch !== undefined && batch.matched !== 0)
          await db.updateTable("watch_items").set(touched("import")).execute()
      }),

    staleWatchDomains: ({ tenantId, version, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("watch_domains")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          // Two ranges of the index: nearly all rows are of this version.
          .where((row) => row.or([row("version", "<", version), row("version", ">", version)]))
          .limit(limit)
          .execute()
        return rows.map((row) => ({
          domainKey: row.domain_key,
          kept: JSON.parse(row.kept) as Json,
          values: JSON.parse(row.taken) as Json,
          version: row.version,
        }))
      }),

    setWatchDomains: ({ tenantId, domains }) =>
      write(async (db) => {
        for (const { domainKey, kept, values, version, changed } of domains) {
          await db
            .updateTable("watch_domains")
            .set({ kept: JSON.stringify(kept), taken: JSON.stringify(values), version })
            .where("tenant_id", "=", tenantId)
            .where("domain_key", "=", domainKey)
            .execute()
          if (changed) await touchDomain(db, tenantId, domainKey)
        }
      }),

    setWatchPolicies: (policies) =>
      write(async (db) => {
        const rows = await db.selectFrom("watch_tenants").selectAll().execute()
        const known = new Map(rows.map(({ tenant_id, policy }) => [tenant_id, policy]))
        const others = policies.filter(({ tenantId, policy }) => known.get(tenantId) !== policy)
        for (const { tenantId, policy } of others) {
          await db
            .insertInto("watch_tenants")
            .values({ tenant_id: tenantId, policy })
            .onConflict((conflict) => conflict.column("tenant_id").doUpdateSet({ policy }))
            .execute()
          if (known.has(tenantId))
            await db
              .updateTable("watch_items")
              .set(touched("policy"))
              .where("tenant_id", "=", tenantId)
              .execute()
        }
        return others.flatMap(({ tenantId }) => (known.has(tenantId) ? [tenantId] : []))
      }),
  }
}

/**
 * Has items of identities scored again, in the transaction that confirms that the index has what is
 * new of them: one that is scored before would miss it. `owner`: the tenant whose evidence it is,
 * or null for what all share. `identityKeys` is a list or a query.
 */
export async function touchWatched(
  db: Write,
  of: {
    readonly owner: number | null
    readonly identityKeys: readonly Uint8Array[] | KeyQuery
    readonly cause: WatchCause
  },
): Promise<void> {
  const { owner, identityKeys, cause } = of
  await db
    .updateTable("watch_items")
    .set(touched(cause))
    .where("identity_key", "in", identityKeys as KeyQuery)
    .$if(owner !== null, (query) => query.where("tenant_id", "=", owner ?? 0))
    .execute()
}

type KeyQuery = ReturnType<typeof keyQuery>

/** The identities of an owner's evidence that is due, up to and including one. */
export function dueIdentities(
  db: Write,
  owner: number,
  through: Uint8Array,
  writes: readonly number[],
): KeyQuery {
  return keyQuery(db)
    .where("owner", "=", owner)
    .where("due_at", "is not", null)
    .where("due_at", "in", writes)
    .where("identity_key", "<=", through)
}

function keyQuery(db: Write) {
  return db.selectFrom("evidence").select("identity_key")
}

/** Deletes what one tenant watches of an identity, or everybody. */
export async function deleteWatched(
  db: Write,
  identityKey: Uint8Array,
  tenantId: number | null,
): Promise<void> {
  const rows = await db
    .deleteFrom("watch_items")
    .where("identity_key", "=", identityKey)
    .$if(tenantId !== null, (query) => query.where("tenant_id", "=", tenantId ?? 0))
    .returning(["tenant_id", "domain_key"])
    .execute()
  for (const { tenant_id: owner, domain_key: key } of rows)
    if (key !== null) await dropUnusedDomain(db, owner, key)
}

/** Before all that is due by time. */
const AT_ONCE = 0

function touched(cause: WatchCause) {
  return { due_at: AT_ONCE, cause, revision: sql<number>`revision + 1` }
}

async function putDomains(
  db: Write,
  tenantId: number,
  items: readonly NewWatchItem[],
): Promise<void> {
  const domains = new Map<string, WatchedDomain>()
  for (const { domain } of items) if (domain !== null) domains.set(nameOf(domain.domainKey), domain)
  for (const { domainKey, kept, values, version } of domains.values()) {
    const columns = {
      kept: JSON.stringify(kept),
      taken: JSON.stringify(values),
      version,
    }
    const known = await db
      .selectFrom("watch_domains")
      .select(["taken", "version"])
      .where("tenant_id", "=", tenantId)
      .where("domain_key", "=", domainKey)
      .executeTakeFirst()
    if (known?.taken === columns.taken && known.version === version) continue
    await db
      .insertInto("watch_domains")
      .values({ tenant_id: tenantId, domain_key: domainKey, ...columns })
      .onConflict((conflict) => conflict.columns(["tenant_id", "domain_key"]).doUpdateSet(columns))
      .execute()
    if (known !== undefined && known.taken !== columns.taken)
      await touchDomain(db, tenantId, domainKey)
  }
}

async function touchDomain(db: Write, tenantId: number, domainKey: Uint8Array): Promise<void> {
  await db
    .updateTable("watch_items")
    .set(touched("lists"))
    .where("tenant_id", "=", tenantId)
    .where("domain_key", "=", domainKey)
    .execute()
}

async function putItems(
  db: Write,
  tenantId: number,
  at: number,
  items: readonly NewWatchItem[],
): Promise<Watching[]> {
  const inserted = await db
    .insertInto("watch_items")
    .values(
      // One statement cannot insert a key twice: the first of equal ones counts.
      firstOfEach(items).map((item) => ({
        id: item.id,
        tenant_id: tenantId,
        identity_key: item.identityKey,
        identity_type: item.identityType,
        ref: item.ref,
        sealed: item.sealed,
        alias_tag: item.aliasTag,
        kept: JSON.stringify(item.kept),
        domain_key: item.domain === null ? null : item.domain.domainKey,
        added_at: at,
        told: null,
        rose_at: null,
        due_at: AT_ONCE,
        cause: "added" satisfies WatchCause,
        revision: 1,
      })),
    )
    .onConflict((conflict) => conflict.columns(["tenant_id", "identity_key"]).doNothing())
    .returning("id")
    .execute()
  const fresh = new Set(inserted.map(({ id }) => id))
  for (const { id, identityKey, aliasTag, kept } of items) {
    if (fresh.has(id)) continue
    const text = JSON.stringify(kept)
    await db
      .updateTable("watch_items")
      .set({ kept: text, ...touched("lists") })
      .where("tenant_id", "=", tenantId)
      .where("identity_key", "=", identityKey)
      .where("alias_tag", "=", aliasTag)
      .where("kept", "!=", text)
      .execute()
  }
  const rows = await db
    .selectFrom("watch_items")
    .select(["identity_key", "ref"])
    .where("tenant_id", "=", tenantId)
    .where(
      "identity_key",
      "in",
      items.map(({ identityKey }) => identityKey),
    )
    .execute()
  const refs = new Map(rows.map(({ identity_key: key, ref }) => [nameOf(key), ref]))
  return items.map(({ id, identityKey, ref }) => ({
    added: fresh.has(id),
    ref: refs.get(nameOf(identityKey)) ?? ref,
  }))
}

function firstOfEach(items: readonly NewWatchItem[]): NewWatchItem[] {
  const first = new Map<string, NewWatchItem>()
  for (const item of items) {
    const name = nameOf(item.identityKey)
    if (!first.has(name)) first.set(name, item)
  }
  return [...first.values()]
}

async function dropUnusedDomain(db: Write, tenantId: number, domainKey: Uint8Array): Promise<void> {
  await db
    .deleteFrom("watch_domains")
    .where("tenant_id", "=", tenantId)
    .where("domain_key", "=", domainKey)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom("watch_items")
            .select("id")
            .where("tenant_id", "=", tenantId)
            .where("domain_key", "=", domainKey),
        ),
      ),
    )
    .execute()
}

async function countItems(db: Pick<Write, "selectFrom">, tenantId: number): Promise<number> {
  const { count } = await db
    .selectFrom("watch_items")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow()
  return count
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString("latin1")
}

function* portions<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE)
    yield all.slice(from, from + ROWS_AT_ONCE)
}

type ItemRow = Selectable<Schema["watch_items"]>

function itemOf(row: ItemRow): WatchItem {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    identityType: row.identity_type as IdentityType,
    ref: row.ref,
    sealed: row.sealed,
    addedAt: row.added_at,
    told: row.told === null ? null : (JSON.parse(row.told) as Told),
    dueAt: row.due_at,
  }
}

function matchedOf(row: ItemRow): MatchedWatchItem {
  return { ...itemOf(row), identityKey: row.identity_key }
}
