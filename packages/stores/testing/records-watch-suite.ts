import assert from "node:assert/strict"

import { derivedEventId } from "../src/event-id.ts"
import type { NewEvent } from "../src/records-events.ts"
import { DOMAIN_WATCHES_MAX, type NewDomainWatch } from "../src/records-domain-watches.ts"
import type { Records } from "../src/records.ts"
import type {
  DueWatchItem,
  NewWatchItem,
  Told,
  WatchedDomain,
  WatchOutcome,
} from "../src/records-watch.ts"
import { settledThrough } from "./records-evidence-suite.ts"
import { feedback, settled, tenants } from "./records-feedback-suite.ts"
import { refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 10, 18, 9)
const keyOf = (n: number): Uint8Array => new Uint8Array(16).fill(n)
const domainOf = (n: number, more: Partial<WatchedDomain> = {}): WatchedDomain => ({
  domainKey: keyOf(n),
  kept: { names: [n] },
  values: { category: "free" },
  version: "v1",
  ...more,
})
export const item = (n: number, more: Partial<NewWatchItem> = {}): NewWatchItem => ({
  id: `wch_${String(n).padStart(28, "0")}`,
  identityKey: keyOf(n),
  identityType: "email",
  ref: `ref-${n}`,
  sealed: null,
  aliasTag: 0,
  kept: { local: n },
  domain: domainOf(200),
  ...more,
})
const number = (n: number): NewWatchItem => item(n, { identityType: "phone", domain: null })
const told: Told = {
  risk_score: 34,
  threat_stage: "LEAKED",
  band: "elevated",
  recommended_action: "step_up_auth",
  model_version: "1.1",
}

async function due(records: Records, moment = at): Promise<DueWatchItem[]> {
  return await records.dueWatchItems({ at: moment, limit: 100 })
}

/** Scores all that is due, with nothing to tell, and looks again at `dueAt`. */
async function settleAll(records: Records, dueAt: number): Promise<void> {
  const outcomes = (await due(records)).map(({ id, revision }) => ({
    ...{ id, revision, told, roseAt: null, dueAt, event: null },
  }))
  await records.settleWatchItems(outcomes)
}

const causes = (items: readonly DueWatchItem[]): string[] =>
  items.map(({ ref, cause }) => `${ref} ${cause}`).sort()

function eventOf(tenantId: number, n: number): NewEvent {
  return {
    id: derivedEventId(["test", tenantId, n]),
    tenantId,
    kind: "risk.email.changed",
    at,
    ref: `ref-${n}`,
    identityKey: keyOf(n),
    sealed: null,
    data: { ref: `ref-${n}` },
  }
}

