import assert from "node:assert/strict"
import { test } from "node:test"
import { entryBytes, plainEntry } from "@assay/stores/entry"
import type { SentEvidence } from "@assay/stores/records-evidence"
import { hashOf } from "@assay/stores/testing/records-suite"
import type { Records } from "@assay/stores/records"
import { DAY_MS } from "@assay/runtime/time"
import {
  alice,
  assertOverloaded,
  bob,
  erase,
  evidencePlace,
  failing,
  identityKeys,
  newIndex,
  now,
  said,
  start,
  UNAVAILABLE,
} from "../../testing/intake/test-stores.ts"
import { applyAllEvidence } from "./apply-evidence.ts"
import { openEvidenceWriter } from "./evidence-writer.ts"

function notification(
  identityKey: Uint8Array,
  day: number,
  { source = "camara:one", event }: { source?: string; event?: string } = {},
): SentEvidence {
  const entry = entryBytes(plainEntry("sim_change", 24 * day, 1))
  const name = event ?? `${source} ${day} ${String(identityKey)}`
  return { identityKey, source, entry, event: hashOf(name).slice(0, 16) }
}

test("what is stored is in everybody's next lookup, as one source a carrier", async (t) => {
  const { writer, index, records } = await evidencePlace(t)
  assert.equal(await writer.notify(notification(alice, 5)), "stored")
  assert.equal(await writer.notify(notification(alice, 6, { source: "camara:two" })), "stored")
  for (const tenantId of [null, 7, 8])
    assert.deepEqual(await said(index, alice, tenantId), [
      "sim_change 5 camara:one",
      "sim_change 6 camara:two",
    ])
  assert.deepEqual(await said(index, bob, 7), [])
  const { sources, batches } = await index.catalogue()
  assert.equal(batches.size, 2)
  assert.deepEqual(
    [...sources.values()].map(({ name, owner, kind, title }) => [name, owner, kind, title]),
    [
      ["camara:one", "shared", "sim_change", "SIM changes reported by one"],
      ["camara:two", "shared", "sim_change", "SIM changes reported by two"],
    ],
  )
  assert.deepEqual(await records.dueEvidence({ owner: "shared", identities: 9 }), [])
})

test("a notification that comes again, by name or by content, changes nothing", async (t) => {
  const { writer, index } = await evidencePlace(t)
  await writer.notify(notification(alice, 5, { event: "a" }))
  const { version } = await index.catalogue()
  assert.equal(await writer.notify(notification(alice, 5, { event: "a" })), "known")
  assert.equal(await writer.notify(notification(alice, 5, { event: "b" })), "known")
  assert.equal(await writer.notify(notification(bob, 9, { event: "a" })), "known")
  assert.deepEqual(await said(index, alice, 7), ["sim_change 5 camara:one"])
  assert.deepEqual(await said(index, bob, 7), [])
  assert.equal((await index.catalogue()).version, version)
})

test("many at the same time are stored together, each with its own outcome", async (t) => {
  const { records, index } = await evidencePlace(t)
  let writes = 0
  const counted: Records = {
    ...records,
    addEvidence: (...args) => {
      writes++
      return records.addEvidence(...args)
    },
  }
  const writer = openEvidenceWriter({ records: counted, index, now })
  const keys = Array.from({ length: 300 }, (_, n) => hashOf(`${n % 200}`).slice(0, 16))
  const outcomes = await Promise.all(keys.map((key) => writer.notify(notification(key, 5))))
  assert.deepEqual(
    outcomes,
    keys.map((_, n) => (n < 200 ? "stored" : "known")),
  )
  assert.equal(writes, 1)
  for (const key of keys) assert.equal((await said(index, key, 7)).length, 1)
})

test("while the index is away nothing is acknowledged, and nothing is lost", async (t) => {
  const { records, index } = await evidencePlace(t)
  let away = true
  const writer = openEvidenceWriter({
    records,
    index: await failing(index, "addSharedEvidence", () => away),
    now,
  })
  await assert.rejects(writer.notify(notification(alice, 5)), UNAVAILABLE)
  await assert.rejects(writer.notify(notification(alice, 5)), UNAVAILABLE)
  await assert.rejects(writer.settleDue(), UNAVAILABLE)
  assert.deepEqual(await said(index, alice, 7), [])
  away = false
  // Sent again it is known, and is acknowledged only with what is due in the index.
  assert.equal(await writer.notify(notification(alice, 5)), "known")
  assert.deepEqual(await said(index, alice, 7), ["sim_change 5 camara:one"])
})

test("what a process left due is settled by the next one", async (t) => {
  const { writer, records, index } = await evidencePlace(t)
  const lines = [notification(alice, 5), notification(bob, 6)]
  await records.addEvidence({ owner: "shared", keyId: null, receivedAt: start, lines }, null)
  assert.deepEqual(await said(index, alice, 7), [])
  await writer.settleDue()
  assert.deepEqual(await said(index, alice, 7), ["sim_change 5 camara:one"])
  assert.deepEqual(await said(index, bob, 7), ["sim_change 6 camara:one"])
  assert.deepEqual(await records.dueEvidence({ owner: "shared", identities: 9 }), [])
})

