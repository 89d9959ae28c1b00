import assert from "node:assert/strict"
import type { Records } from "../src/records.ts"
import {
  type NewStream,
  NOTES_MAX,
  type SharedKey,
  STREAMS_MAX,
} from "../src/records-shared-signals.ts"
import { event } from "./records-events-suite.ts"
import { tenants } from "./records-feedback-suite.ts"
import { hashOf, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 10, 18)
const by = { actor: "key:k1", requestId: "r1" }
const KINDS = ["exposure.added"] as const

export function newStream(tenantId: number, id: string, changes: Partial<NewStream> = {}) {
  return {
    ...{ id, tenantId, at, ...by, audience: `https://${id}.example` },
    ...{ method: "push", url: `https://${id}.example/events`, authorization: hashOf(id) },
    ...{ description: "", dialect: "standard", subjectFormat: "opaque", subjectIssuer: null },
    ...{ events: ["urn:one"], ...changes },
  } as const satisfies NewStream
}

async function verify(records: Records, tenantId: number, id: string, noteId: string, when = at) {
  const note = { id: noteId, kind: "verification", data: { state: noteId } } as const
  return await records.askVerification({ tenantId, id, note, at: when, notAfter: when - 5_000 })
}

/** Streams of OpenID Shared Signals, and their keys. */
export function recordsSharedSignalsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("a stream is kept with its settings, for its tenant alone", async (openings) => {
    const { records, open } = openings
    const { acme, other: globex } = await tenants(openings)
    await records.addEvents([event(acme.tenantId)])
    const made = await records.createStream(newStream(acme.tenantId, "one"))
    assert.deepEqual(
      [made.status, made.reason, made.failures, made.fault, made.verification, made.takenAt],
      ["enabled", null, 0, null, null, null],
    )
    assert.equal(made.seq, await records.newestEvent({ tenantId: acme.tenantId }))
    const again = await open()
    const place = { tenantId: acme.tenantId, id: "one" }
    assert.deepEqual(await again.stream(place), made)
    assert.deepEqual(await again.streams(place), [made])
    const others = { tenantId: globex.tenantId, id: "one" }
    assert.equal(await again.stream(others), null)
    assert.deepEqual(await again.streams(others), [])
    assert.equal(await records.changeStream({ ...others, at, ...by, set: {} }), null)
    assert.equal(await records.deleteStream({ ...others, at, ...by }), false)
    assert.equal(await verify(records, globex.tenantId, "one", "n1"), "not-found")
    assert.equal(await records.leaveOut({ ...others, refHash: hashOf("a") }), false)

    const set = { method: "poll", url: null, authorization: null, audience: ["a", "b"] } as const
    const changed = await records.changeStream({ ...place, at: at + 1, ...by, set })
    assert.deepEqual(changed, { ...made, ...set, changedAt: at + 1 })
    const [entry] = await records.audit({ limit: 1 })
    assert.equal(entry?.action, "shared-signals.change")
    assert.ok(!JSON.stringify(entry.detail).includes("example"), "no URL is in the trail")

    assert.equal(await records.deleteStream({ ...place, at, ...by }), true)
    assert.deepEqual(await records.streams(place), [])
  })

  onRecords("a tenant has so many streams and no more", async (openings) => {
    const { records } = openings
    const { acme, other: globex } = await tenants(openings)
    for (let n = 0; n < STREAMS_MAX; n++)
      await records.createStream(newStream(acme.tenantId, `s${n}`))
    const oneMore = records.createStream(newStream(acme.tenantId, "more"))
    await assert.rejects(oneMore, refusedAs("name-taken"))
    await records.createStream(newStream(globex.tenantId, "theirs"))
  })

  onRecords("a paused stream holds its place, and a disabled one begins anew", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const place = { tenantId: acme.tenantId, id: "one" }
    const { seq } = await records.createStream(newStream(acme.tenantId, "one"))
    const to = async (status: "enabled" | "paused" | "disabled") =>
      await records.changeStream({ ...place, at, ...by, status: { status, reason: "why" } })
    assert.equal((await to("paused"))?.reason, "why")
    await records.addEvents([event(acme.tenantId)])
    assert.equal((await to("enabled"))?.seq, seq)
    await verify(records, acme.tenantId, "one", "n1")
    await to("disabled")
    assert.deepEqual(await records.streamNotes({ id: "one", limit: 9 }), [])
    await records.addEvents([event(acme.tenantId)])
    const newest = await records.newestEvent({ tenantId: acme.tenantId })
    assert.equal((await to("enabled"))?.seq, newest)
    assert.ok(newest > seq)
  })

  onRecords("what is taken out of order is known until those before it are", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const place = { tenantId: acme.tenantId, id: "one" }
    const { seq } = await records.createStream(newStream(acme.tenantId, "one", { method: "poll" }))
    const sets = [3, 1].map((n) => ({ jti: `evt_${n}.risk`, seq: seq + n }))
    const taken = { ...place, at, notes: [], sets, verified: false, fault: null }
    await records.acknowledge(taken)
    await records.acknowledge(taken)
    assert.deepEqual((await records.streamAcks(place)).toSorted(), ["evt_1.risk", "evt_3.risk"])
    assert.equal((await records.stream(place))?.takenAt, at)
    await records.moveStream({ id: "one", seq: seq + 2 })
    await records.moveStream({ id: "one", seq: seq + 1 })
    assert.equal((await records.stream(place))?.seq, seq + 2)
    assert.deepEqual(await records.streamAcks(place), ["evt_3.risk"])
    await records.acknowledge({ ...taken, sets: [], fault: "invalid_key" })
    assert.deepEqual((await records.stream(place))?.fault, { at, code: "invalid_key" })
  })

  onRecords("a verification is asked for now and then, and waits until taken", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const place = { tenantId: acme.tenantId, id: "one" }
    await records.createStream(newStream(acme.tenantId, "one"))
    assert.equal(await verify(records, acme.tenantId, "one", "n1"), "asked")
    assert.equal(await verify(records, acme.tenantId, "one", "n2", at + 4_999), "too-soon")
    assert.equal(await verify(records, acme.tenantId, "one", "n3", at + 5_000), "asked")
    const waiting = await records.streamNotes({ id: "one", limit: 9 })
    assert.deepEqual(waiting, [
      { id: "n1", kind: "verification", at, data: { state: "n1" } },
      { id: "n3", kind: "verification", at: at + 5_000, data: { state: "n3" } },
    ])
    const taken = { ...place, at: at + 6_000, sets: [], fault: null }
    await records.acknowledge({ ...taken, notes: ["n3"], verified: true })
    assert.deepEqual((await records.stream(place))?.verification, {
      askedAt: at + 5_000,
      takenAt: at + 6_000,
    })
    await records.forgetStreamNotes({ before: at + 1 })
    assert.deepEqual(await records.streamNotes({ id: "one", limit: 9 }), [])
    for (let n = 0; n < NOTES_MAX; n++)
      await verify(records, acme.tenantId, "one", `many ${n}`, at + n * 10_000)
    const later = at + NOTES_MAX * 10_000
    assert.equal(await verify(records, acme.tenantId, "one", "more", later), "too-soon")
  })

  onRecords("one sender at a time pushes to a stream", async (openings) => {
    const { records, open } = openings
    const { acme, other: globex } = await tenants(openings)
    const other = await open()
    const place = { tenantId: acme.tenantId, id: "one" }
    assert.equal(await records.hasPushStream(), false)
    const { seq } = await records.createStream(newStream(acme.tenantId, "one"))
    await records.createStream(newStream(globex.tenantId, "idle"))
    await records.createStream(newStream(acme.tenantId, "polled", { method: "poll" }))
    assert.equal(await records.hasPushStream(), true)
    const due = async (when: number) => await records.dueStreams({ at: when, kinds: KINDS })
    await records.addEvents([event(acme.tenantId, { kind: "key.created" })])
    assert.deepEqual(await due(at), [])
    await records.addEvents([event(acme.tenantId)])
    assert.deepEqual(await due(at), [place])
    const waiting = { tenantId: acme.tenantId, after: seq, kinds: KINDS, limit: 9 }
    assert.equal((await records.waitingEvents(waiting)).count, 1)
    assert.deepEqual(await records.waitingEvents({ ...waiting, tenantId: globex.tenantId }), {
      ...{ count: 0, oldestAt: null },
    })

    const until = at + 60_000
    const claims = await Promise.all([
      records.claimStream({ ...place, at, until, claim: "a" }),
      other.claimStream({ ...place, at, until, claim: "b" }),
    ])
    assert.equal(claims.filter((each) => each !== null).length, 1)
    assert.deepEqual(await due(at), [])
    // One that died has it for a while.
    assert.deepEqual(await due(until), [place])
    const claim = claims[0] === null ? "b" : "a"
    const settled = {
      ...{ id: "one", claim, changedAt: at, at, notes: [], verified: false, pause: null },
    }
    const fault = { code: "timed-out", nextAt: at + 1_000 }
    await records.settleStream({ ...settled, seq, taken: false, fault })
    assert.deepEqual(await due(at + 999), [])
    assert.deepEqual(await due(at + 1_000), [place])
    const failed = await records.stream(place)
    assert.deepEqual([failed?.failures, failed?.fault], [1, { at, code: "timed-out" }])
    // One that is changed while it is sent to is tried at once.
    assert.equal(await records.claimStream({ ...place, at, until, claim: "e" }), null)
    await records.claimStream({ ...place, at: at + 1_000, until, claim: "d" })
    await records.changeStream({ ...place, at: at + 1, ...by, set: { url: "https://b.example/" } })
    await records.settleStream({ ...settled, claim: "d", seq, taken: false, fault })
    assert.deepEqual(await due(at), [place])
    await other.claimStream({ ...place, at, until, claim: "c" })
    const newest = await records.newestEvent({ tenantId: acme.tenantId })
    await records.settleStream({
      ...{ ...settled, claim: "c", changedAt: at + 1, seq: newest, taken: true, fault: null },
    })
    const well = await records.stream(place)
    assert.deepEqual([well?.seq, well?.failures, well?.fault], [newest, 0, null])
    assert.deepEqual(await due(at + 1_000), [])
  })

  onRecords("a receiver that refuses has its stream paused, and is told so", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const place = { tenantId: acme.tenantId, id: "one" }
    const { seq } = await records.createStream(newStream(acme.tenantId, "one"))
    const note = { id: "n1", kind: "stream-updated", data: { status: "paused" } } as const
    const pause = { reason: "refused", note }
    const settled = {
      ...{ id: "one", changedAt: at, at, seq, taken: false, notes: [], verified: false, pause },
    }
    const fault = { code: "invalid_key", nextAt: at }
    await records.claimStream({ ...place, at, until: at + 1, claim: "a" })
    await records.settleStream({ ...settled, claim: "not this one", fault })
    assert.equal((await records.stream(place))?.status, "enabled")
    await records.settleStream({ ...settled, claim: "a", fault })
    const paused = await records.stream(place)
    assert.deepEqual([paused?.status, paused?.reason], ["paused", "refused"])
    await records.addEvents([event(acme.tenantId)])
    // Held, but for what is about the stream itself.
    assert.deepEqual(await records.dueStreams({ at, kinds: KINDS }), [place])
    await records.acknowledge({
      ...{ ...place, at, notes: ["n1"], sets: [], verified: false, fault: null },
    })
    assert.deepEqual(await records.dueStreams({ at, kinds: KINDS }), [])
    const [entry] = await records.audit({ limit: 1 })
    assert.deepEqual([entry?.action, entry?.tenantId], ["shared-signals.pause", acme.tenantId])
  })

  onRecords("whom a stream leaves out is known by a hash", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const place = { tenantId: acme.tenantId, id: "one" }
    await records.createStream(newStream(acme.tenantId, "one"))
    const [anna, ben] = [hashOf("anna"), hashOf("ben")]
    assert.equal(await records.leaveOut({ ...place, refHash: anna }), true)
    assert.equal(await records.leaveOut({ ...place, refHash: anna }), true)
    const leftOut = async () => {
      const found = await records.leftOut({ id: "one", refHashes: [anna, ben] })
      return found.map((hash) => Buffer.from(hash).toString("hex"))
    }
    assert.deepEqual(await leftOut(), [Buffer.from(anna).toString("hex")])
    assert.deepEqual(await records.leftOut({ id: "one", refHashes: [] }), [])
    assert.equal(await records.takeBackIn({ ...place, refHash: anna }), true)
    assert.deepEqual(await leftOut(), [])
  })

  onRecords("of two that rotate at once one adds a key", async (openings) => {
    const { records, open } = openings
    const other = await open()
    const key = (id: string, signsFrom: number): SharedKey => ({
      ...{ id, sealed: hashOf(id), publicKey: { kty: "RSA", n: id }, createdAt: at, signsFrom },
    })
    const add = async (to: Records, id: string, after: string | null, signsFrom = at) =>
      await to.addSharedKey({ at, ...by, key: key(id, signsFrom), after })
    const first = await Promise.all([add(records, "a", null), add(other, "b", null)])
    assert.deepEqual(first.toSorted(), [false, true])
    const [kept] = await records.sharedKeys()
    const id = kept?.id ?? ""
    assert.equal(await add(records, "c", "neither"), false)
    assert.equal(await add(records, "c", id, at + 1), true)
    assert.equal(await add(other, "d", id, at + 2), false)
    assert.deepEqual(await other.sharedKeys(), [key(id, at), key("c", at + 1)])
    await records.deleteSharedKeys([id])
    assert.deepEqual(await records.sharedKeys(), [key("c", at + 1)])
  })
}
