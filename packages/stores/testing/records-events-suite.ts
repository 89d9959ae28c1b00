import assert from "node:assert/strict"
import { setImmediate } from "node:timers/promises"

import type { EventKind } from "@assay/core/contract"
import { derivedEventId, eventId } from "../src/event-id.ts"
import type { ClaimedDelivery, Settlement } from "../src/records-deliveries.ts"
import type { NewEvent } from "../src/records-events.ts"
import type { Records } from "../src/records.ts"
import { WEBHOOKS_MAX, type NewWebhook } from "../src/records-webhooks.ts"
import { tenants } from "./records-feedback-suite.ts"
import { hashOf, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1, 12)
const actor = "key:k1"
const alice = hashOf("alice").slice(0, 16)
const bob = hashOf("bob").slice(0, 16)
const RISK = "risk.email.changed"
const EXPOSURE = "exposure.added"

export function event(tenantId: number | null, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    ...{ id: eventId(), tenantId, kind: EXPOSURE, at, ref: null, identityKey: null },
    ...{ sealed: null, data: { n: 1 }, ...changes },
  }
}

export function webhook(
  tenantId: number | null,
  id: string,
  changes: Partial<NewWebhook> = {},
): NewWebhook {
  const secret = { id: `${id}_1`, scheme: "v1", sealed: hashOf(id), publicKey: null } as const
  return {
    ...{ id, tenantId, url: `https://${id}.example/`, description: "", at, actor },
    ...{ kinds: [EXPOSURE, RISK], secrets: [secret], ...changes },
  }
}