test("what is remembered of an identity is dropped when there is something new, and only then", async (t) => {
  const { records, index } = await evidencePlace(t)
  const heard: string[] = []
  const writer = openEvidenceWriter({
    records,
    index,
    now,
    forget: async (key) => void heard.push(key),
  })
  await writer.notify(notification(alice, 5))
  await writer.notify(notification(alice, 5))
  await writer.notify(notification(bob, 5))
  assert.deepEqual(
    heard,
    [alice, bob].map((key) => Buffer.from(key).toString("hex")),
  )
})

test("of an erased subject nothing is stored, in the records or in the index", async (t) => {
  const { writer, records, index } = await evidencePlace(t)
  await erase({ records, index }, alice, "phone")
  assert.equal(await writer.notify(notification(alice, 5)), "erased")
  assert.deepEqual(await said(index, alice, 7), [])
  assert.equal((await index.lookup(alice, null)).erased, true)
  assert.deepEqual(await records.evidenceAfter({ after: null, identities: 9 }), [])
})

test("a source that was removed begins anew, with what comes after", async (t) => {
  const { writer, index } = await evidencePlace(t)
  await writer.notify(notification(alice, 5))
  const [source] = (await index.catalogue()).sources.values()
  await index.removeSource(source?.id ?? 0, start)
  assert.deepEqual(await said(index, alice, 7), [])
  assert.equal(await writer.notify(notification(alice, 6)), "stored")
  assert.deepEqual(await said(index, alice, 7), ["sim_change 6 camara:one"])
})

test("a carrier that sends too many is refused, and others are not held up by it", async (t) => {
  const { records, index } = await evidencePlace(t)
  let ms = start
  const writer = openEvidenceWriter({ records, index, now: () => ms, notificationsPerSecond: 2 })
  const sent = (day: number, source?: string): Promise<string> =>
    writer.notify(notification(alice, day, source === undefined ? {} : { source }))
  await sent(1)
  await sent(2)
  await assert.rejects(sent(3), { name: "Explained", code: "rate-limited" })
  assert.equal(await sent(3, "camara:two"), "stored")
  ms += 1000
  assert.equal(await sent(3), "stored")
})

test("a clock that is set back does not keep a carrier out until it comes round again", async (t) => {
  const { records, index } = await evidencePlace(t)
  let ms = start
  const writer = openEvidenceWriter({ records, index, now: () => ms, notificationsPerSecond: 2 })
  const sent = (day: number): Promise<string> => writer.notify(notification(alice, day))
  await sent(1)
  await sent(2)
  ms -= 7 * DAY_MS
  assert.equal(await sent(3), "stored")
  await sent(4)
  await assert.rejects(
    sent(5),
    { name: "Explained", code: "rate-limited" },
    "the limit holds by the new clock too",
  )
})

test("more than can wait are refused before anything of them is stored", async (t) => {
  const { records, index } = await evidencePlace(t)
  const writer = openEvidenceWriter({ records, index, now, notificationsWaitingMax: 3 })
  const outcomes = await Promise.allSettled(
    [1, 2, 3, 4, 5].map((day) => writer.notify(notification(alice, day))),
  )
  const refused = outcomes.filter((outcome) => outcome.status === "rejected")
  assert.equal(refused.length, 2)
  for (const { reason } of refused) assertOverloaded(reason)
  assert.equal((await said(index, alice, 7)).length, 3)
})

test("one carrier's notification does not wait behind all of another's, and a full queue is its own", async (t) => {
  const { records, index } = await evidencePlace(t)
  const writes: string[][] = []
  const counted: typeof records = {
    ...records,
    async addEvidence(sent, claim) {
      writes.push(sent.lines.map((line) => ("source" in line ? line.source : "")))
      return await records.addEvidence(sent, claim)
    },
  }
  const writer = openEvidenceWriter({
    records: counted,
    index,
    now,
    notificationsPerSecond: 10_000,
    notificationsWaitingMax: 900,
  })
  const flood = Promise.allSettled(
    Array.from({ length: 1000 }, (_, n) => writer.notify(notification(alice, n % 50))),
  )
  const single = writer.notify(notification(alice, 1, { source: "camara:two" }))
  assert.equal(await single, "stored")
  assert.ok(writes.length <= 2, `it went with write ${writes.length}`)
  assert.ok(writes.every(({ length }) => length <= 500))
  const outcomes = await flood
  assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 100)
})

test("an index made anew says the same once all notifications are applied to it", async (t) => {
  const { writer, records, index } = await evidencePlace(t)
  const keys = identityKeys(40)
  await Promise.all(
    keys.flatMap((key, n) =>
      Array.from({ length: 1 + (n % 5) }, (_, day) =>
        writer.notify(notification(key, day, { source: n % 2 === 0 ? "camara:a" : "camara:b" })),
      ),
    ),
  )
  const anew = await newIndex(t)
  for (let twice = 0; twice < 2; twice++) {
    assert.equal(await applyAllEvidence(records, anew, start), keys.length)
    for (const key of keys) assert.deepEqual(await said(anew, key, 7), await said(index, key, 7))
  }
})