/** Whom tenants watch, and what makes them due. */
export function recordsWatchSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("adding is idempotent, keeps the first ref and is a tenant's own", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    const add = (...items: NewWatchItem[]) => records.addWatchItems({ tenantId, at, items })
    assert.deepEqual(await records.watchingTenants(), [])
    assert.deepEqual(await add(item(1), number(2), item(3, { identityKey: keyOf(1) })), [
      { added: true, ref: "ref-1" },
      { added: true, ref: "ref-2" },
      { added: false, ref: "ref-1" },
    ])
    assert.deepEqual(await add(item(4, { identityKey: keyOf(2), ref: "another" })), [
      { added: false, ref: "ref-2" },
    ])
    await records.addWatchItems({
      tenantId: other.tenantId,
      at,
      items: [item(9, { identityKey: keyOf(1) })],
    })
    assert.deepEqual(await records.watchingTenants(), [tenantId, other.tenantId])
    assert.deepEqual(await records.watchingTenants({ addedBefore: at }), [])
    const since = { addedBefore: at + 1 }
    assert.deepEqual(await records.watchingTenants(since), [tenantId, other.tenantId])
    assert.equal(await records.countWatchItems(tenantId), 2)
    const listed = await records.watchItems({ tenantId, limit: 10 })
    assert.deepEqual(
      listed.map(({ ref, identityType, addedAt, told: said }) => [
        ref,
        identityType,
        addedAt,
        said,
      ]),
      [
        ["ref-2", "phone", at, null],
        ["ref-1", "email", at, null],
      ],
    )
    const [newest] = listed
    const before = newest?.id ?? ""
    assert.deepEqual(
      (await records.watchItems({ tenantId, before, limit: 1 })).map(({ ref }) => ref),
      ["ref-1"],
    )
    assert.equal((await records.watchItems({ tenantId, ref: "ref-2", limit: 9 })).length, 1)
    assert.deepEqual(await records.watchItems({ tenantId, ref: "ref-9", limit: 9 }), [])
  })

  onRecords("many are added at once, and all or none", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const items = Array.from({ length: 1_200 }, (_, n) =>
      item(n, { identityKey: Buffer.from(String(n).padStart(16, "0")), ref: "same" }),
    )
    const watching = await records.addWatchItems({ tenantId, at, items })
    assert.ok(watching.length === 1_200 && watching.every(({ added }) => added))
    assert.equal(await records.countWatchItems(tenantId), 1_200)
    const again = await records.addWatchItems({ tenantId, at, items })
    assert.ok(again.every(({ added, ref }) => !added && ref === "same"))
    assert.deepEqual(
      await records.removeWatchItems({ tenantId, identityKeys: [], refs: ["same"] }),
      [1_200],
    )
    // Of an unknown tenant nothing is added, its domains neither.
    await assert.rejects(records.addWatchItems({ tenantId: 99, at, items: [item(1)] }))
    assert.equal(await records.countWatchItems(99), 0)
  })

  onRecords(
    "adding one again brings up to date what is kept of the same address alone",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      const add = (more: Partial<NewWatchItem>) =>
        records.addWatchItems({ tenantId, at, items: [item(1, more)] })
      await add({})
      await settleAll(records, at + 1_000)
      await add({ id: "wch_2" })
      assert.deepEqual(await due(records), [])
      await add({ id: "wch_3", aliasTag: 7, kept: { local: 77 } })
      assert.deepEqual(await due(records), [])
      await add({ id: "wch_4", kept: { local: 8 } })
      const [again] = await due(records)
      assert.deepEqual([again?.kept, again?.cause, again?.told], [{ local: 8 }, "lists", told])
      await settleAll(records, at + 1_000)
      await add({
        id: "wch_5",
        kept: { local: 8 },
        domain: domainOf(200, { values: { category: null } }),
      })
      const [changed] = await due(records)
      assert.deepEqual(changed?.domain, { category: null })
    },
  )

  onRecords("watching ends by identity and by ref, of one tenant alone", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    const items = [item(1), item(2, { ref: "both" }), number(3), item(4, { ref: "both" })]
    for (const each of [tenantId, other.tenantId]) {
      const own = items.map((one) => ({ ...one, id: `${one.id}${each}` }))
      await records.addWatchItems({ tenantId: each, at, items: own })
    }
    const removed = await records.removeWatchItems({
      tenantId,
      identityKeys: [keyOf(1), keyOf(9)],
      refs: ["both", "nobody"],
    })
    assert.deepEqual(removed, [1, 0, 2, 0])
    assert.equal(await records.countWatchItems(tenantId), 1)
    assert.equal(await records.countWatchItems(other.tenantId), 4)
    // The domain goes with its last address.
    const stale = (of: number) =>
      records.staleWatchDomains({ tenantId: of, version: "v2", limit: 9 })
    assert.equal((await stale(tenantId)).length, 0)
    assert.equal((await stale(other.tenantId)).length, 1)
  })

  onRecords(
    "what is scored is told once, and one that was touched meanwhile stays due",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      await records.addWatchItems({ tenantId, at, items: [item(1), item(2), item(3)] })
      assert.deepEqual(causes(await due(records)), ["ref-1 added", "ref-2 added", "ref-3 added"])
      const [first] = await due(records)
      assert.deepEqual(
        [first?.kept, first?.domain, first?.roseAt],
        [{ local: 1 }, { category: "free" }, null],
      )
      await settleAll(records, at + 5_000)
      assert.deepEqual(await due(records, at + 4_999), [])
      const again = await due(records, at + 5_000)
      assert.deepEqual(causes(again), ["ref-1 time", "ref-2 time", "ref-3 time"])
      assert.deepEqual(again[0]?.told, told)
      await records.matchBatch({
        batch: { batchId: 1, through: keyOf(2), done: false },
        at,
        ids: [again[1]?.id ?? ""],
        events: [],
      })
      const outcomes: WatchOutcome[] = again.map(({ id, revision }, n) => ({
        id,
        revision,
        told: { ...told, risk_score: 61, band: "high" },
        roseAt: at,
        dueAt: at + 9_000,
        event: n === 2 ? null : eventOf(tenantId, n + 1),
      }))
      assert.equal(await records.settleWatchItems(outcomes), 2)
      // What was read before is of the past: nothing of it is kept or told again.
      assert.equal(await records.settleWatchItems(outcomes), 0)
      const told2 = await records.eventsAfter({
        tenantId,
        after: 0,
        limit: 9,
        kinds: ["risk.email.changed"],
      })
      assert.deepEqual(
        told2.map(({ ref }) => ref),
        ["ref-1"],
      )
      const left = await due(records, at + 8_999)
      assert.deepEqual(causes(left), ["ref-2 import"])
      assert.equal(left[0]?.told?.risk_score, 34)
      const [kept] = await records.watchItems({ tenantId, ref: "ref-1", limit: 1 })
      assert.equal(kept?.told?.risk_score, 61)
    },
  )

  onRecords(
    "feedback and evidence make items due when the index has them, and not before",
    async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      const { tenantId } = acme
      for (const each of [tenantId, other.tenantId]) {
        const items = [item(1), item(2), number(3)].map((one) => ({
          ...one,
          id: `${one.id}${each}`,
        }))
        await records.addWatchItems({ tenantId: each, at, items })
      }
      await settleAll(records, at + 9_000)
      const report = feedback({ tenantId, identityKey: keyOf(1) }, "fb_1", { receivedAt: at })
      await records.addFeedback(report, null, "{}")
      assert.deepEqual(await due(records), [])
      await settled(records, { tenantId, identityKey: keyOf(1) }, at)
      const [labelled, ...none] = await due(records)
      assert.deepEqual(
        [labelled?.tenantId, labelled?.cause, none.length],
        [tenantId, "feedback", 0],
      )
      await settleAll(records, at + 9_000)
      const line = (n: number) => ({
        identityKey: keyOf(n),
        source: "soc",
        entry: Uint8Array.of(n),
      })
      const own = {
        owner: tenantId,
        keyId: "k1",
        receivedAt: at,
        lines: [line(1), line(2), line(7)],
      }
      await records.addEvidence(own, null)
      assert.deepEqual(await due(records), [])
      await settledThrough(records, tenantId, keyOf(1))
      assert.deepEqual(causes(await due(records)), ["ref-1 evidence"])
      await settledThrough(records, tenantId, keyOf(255))
      assert.deepEqual(causes(await due(records)), ["ref-1 evidence", "ref-2 evidence"])
      await settleAll(records, at + 9_000)
      // What a carrier tells is everybody's.
      await records.addEvidence(
        { owner: "shared", keyId: null, receivedAt: at, lines: [line(3)] },
        null,
      )
      await settledThrough(records, "shared", keyOf(3))
      assert.deepEqual(causes(await due(records)), ["ref-3 carrier", "ref-3 carrier"])
    },
  )

  onRecords(
    "watched keys are read in order and once each, and items by keys and time",
    async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      await records.addWatchItems({ tenantId: acme.tenantId, at, items: [item(3), item(1)] })
      await records.addWatchItems({
        tenantId: other.tenantId,
        at: at + 10,
        items: [item(2), item(5, { identityKey: keyOf(1) })],
      })
      const read = async (after: Uint8Array | null, limit: number): Promise<number[]> => {
        const keys = await records.watchedKeys({ after, limit })
        return Array.from({ length: keys.length / 16 }, (_, n) => keys[n * 16] ?? 0)
      }
      assert.deepEqual(await read(null, 9), [1, 2, 3])
      assert.deepEqual(await read(null, 2), [1, 2])
      assert.deepEqual(await read(keyOf(2), 2), [3])
      assert.deepEqual(await read(keyOf(3), 2), [])
      const named = async (addedBefore: number): Promise<string[]> =>
        (
          await records.watchItemsOf({ identityKeys: [keyOf(1), keyOf(3), keyOf(8)], addedBefore })
        ).map(({ tenantId, ref }) => `${tenantId} ${ref}`)
      assert.deepEqual(await named(at + 10), [`${acme.tenantId} ref-1`, `${acme.tenantId} ref-3`])
      assert.equal((await named(at + 11)).length, 3)
      assert.deepEqual(await named(at), [])
      assert.deepEqual(await records.watchedBatches(), [])
      const batch = { batchId: 7, through: keyOf(1), done: false }
      const event = eventOf(acme.tenantId, 1)
      await records.matchBatch({ batch, at, ids: [], events: [event] })
      await records.matchBatch({ batch, at, ids: [], events: [event] })
      await records.matchBatch({ batch: { ...batch, done: true }, at, ids: [], events: [] })
      assert.deepEqual(await records.watchedBatches(), [{ ...batch, done: true, removed: false }])
      const { length } = await records.eventsAfter({
        ...{ tenantId: acme.tenantId, after: 0, limit: 9, kinds: ["risk.email.changed"] },
      })
      assert.equal(length, 1)
    },
  )

  onRecords(
    "removing a batch has all items scored again, unless it named nobody, and once",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      await records.addWatchItems({ tenantId, at, items: [item(1), item(2)] })
      const { id } = item(1)
      const batch = (batchId: number) => ({ batchId, through: null, done: true })
      await records.matchBatch({ batch: batch(1), at, ids: [id], events: [] })
      await records.matchBatch({ batch: batch(1), at, ids: [], events: [] })
      await records.matchBatch({ batch: batch(2), at, ids: [], events: [] })
      assert.deepEqual(await records.watchedInBatches([1, 2, 3]), [
        { batchId: 1, items: 1, done: true },
        { batchId: 2, items: 0, done: true },
      ])
      const removed = async (batchId: number): Promise<string[]> => {
        await settleAll(records, at + 9_000)
        await records.followRemovedBatch({ batchId, at })
        return causes(await due(records))
      }
      assert.deepEqual(await removed(2), [])
      assert.deepEqual(await removed(1), ["ref-1 import", "ref-2 import"])
      assert.deepEqual(await removed(1), [])
      assert.deepEqual(
        (await records.watchedBatches()).map((each) => each.removed),
        [true, true],
      )
    },
  )

  onRecords(
    "domains are added once, checked when due and proved for their tenant alone",
    async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      const { tenantId } = acme
      const domain = (n: number, more: Partial<NewDomainWatch> = {}): NewDomainWatch => ({
        ...{ id: `wch_d${n}`, domain: `d${n}.example`, domainKey: keyOf(100 + n) },
        ...{ ref: `domain-${n}`, ...more },
      })
      const domains = [domain(1), domain(2)]
      const added = await records.addWatchItems({ tenantId, at, items: [item(1)], domains })
      assert.deepEqual(
        added.map(({ added: isNew, ref }) => [isNew, ref]),
        [
          [true, "ref-1"],
          [true, "domain-1"],
          [true, "domain-2"],
        ],
      )
      const all = async (of = tenantId) => await records.domainWatches({ tenantId: of })
      assert.deepEqual(await all(), [
        { ...domain(1), tenantId, addedAt: at, provedAt: null, proof: null },
        { ...domain(2), tenantId, addedAt: at, provedAt: null, proof: null },
      ])
      assert.deepEqual(await all(other.tenantId), [])
      const dueAt = async (moment: number): Promise<string[]> =>
        (await records.dueDomainWatches({ at: moment, limit: 9 })).map(({ id }) => id)
      assert.deepEqual(await dueAt(at - 1), [])
      assert.deepEqual((await dueAt(at)).sort(), ["wch_d1", "wch_d2"])
      const check = { at: at + 5, checkAt: at + 100 }
      await records.settleDomainCheck({ id: "wch_d1", proof: "dns", ...check })
      await records.settleDomainCheck({ id: "wch_d2", proof: null, ...check })
      await records.settleDomainCheck({ id: "wch_gone", proof: "dns", ...check })
      assert.deepEqual(await dueAt(at + 99), [])
      const proved = async (since: number): Promise<string[]> =>
        (await records.provedDomains({ since })).map(({ domain: name }) => name)
      assert.deepEqual(await proved(at + 5), ["d1.example"])
      assert.deepEqual(await proved(at + 6), [])
      // What was found once stays known when it is not found later.
      await records.settleDomainCheck({ id: "wch_d1", proof: null, at: at + 50, checkAt: at + 100 })
      assert.deepEqual(
        (await all()).map(({ provedAt, proof }) => [provedAt, proof]),
        [
          [at + 5, "dns"],
          [null, null],
        ],
      )
      // Added again it keeps its ref, and its proof is looked for at once.
      const again = domain(2, { id: "wch_new", ref: "new" })
      const known = await records.addWatchItems({
        ...{ tenantId, at: at + 60, items: [], domains: [again] },
      })
      assert.deepEqual(known, [{ added: false, ref: "domain-2" }])
      assert.deepEqual(await dueAt(at + 60), ["wch_d2"])
      const foreign = { tenantId: other.tenantId, identityKeys: [], domains: ["d1.example"] }
      assert.deepEqual(await records.removeWatchItems({ ...foreign, refs: ["domain-2"] }), [0, 0])
      const own = { tenantId, identityKeys: [], domains: ["d1.example", "none.example"] }
      assert.deepEqual(await records.removeWatchItems({ ...own, refs: ["domain-2"] }), [1, 0, 1])
      assert.deepEqual(await all(), [])
      const many = Array.from({ length: DOMAIN_WATCHES_MAX + 1 }, (_, n) => domain(n))
      await assert.rejects(
        records.addWatchItems({ tenantId, at, items: [item(9)], domains: many }),
        refusedAs("too-many"),
      )
      assert.deepEqual(await all(), [])
      assert.equal(await records.countWatchItems(tenantId), 1)
    },
  )

  onRecords(
    "domains of another version are found, and items of changed ones are due",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      const elsewhere = item(2, { domain: domainOf(201, { version: "v3" }) })
      await records.addWatchItems({ tenantId, at, items: [item(1), elsewhere, number(3)] })
      await settleAll(records, at + 9_000)
      const stale = async (version: string): Promise<number[]> =>
        (await records.staleWatchDomains({ tenantId, version, limit: 9 })).map(
          ({ domainKey }) => domainKey[0] ?? 0,
        )
      assert.deepEqual((await stale("v2")).sort(), [200, 201])
      assert.deepEqual(await stale("v1"), [201])
      const same = { ...domainOf(201), version: "v2", changed: false }
      const others = { ...domainOf(200, { values: { category: "disposable" } }), version: "v2" }
      await records.setWatchDomains({ tenantId, domains: [same, { ...others, changed: true }] })
      assert.deepEqual(await stale("v2"), [])
      const [again, ...none] = await due(records)
      assert.deepEqual([again?.ref, again?.cause, none.length], ["ref-1", "lists", 0])
      assert.deepEqual(again?.domain, { category: "disposable" })
    },
  )

  onRecords("a first policy has nobody scored again", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.addWatchItems({ tenantId, at, items: [item(1)] })
    await settleAll(records, at + 9_000)
    assert.deepEqual(await records.setWatchPolicies([{ tenantId, policy: "p1" }]), [])
    assert.deepEqual(await due(records), [])
  })

  onRecords(
    "a changed policy makes all items of its tenant due, and no other's",
    async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      const set = (policy: string, tenantId = acme.tenantId) =>
        records.setWatchPolicies([{ tenantId, policy }])
      await set("p1")
      await set("p1", other.tenantId)
      for (const { tenantId } of [acme, other])
        await records.addWatchItems({ tenantId, at, items: [item(1, { id: `wch_${tenantId}` })] })
      await settleAll(records, at + 9_000)
      assert.deepEqual(await set("p1"), [])
      assert.deepEqual(await due(records), [])
      assert.deepEqual(await set("p2"), [acme.tenantId])
      const [again, ...none] = await due(records)
      assert.deepEqual([again?.tenantId, again?.cause, none.length], [acme.tenantId, "policy", 0])
    },
  )

  onRecords(
    "an erased subject is watched by nobody, one erased for a tenant by others",
    async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      for (const { tenantId } of [acme, other])
        await records.addWatchItems({
          tenantId,
          at,
          items: [item(1, { id: `wch_1${tenantId}` }), item(2, { id: `wch_2${tenantId}` })],
        })
      const erasure = {
        identityType: "email",
        reason: "subject_request",
        reference: null,
        at,
      } as const
      const erase = (n: number, tenantId: number | null) =>
        records.eraseSubject({ ...erasure, actor: "test", identityKey: keyOf(n), tenantId })
      const counts = async (): Promise<number[]> =>
        await Promise.all([acme, other].map(({ tenantId }) => records.countWatchItems(tenantId)))
      await erase(1, acme.tenantId)
      assert.deepEqual(await counts(), [1, 2])
      await erase(2, null)
      assert.deepEqual(await counts(), [0, 1])
      await records.eraseAgain({ identityKey: keyOf(1), erasedAt: at })
      assert.deepEqual(await counts(), [0, 0])
      const stale = { tenantId: acme.tenantId, version: "v2", limit: 9 }
      assert.deepEqual(await records.staleWatchDomains(stale), [])
    },
  )
}