/** Of each identity the first event alone, and those about nobody. */
function firstOfEach(events: readonly NewEvent[]): NewEvent[] {
  const seen = new Set<string>()
  return events.filter(({ identityKey }) => {
    if (identityKey === null) return true
    const name = Buffer.from(identityKey).toString("hex")
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/** Deletions beside attempts that are noted; of ten about one met one of them where it could. */
const ROUNDS = 20

let claims = 0

/** Takes what is due of a webhook. */
async function claimed(
  records: Records,
  webhookId: string,
  when = at,
  limit = 10,
): Promise<ClaimedDelivery[]> {
  const claim = `claim ${++claims}`
  return await records.claimDeliveries({ webhookId, at: when, until: when + 60_000, claim, limit })
}

const answered = { at, status: 200, error: null, durationMs: 5, response: "ok" }
const failed = { ...answered, status: 500 }

async function settle(
  records: Records,
  { id, claim }: ClaimedDelivery,
  then: Settlement["then"],
  when = at,
): Promise<boolean> {
  const answer = then === "delivered" ? answered : failed
  return (await records.settleDelivery({ id, claim, ...answer, at: when, then })).disabled
}

async function statuses(
  records: Records,
  tenantId: number | null,
  webhookId: string,
): Promise<string[]> {
  const page = await records.deliveries({ tenantId, webhookId, limit: 100 })
  return page.map(({ status }) => status).toReversed()
}

/** What happened, whom to tell of it, and what became of that. */
export function recordsEventsSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords(
    "whoever waits is told once events are there, and of nothing else",
    async (openings) => {
      const { acme } = await tenants(openings)
      const seen: Promise<number>[] = []
      const records = await openings.open({
        onEvents: () => void seen.push(openings.records.newestEvent()),
      })
      await records.createWebhook(webhook(acme.tenantId, "whk_1"))
      seen.length = 0
      const added = event(acme.tenantId)
      await records.addEvents([added])
      assert.equal(seen.length, 1)
      assert.equal(await seen[0], await records.newestEvent())
      const [claim] = await claimed(records, "whk_1")
      assert.ok(claim !== undefined)
      await settle(records, claim, "delivered")
      await records.addEvents([])
      await assert.rejects(records.addEvents([event(acme.tenantId + 1000)]))
      assert.equal(seen.length, 1)
    },
  )

  onRecords("events are read forward by their owner alone", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    const first = event(tenantId, { ref: "r1", identityKey: alice, sealed: hashOf("sealed") })
    const ofOther = event(other.tenantId)
    const ofService = event(null, { kind: "import.finished" })
    const second = event(tenantId, { kind: "key.created" })
    // Making the keys of the tenants was the first that happened.
    const start = await records.newestEvent()
    assert.equal(await records.newestEvent({ tenantId: null }), 0)
    assert.equal(await records.addEvents([first, ofOther, ofService, second]), 4)
    const read = async (owner: number | null, after = start): Promise<NewEvent[]> => {
      const page = await records.eventsAfter({ tenantId: owner, after, limit: 10 })
      return page.map(({ seq, ...rest }) => {
        assert.ok(seq > after)
        return rest
      })
    }
    assert.deepEqual(await read(tenantId), [first, second])
    assert.deepEqual(await read(other.tenantId), [ofOther])
    assert.deepEqual(await read(null), [ofService])
    const [{ seq } = { seq: 0 }] = await records.eventsAfter({ tenantId, after: start, limit: 1 })
    assert.deepEqual(await read(tenantId, seq), [second])
    const newestOf = async (owner: number | null): Promise<NewEvent[]> =>
      await read(owner, (await records.newestEvent({ tenantId: owner })) - 1)
    assert.deepEqual(await newestOf(tenantId), [second])
    assert.deepEqual(await newestOf(other.tenantId), [ofOther])
    assert.deepEqual(await newestOf(null), [ofService])
    assert.equal(await records.newestEvent(), await records.newestEvent({ tenantId }))
    assert.deepEqual((await records.event({ tenantId, id: first.id }))?.data, first.data)
    for (const owner of [other.tenantId, null])
      assert.equal(await records.event({ tenantId: owner, id: first.id }), null)
    assert.equal((await records.event({ tenantId: null, id: ofService.id }))?.kind, ofService.kind)
    const newest = async (limit: number, of?: EventKind[]): Promise<string[]> => {
      const page = await records.newestEvents({ tenantId, limit, ...(of && { kinds: of }) })
      return page.map(({ id }) => id)
    }
    assert.deepEqual(await newest(2), [first.id, second.id])
    assert.deepEqual(await newest(1), [second.id])
    assert.deepEqual(await newest(1, [EXPOSURE]), [first.id])
    const kinds: EventKind[] = ["key.created"]
    const some = await records.eventsAfter({ tenantId, after: start, kinds, limit: 10 })
    assert.deepEqual(
      some.map(({ id }) => id),
      [second.id],
    )
  })

  onRecords(
    "what becomes of a key is an event of its owner, and each of it once",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      const start = {
        owner: await records.newestEvent({ tenantId }),
        all: await records.newestEvent(),
      }
      const key = (id: string): Parameters<Records["createKey"]>[0] => ({
        ...{ id, tenantId, hash: hashOf(id), hint: `ask_…${id}`, label: "checkout" },
        ...{ scopes: ["score"], at, expiresAt: null, actor: "shell:root" },
      })
      await records.createKey(key("one"))
      const next = { id: "two", hash: hashOf("two"), hint: "ask_…two", expiresAt: at + 9_000 }
      const by = { at: at + 1_000, actor: "person:7" }
      await records.rotateKey({ id: "one", newKey: next, overlapUntil: at + 5_000, ...by })
      await records.revokeKey({ id: "two", ...by })
      await records.revokeKey({ id: "two", ...by })
      await assert.rejects(records.createKey(key("one")), refusedAs("key-taken"))
      await records.createKey({ ...key("three"), tenantId: null })
      const page = await records.eventsAfter({ tenantId, after: start.owner, limit: 10 })
      assert.deepEqual(
        page.map(({ kind, at: happened, data }) => [kind, happened, data]),
        [
          [
            "key.created",
            at,
            {
              ...{ key_id: "one", hint: "ask_…one", label: "checkout", scopes: ["score"] },
              ...{ expires_at: null, actor: "operator" },
            },
          ],
          [
            "key.rotated",
            at + 1_000,
            {
              ...{ key_id: "two", hint: "ask_…two", label: "checkout", scopes: ["score"] },
              ...{ expires_at: new Date(at + 9_000).toISOString(), replaces: "one" },
              ...{ replaced_expires_at: new Date(at + 5_000).toISOString(), actor: "person:7" },
            },
          ],
          [
            "key.revoked",
            at + 1_000,
            { key_id: "two", hint: "ask_…two", label: "checkout", actor: "person:7" },
          ],
        ],
      )
      const ofService = await records.eventsAfter({ tenantId: null, after: start.all, limit: 10 })
      assert.deepEqual(
        ofService.map(({ kind, data }) => [kind, (data as { actor: string }).actor]),
        [["key.created", "shell:root"]],
      )
    },
  )

  onRecords("a key whose month is used up is told once a month", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const key = { id: "one", tenantId, hash: hashOf("one"), hint: "ask_…one", label: "checkout" }
    const by = { scopes: ["score"], at, expiresAt: null, actor: "shell:root" }
    await records.createKey({ ...key, ...by })
    const after = await records.newestEvent()
    const second = await openings.open()
    const reached = { keyId: "one", month: "2026-03", lookupsPerMonth: 1_000, at: at + 5 }
    await Promise.all([records.tellQuotaReached(reached), second.tellQuotaReached(reached)])
    await records.tellQuotaReached({ ...reached, at: at + 9 })
    await records.tellQuotaReached({ ...reached, month: "2026-04" })
    const page = await records.eventsAfter({ tenantId, after, limit: 10 })
    assert.deepEqual(
      page.map(({ kind, at: happened, data }) => [kind, happened, data]),
      ["2026-03", "2026-04"].map((month) => [
        "key.quota_reached",
        at + 5,
        {
          ...{ key_id: "one", hint: "ask_…one", label: "checkout" },
          ...{ month, lookups_per_month: 1_000 },
        },
      ]),
    )
    await assert.rejects(
      records.tellQuotaReached({ ...reached, keyId: "none" }),
      refusedAs("not-found"),
    )
  })

  onRecords("of the digests of the drop only the last is kept", async (openings) => {
    const { records } = openings
    await records.createWebhook(
      webhook(null, "whk_1", { kinds: ["drop.digest", "import.finished"] }),
    )
    const other = event(null, { kind: "import.finished" })
    await records.addEvents([other])
    const digest = (day: number): NewEvent =>
      event(null, { id: derivedEventId(["drop.digest", day]), kind: "drop.digest", at: at + day })
    await records.setDropDigest(digest(1))
    await records.setDropDigest(digest(2))
    await records.setDropDigest(digest(2))
    const page = await records.eventsAfter({ tenantId: null, after: 0, limit: 10 })
    assert.deepEqual(
      page.map(({ id }) => id),
      [other.id, digest(2).id],
    )
    assert.deepEqual(await statuses(records, null, "whk_1"), ["pending", "pending"])
  })

  onRecords("an event that is derived twice is told once", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    const id = derivedEventId([7, tenantId, alice, EXPOSURE])
    assert.notEqual(id, derivedEventId([7, tenantId, bob, EXPOSURE]))
    assert.notEqual(derivedEventId(["a b", "c"]), derivedEventId(["a", "b c"]))
    assert.equal(await records.addEvents([event(tenantId, { id })]), 1)
    assert.equal(await records.addEvents([event(tenantId, { id }), event(tenantId)]), 1)
    assert.deepEqual(await statuses(records, tenantId, "whk_1"), ["pending", "pending"])
  })

  onRecords(
    "of a thousand events at once those known, repeated or about the erased are left out, and the rest told in their order",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      await records.createWebhook(webhook(tenantId, "whk_1"))
      await records.eraseSubject({
        ...{ identityKey: alice, identityType: "email", reason: "incident", reference: null },
        ...{ at, actor, tenantId: null },
      })
      const known = event(tenantId, { ref: "known" })
      await records.addEvents([known])
      const after = await records.newestEvent()
      const shared = { n: "of two events" }
      const all = Array.from({ length: 1_100 }, (_, n) =>
        event(n % 50 === 0 ? null : tenantId, {
          ref: n % 3 === 0 ? null : `r${n}`,
          identityKey: [null, alice, bob][n % 5] ?? hashOf(`key ${n}`).slice(0, 16),
          sealed: n % 7 === 0 ? hashOf(`sealed ${n}`) : null,
          data: n % 11 < 2 ? shared : { n },
        }),
      )
      const first = all[0] as NewEvent
      const again = { ...known, ref: "changed" }
      const wanted = all.filter(({ identityKey }) => identityKey !== alice)
      const added = await records.addEvents([...all.slice(0, 40), again, ...all.slice(40), first])
      assert.equal(added, wanted.length)
      assert.equal(await records.addEvents([...all, again]), 0)
      const left = async (owner: number | null): Promise<NewEvent[]> => {
        const page = await records.eventsAfter({ tenantId: owner, after, limit: 2_000 })
        return page.map(({ seq: _, ...rest }) => rest)
      }
      for (const owner of [tenantId, null])
        assert.deepEqual(
          await left(owner),
          wanted.filter((each) => each.tenantId === owner),
        )
      assert.equal((await records.event({ tenantId, id: known.id }))?.ref, "known")
      const told = await claimed(records, "whk_1", at, 2_000)
      assert.deepEqual(
        told.map((delivery) => delivery.event.id).filter((id) => id !== known.id),
        // One identity's go one after the other: the second of bob's waits for the first.
        firstOfEach(wanted.filter((each) => each.tenantId === tenantId)).map(({ id }) => id),
      )
    },
  )

  onRecords("two processes that add at once leave no number behind a reader", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const second = await openings.open()
    const seen: number[] = []
    let last = 0
    const reader = async (): Promise<void> => {
      const page = await records.eventsAfter({ tenantId, after: last, limit: 1_000 })
      seen.push(...page.map(({ seq }) => seq))
      last = seen.at(-1) ?? 0
    }
    const state = { writing: true }
    const many = (writer: Records): Promise<unknown> =>
      (async () => {
        for (let n = 0; n < 20; n++)
          await writer.addEvents(Array.from({ length: 1 + (n % 7) }, () => event(tenantId)))
      })()
    const writers = Promise.all([many(records), many(second)]).finally(
      () => (state.writing = false),
    )
    while (state.writing) {
      await reader()
      // Others wait for the lock by timers.
      await setImmediate()
    }
    await writers
    await reader()
    const all = await records.eventsAfter({ tenantId, after: 0, limit: 1_000 })
    assert.deepEqual(
      seen,
      all.map(({ seq }) => seq),
    )
  })

  onRecords("only webhooks that ask for it, and are enabled, are told", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.createWebhook(webhook(tenantId, "whk_keys", { kinds: ["key.created"] }))
    await records.createWebhook(webhook(tenantId, "whk_off"))
    await records.createWebhook(webhook(other.tenantId, "whk_other"))
    await records.createWebhook(webhook(null, "whk_service"))
    const off = { tenantId, id: "whk_off", enabled: false, at, actor }
    assert.equal((await records.changeWebhook(off))?.disabled?.reason, "by-hand")
    await records.addEvents([event(tenantId)])
    assert.deepEqual(await records.dueWebhooks(at - 1), [])
    assert.deepEqual(await records.dueWebhooks(at), [
      { id: "whk_1", url: "https://whk_1.example/" },
    ])
    assert.equal((await claimed(records, "whk_1")).length, 1)
    for (const id of ["whk_keys", "whk_off", "whk_other", "whk_service"])
      assert.deepEqual(await claimed(records, id), [])
    assert.deepEqual(await records.dueWebhooks(at), [])
    // Nobody reads another's deliveries.
    assert.equal((await statuses(records, tenantId, "whk_1")).length, 1)
    assert.deepEqual(await statuses(records, other.tenantId, "whk_1"), [])
    assert.deepEqual(await statuses(records, null, "whk_1"), [])
  })

  onRecords("a claim is one claimer's until it runs out", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const second = await openings.open()
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.addEvents(Array.from({ length: 40 }, () => event(tenantId)))
    const takes = await Promise.all(
      [records, second, records, second].map((each) => claimed(each, "whk_1", at, 10)),
    )
    const ids = takes.flat().map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (let more = ids.length; more < 40; more += 10) ids.push(...(await idsOf(records, at)))
    assert.equal(new Set(ids).size, 40)
    assert.deepEqual(await claimed(records, "whk_1", at + 59_999), [])
    const again = await claimed(second, "whk_1", at + 60_000, 100)
    assert.equal(again.length, 40)
    // The first claimer's claim ran out: its failure is none of the second's, its success is true.
    const [lost, late] = takes.flat() as [ClaimedDelivery, ClaimedDelivery]
    await settle(records, lost, { retryAt: at + 1 })
    await settle(records, late, "delivered")
    assert.deepEqual(await claimed(records, "whk_1", at + 60_001), [])
    const page = await records.deliveries({ tenantId, webhookId: "whk_1", limit: 100 })
    const delivered = page.filter(({ status }) => status === "delivered")
    assert.deepEqual(
      delivered.map(({ id }) => id),
      [late.id],
    )
    // Given back they are there at once.
    await second.releaseDeliveries(again)
    assert.equal((await claimed(records, "whk_1", at + 60_002, 100)).length, 39)
  })

  onRecords("about one identity the next goes after the one before", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    const [a1, a2, b1] = [alice, alice, bob].map((identityKey) => event(tenantId, { identityKey }))
    await records.addEvents([a1, a2, b1] as NewEvent[])
    const [first, ofBob, ...rest] = await claimed(records, "whk_1")
    assert.ok(first !== undefined && ofBob !== undefined)
    assert.deepEqual([first.event.id, ofBob.event.id, rest], [a1?.id, b1?.id, []])
    await settle(records, first, { retryAt: at + 5_000 })
    await settle(records, ofBob, "delivered")
    assert.deepEqual(await claimed(records, "whk_1", at + 4_999), [])
    const [retried] = await claimed(records, "whk_1", at + 5_000)
    assert.ok(retried !== undefined)
    assert.deepEqual([retried.event.id, retried.attempt], [a1?.id, 1])
    // Given up: dead and listed, and the next one goes.
    await settle(records, retried, "given-up", at + 5_001)
    assert.deepEqual(
      (await claimed(records, "whk_1", at + 5_001)).map((each) => each.event.id),
      [a2?.id],
    )
    const dead = { tenantId, webhookId: "whk_1", status: "dead", limit: 10 } as const
    assert.deepEqual(
      (await records.deliveries(dead)).map((each) => each.event.id),
      [a1?.id],
    )
  })

  onRecords("a newer change of risk replaces those that wait", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.createWebhook(webhook(other.tenantId, "whk_2"))
    const change = (of: number, identityKey = alice): NewEvent =>
      event(of, { kind: RISK, identityKey })
    await records.addEvents([change(tenantId), change(tenantId, bob), change(other.tenantId)])
    await records.addEvents([event(tenantId, { identityKey: alice }), change(tenantId)])
    assert.deepEqual(
      await statuses(records, tenantId, "whk_1"),
      ["replaced", "pending", "pending", "pending"],
      "only that of the same identity and kind",
    )
    assert.deepEqual(await statuses(records, other.tenantId, "whk_2"), ["pending"])
    // Also among events that come together.
    await records.addEvents([change(tenantId, bob), change(tenantId, bob)])
    assert.deepEqual((await statuses(records, tenantId, "whk_1")).slice(-2), [
      "replaced",
      "pending",
    ])
  })

  onRecords("one that gives way while it is sent goes before its successor", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    const change = (): NewEvent => event(tenantId, { kind: RISK, identityKey: alice })
    await records.addEvents([change()])
    const [sending] = await claimed(records, "whk_1")
    assert.ok(sending !== undefined)
    await records.addEvents([change()])
    assert.deepEqual(await claimed(records, "whk_1"), [], "the older one may still arrive")
    await settle(records, sending, { retryAt: at })
    assert.deepEqual(await statuses(records, tenantId, "whk_1"), ["replaced", "pending"])
    assert.equal((await claimed(records, "whk_1")).length, 1)
    // If its sender dies, the claim runs out.
    await records.addEvents([change()])
    assert.deepEqual(await claimed(records, "whk_1", at + 59_999), [])
    assert.equal((await claimed(records, "whk_1", at + 60_000)).length, 1)
  })

  onRecords("a webhook that nothing reaches is disabled, and its owner told", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.createWebhook(webhook(tenantId, "whk_2", { kinds: ["webhook.disabled"] }))
    const [lost, waiting] = [event(tenantId), event(tenantId)]
    await records.addEvents([lost])
    const [delivery] = await claimed(records, "whk_1")
    assert.ok(delivery !== undefined)
    await records.addEvents([waiting])
    assert.equal(await settle(records, delivery, "given-up"), true)
    assert.deepEqual(await statuses(records, tenantId, "whk_1"), ["dead", "dead"])
    const why = { reason: "failing", eventId: lost.id, kind: EXPOSURE, status: 500, error: null }
    assert.deepEqual((await records.webhook({ tenantId, id: "whk_1" }))?.disabled, { at, ...why })
    const [notice] = await claimed(records, "whk_2")
    assert.equal(notice?.event.kind, "webhook.disabled")
    assert.deepEqual(notice.event.data, {
      ...{ webhook_id: "whk_1", reason: "failing", event_id: lost.id, event_type: EXPOSURE },
      ...{ attempts: 1, last_status: 500, last_error: null },
    })
    const [entry] = await records.audit({ limit: 1, tenantId })
    assert.equal(entry?.action, "webhook.disable")

    // Nothing is queued for it until it is enabled; then a replay brings what it missed.
    const missed = event(tenantId)
    await records.addEvents([missed])
    const replay = {
      ...{ tenantId, id: "whk_1", at, since: at - 1, until: at, delivered: false },
      ...{ perSecond: 2, after: 0, queued: 0, limit: 2 },
    }
    assert.deepEqual(await records.queueReplay(replay), { queued: 0, after: null })
    const enabled = await records.changeWebhook({
      ...{ tenantId, id: "whk_1", enabled: true, at, actor },
    })
    assert.equal(enabled?.disabled, null)
    const first = await records.queueReplay(replay)
    assert.equal(first.queued, 2)
    const rest = await records.queueReplay({ ...replay, ...first, after: first.after ?? 0 })
    assert.deepEqual(rest, { queued: 3, after: null })
    const at500 = await claimed(records, "whk_1", at + 500)
    assert.deepEqual(
      at500.map((each) => each.event.id),
      [lost.id, waiting.id],
      "two a second",
    )
    const [last] = await claimed(records, "whk_1", at + 1_000)
    assert.equal(last?.event.id, missed.id)
    for (const each of [...at500, last]) await settle(records, each, "delivered", at + 1_000)
    assert.deepEqual(await records.queueReplay({ ...replay, limit: 10 }), {
      ...{ queued: 0, after: null },
    })
    const whole = { ...replay, delivered: true, limit: 10 }
    assert.equal((await records.queueReplay(whole)).queued, 3)
  })

  onRecords("a replay leaves out changes of risk that were overtaken", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    const change = (of: number): NewEvent => event(of, { kind: RISK, identityKey: alice })
    const place = { tenantId, id: "whk_1", at, actor }
    await records.addEvents([change(tenantId)])
    await records.changeWebhook({ ...place, enabled: false })
    // The other tenant's is no newer one of this tenant's.
    await records.addEvents([change(tenantId), change(tenantId), change(other.tenantId)])
    await records.changeWebhook({ ...place, enabled: true })
    const replay = {
      ...{ tenantId, id: "whk_1", at, since: at, until: at, delivered: false },
      ...{ perSecond: 10, after: 0, queued: 0, limit: 10 },
    }
    assert.deepEqual(await records.queueReplay(replay), { queued: 1, after: null })
    assert.deepEqual(await statuses(records, tenantId, "whk_1"), [
      ...["replaced", "replaced", "pending"],
    ])
    const [newest] = await claimed(records, "whk_1")
    assert.ok(newest !== undefined)
    await settle(records, newest, "delivered")
    assert.equal((await records.queueReplay({ ...replay, delivered: true })).queued, 1)
  })

  onRecords("one event that is refused does not disable a webhook that works", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.addEvents([event(tenantId)])
    const [refused] = await claimed(records, "whk_1")
    assert.ok(refused !== undefined)
    await settle(records, refused, { retryAt: at + 10 }, at)
    await records.addEvents([event(tenantId)])
    const [fine] = await claimed(records, "whk_1", at + 1)
    assert.ok(fine !== undefined)
    await settle(records, fine, "delivered", at + 1)
    const [again] = await claimed(records, "whk_1", at + 10)
    assert.ok(again !== undefined)
    assert.equal(await settle(records, again, "given-up", at + 10), false)
    assert.equal((await records.webhook({ tenantId, id: "whk_1" }))?.disabled, null)
    // 410 does, whatever else it took.
    await records.addEvents([event(tenantId)])
    const [last] = await claimed(records, "whk_1", at + 11)
    assert.ok(last !== undefined)
    assert.equal(await settle(records, last, "gone", at + 11), true)
  })

  onRecords("a single shot changes nothing but what it delivered", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    const place = { tenantId, id: "whk_1" }
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.addEvents([event(tenantId)])
    const [claim] = await claimed(records, "whk_1")
    assert.ok(claim !== undefined)
    await settle(records, claim, { retryAt: at + 5_000 })
    const deliveryId = claim.id
    const wrong = { ...place, tenantId: other.tenantId, deliveryId }
    assert.equal(await records.deliveryToRepeat(wrong), null)
    const repeated = await records.deliveryToRepeat({ ...place, deliveryId })
    assert.equal(repeated?.event.id, claim.event.id)
    const shot = { ...failed, deliveryId, cause: "replay" } as const
    await records.logShot({ ...shot, delivered: false })
    const before = await records.delivery({ ...place, deliveryId })
    assert.deepEqual(
      [before?.status, before?.attempt, before?.nextAt],
      ["pending", 1, at + 5_000],
      "the schedule goes on as it was",
    )
    await records.logShot({ ...shot, ...answered, delivered: true })
    assert.equal((await records.delivery({ ...place, deliveryId }))?.status, "delivered")
    assert.deepEqual(await claimed(records, "whk_1", at + 5_000), [])
    assert.deepEqual(
      (await records.attempts({ deliveryId, limit: 10 })).map(({ cause, status }) => [
        cause,
        status,
      ]),
      [
        ["replay", 200],
        ["replay", 500],
        ["schedule", 500],
      ],
    )

    const test = event(tenantId, { kind: "webhook.test" })
    assert.equal(await records.addTest({ ...place, tenantId: other.tenantId }, test), null)
    const added = await records.addTest(place, test)
    assert.equal(added?.event.id, test.id)
    assert.deepEqual(await claimed(records, "whk_1", at + 5_000), [], "nobody repeats a test")
  })

  onRecords("erasing takes the events about an identity, told or not", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    await records.createWebhook(webhook(other.tenantId, "whk_2"))
    const start = await records.newestEvent()
    const about = (of: number, identityKey: Uint8Array): NewEvent => event(of, { identityKey })
    const kept = about(tenantId, bob)
    await records.addEvents([about(tenantId, alice), kept, about(other.tenantId, alice)])
    const [sending] = await claimed(records, "whk_1", at, 1)
    assert.ok(sending !== undefined)
    const subject = {
      identityKey: alice,
      identityType: "email",
      reason: "incident",
      reference: null,
      at,
      actor,
    } as const
    await records.eraseSubject({ ...subject, tenantId })
    const left = async (of: number): Promise<string[]> =>
      (await records.eventsAfter({ tenantId: of, after: start, limit: 10 })).map(({ id }) => id)
    assert.deepEqual(await left(tenantId), [kept.id])
    assert.equal((await left(other.tenantId)).length, 1)
    // What was being sent meanwhile leaves no trace.
    await settle(records, sending, "delivered")
    assert.deepEqual(await records.attempts({ deliveryId: sending.id, limit: 10 }), [])
    await records.eraseSubject({ ...subject, tenantId: null })
    assert.deepEqual(await left(other.tenantId), [])
    // And none comes back.
    assert.equal(await records.addEvents([about(tenantId, alice)]), 0)
    assert.deepEqual(await left(tenantId), [kept.id])
  })

  onRecords("old events are forgotten with what became of them", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    const day = 86_400_000
    // Those of making keys.
    await records.forgetEvents({ before: at + day, rowsMax: 9 })
    await records.addEvents([0, 1, 2].map((n) => event(tenantId, { at: at + n * day })))
    const [claim] = await claimed(records, "whk_1")
    assert.ok(claim !== undefined)
    await settle(records, claim, "delivered")
    assert.equal(await records.forgetEvents({ before: at + 2 * day, rowsMax: 1 }), 1)
    assert.equal(await records.forgetEvents({ before: at + 2 * day, rowsMax: 9 }), 1)
    assert.equal(await records.forgetEvents({ before: at + 2 * day, rowsMax: 9 }), 0)
    assert.equal((await records.eventsAfter({ tenantId, after: 0, limit: 9 })).length, 1)
    assert.deepEqual(await statuses(records, tenantId, "whk_1"), ["pending"])
    assert.deepEqual(await records.attempts({ deliveryId: claim.id, limit: 9 }), [])
  })

  onRecords("secrets overlap when they are rotated", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.createWebhook(webhook(tenantId, "whk_1"))
    const secret = { id: "s2", scheme: "v1", sealed: hashOf("s2"), publicKey: null } as const
    const rotation = { tenantId, id: "whk_1", secret, overlapUntil: at + 100, at, actor }
    const elsewhere = { ...rotation, tenantId: other.tenantId }
    assert.equal(await records.rotateSecret(elsewhere), false)
    assert.equal(await records.rotateSecret({ ...rotation, at: at + 1 }), true)
    const key = { id: "k", scheme: "v1a", sealed: hashOf("k"), publicKey: hashOf("pub") } as const
    assert.equal(await records.rotateSecret({ ...rotation, secret: key, at: at + 2 }), true)
    const live = async (when: number): Promise<string[]> =>
      (await records.liveSecrets({ webhookId: "whk_1", at: when })).map(({ id }) => id)
    assert.deepEqual(await live(at + 99), ["k", "s2", "whk_1_1"])
    assert.deepEqual(await live(at + 100), ["k", "s2"])
    assert.deepEqual(await records.webhookKeys(at), [{ id: "k", publicKey: key.publicKey }])
    assert.deepEqual((await records.webhook({ tenantId, id: "whk_1" }))?.schemes, ["v1", "v1a"])
  })

  onRecords("whether any webhook is enabled is known without its owner", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const { tenantId } = acme
    assert.equal(await records.hasEnabledWebhook(), false)
    await records.createWebhook(webhook(tenantId, "whk_1"))
    assert.equal(await records.hasEnabledWebhook(), true)
    const change = { tenantId, id: "whk_1", at: at + 1, actor }
    await records.changeWebhook({ ...change, enabled: false })
    assert.equal(await records.hasEnabledWebhook(), false)
    await records.createWebhook(webhook(null, "whk_2"))
    assert.equal(await records.hasEnabledWebhook(), true)
  })

  onRecords("what is deleted while its attempts are noted is gone whole", async (openings) => {
    const { records, open } = openings
    const { acme } = await tenants(openings)
    const { tenantId } = acme
    const [noting, others] = [await open(), await open()]
    const subject = {
      identityType: "email",
      reason: "incident",
      reference: null,
      at,
      actor,
    } as const
    for (let round = 0; round < ROUNDS; round++) {
      const id = `whk_${round}`
      await records.createWebhook(webhook(tenantId, id))
      const told = Array.from({ length: 8 }, (_, n) =>
        event(tenantId, {
          identityKey: n % 2 === 0 ? alice : hashOf(`${round} ${n}`).slice(0, 16),
        }),
      )
      await records.addEvents(told)
      const shots = (await claimed(records, id)).map(({ id: deliveryId }) => ({ deliveryId }))
      assert.ok(shots.length > 3)
      const note = (on: Records, cause: "replay" | "test"): Promise<unknown>[] =>
        shots.map((shot) => on.logShot({ ...shot, ...failed, cause, delivered: false }))
      const end =
        round % 2 === 0
          ? others.deleteWebhook({ tenantId, id, at, actor })
          : others.eraseSubject({ ...subject, tenantId, identityKey: alice })
      await Promise.all([...note(noting, "replay"), end, ...note(noting, "test")])
      if (round % 2 === 1) await records.deleteWebhook({ tenantId, id, at, actor })
      for (const { deliveryId } of shots)
        assert.deepEqual(await records.attempts({ deliveryId, limit: 1 }), [])
    }
  })

  onRecords("a webhook is its owner's, and is noted without its URL", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    const made = await records.createWebhook(webhook(tenantId, "whk_1"))
    assert.deepEqual(made, {
      ...{ id: "whk_1", tenantId, url: "https://whk_1.example/", description: "" },
      ...{ kinds: [EXPOSURE, RISK], schemes: ["v1"], createdAt: at, changedAt: at, disabled: null },
    })
    const elsewhere = { tenantId: other.tenantId, id: "whk_1", at, actor }
    assert.equal(await records.webhook(elsewhere), null)
    assert.equal(await records.changeWebhook({ ...elsewhere, url: "https://x.example/" }), null)
    assert.equal(await records.deleteWebhook(elsewhere), false)
    assert.deepEqual(await records.webhooks({ tenantId }), [made])
    assert.deepEqual(await records.webhooks({ tenantId: null }), [])
    const change = { tenantId, id: "whk_1", at: at + 1, actor, kinds: [RISK] } as const
    const changed = { ...made, kinds: [RISK], changedAt: at + 1 }
    assert.deepEqual(await records.changeWebhook(change), changed)
    await records.addEvents([event(tenantId, { kind: RISK })])
    const [claim] = await claimed(records, "whk_1")
    assert.ok(claim !== undefined)
    await settle(records, claim, { retryAt: at + 1 })
    assert.equal(await records.deleteWebhook({ tenantId, id: "whk_1", at, actor }), true)
    assert.deepEqual(await records.webhooks({ tenantId }), [])
    const trail = await records.audit({ limit: 10, tenantId })
    assert.deepEqual(
      trail.slice(0, 3).map(({ action }) => action),
      ["webhook.delete", "webhook.change", "webhook.create"],
    )
    assert.ok(!JSON.stringify(trail).includes("whk_1.example"))
    for (let n = 0; n < WEBHOOKS_MAX; n++)
      await records.createWebhook(webhook(tenantId, `whk_n${n}`))
    await assert.rejects(
      records.createWebhook(webhook(tenantId, "whk_over")),
      refusedAs("name-taken"),
    )
    await records.createWebhook(webhook(other.tenantId, "whk_of_other"))
  })

  async function idsOf(records: Records, when: number): Promise<string[]> {
    return (await claimed(records, "whk_1", when)).map(({ id }) => id)
  }
}
