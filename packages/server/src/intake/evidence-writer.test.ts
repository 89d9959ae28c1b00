import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { EVIDENCE_SOURCES_MAX } from "@assay/core/contract"
import { entryBytes, type EntryKind, plainEntry } from "@assay/stores/entry"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { IdempotencyClaim } from "@assay/stores/records-idempotency"
import {
  EVIDENCE_ROUTE,
  type KeptEvidence,
  type SentEvidence,
} from "@assay/stores/records-evidence"
import { RecordsError } from "@assay/stores/records-error"
import type { Records } from "@assay/stores/records"
import {
  alice,
  assertOverloaded,
  bob,
  claimOf,
  erase,
  evidencePlace,
  type EvidencePlace,
  failing,
  identityKeys,
  newIndex,
  now,
  said,
  start,
  testTenants,
  UNAVAILABLE,
} from "../../testing/intake/test-stores.ts"
import { applyAllEvidence } from "./apply-evidence.ts"
import { type EvidenceReport, openEvidenceWriter } from "./evidence-writer.ts"

interface Place extends EvidencePlace {
  readonly tenantId: number
  readonly otherId: number
  report(...lines: EvidenceReport["lines"]): EvidenceReport
  /** What the index says of an identity: kind, day and source. */
  said(key?: Uint8Array, tenantId?: number | null): Promise<string[]>
}

async function place(t: TestContext): Promise<Place> {
  const stores = await evidencePlace(t)
  const tenants = await testTenants(stores.records, "enterprise")
  const { tenantId } = tenants
  return {
    ...stores,
    ...tenants,
    report: (...lines) => ({ tenantId, keyId: "k1", lines }),
    said: async (key = alice, of = tenantId) => (await said(stores.index, key, of)).sort(),
  }
}

function evidence(
  identityKey: Uint8Array,
  day: number,
  { source = "soc", kind = "breach" }: { source?: string; kind?: EntryKind } = {},
): SentEvidence {
  const entry = entryBytes(plainEntry(kind, 24 * day, 1))
  return { identityKey, source, entry }
}

async function keptOf(records: Records, key: Uint8Array): Promise<KeptEvidence[]> {
  const kept = await records.evidenceAfter({ after: null, identities: 1_000 })
  return kept.filter(({ identityKey }) => String(identityKey) === String(key))
}

const claim = (name = "a"): IdempotencyClaim => claimOf(EVIDENCE_ROUTE, name)

const stored = (...outcomes: unknown[]) => ({ state: "stored", outcomes })

test("what is stored is in the tenant's next lookup under its source, and in nobody else's", async (t) => {
  const { writer, report, said, otherId, index, tenantId } = await place(t)
  const lines = [
    evidence(alice, 5),
    evidence(alice, 5, { source: "mail", kind: "bounced" }),
    { refusal: "{}" },
    evidence(bob, 7),
  ]
  assert.deepEqual(
    await writer.submit(report(...lines), null),
    stored("stored", "stored", { refusal: "{}" }, "stored"),
  )
  assert.deepEqual(await said(), ["bounced 5 mail", "breach 5 soc"])
  assert.deepEqual(await said(bob), ["breach 7 soc"])
  for (const other of [null, otherId]) assert.deepEqual(await said(alice, other), [])
  const { sources, batches } = await index.catalogue()
  assert.equal(batches.size, 2)
  for (const { owner, confidence } of sources.values())
    assert.deepEqual([owner, confidence], [tenantId, 0.8])
})

test("what was there stays, and content sent again changes nothing", async (t) => {
  const { writer, report, said, records } = await place(t)
  await writer.submit(report(evidence(alice, 5)), null)
  const again = report(evidence(alice, 5), evidence(alice, 6), evidence(alice, 6))
  assert.deepEqual(await writer.submit(again, null), stored("known", "stored", "known"))
  assert.deepEqual(await said(), ["breach 5 soc", "breach 6 soc"])
  assert.equal((await keptOf(records, alice)).length, 2)
})

test("a request of nothing but refusals, or of what is known, is answered and done", async (t) => {
  const { writer, report } = await place(t)
  const refused = report({ refusal: "{}" })
  for (let twice = 0; twice < 2; twice++)
    assert.deepEqual(await writer.submit(refused, claim()), stored({ refusal: "{}" }))
  await writer.submit(report(evidence(alice, 1)), null)
  for (let twice = 0; twice < 2; twice++)
    assert.deepEqual(await writer.submit(report(evidence(alice, 1)), claim("b")), stored("known"))
})

test("what a process stored and did not get to apply, the next one applies", async (t) => {
  const { writer, records, report, said, tenantId } = await place(t)
  const sent = report(evidence(alice, 5), evidence(bob, 6))
  await records.addEvidence({ owner: tenantId, ...sent, receivedAt: start }, claim())
  assert.deepEqual(await said(), [])
  assert.deepEqual(await writer.submit(sent, claim()), { state: "running" })
  await writer.settleDue()
  assert.deepEqual([...(await said()), ...(await said(bob))], ["breach 5 soc", "breach 6 soc"])
  assert.deepEqual(await writer.submit(sent, claim()), stored("stored", "stored"))
  assert.deepEqual(await records.ownersWithDueEvidence(), [])
})

test("evidence is acknowledged when the index has it; if that cannot be noted, it stays due", async (t) => {
  const { index, records, report, said } = await place(t)
  let away = true
  const settleEvidence: Records["settleEvidence"] = async (of) => {
    if (away) throw new RecordsError("unavailable", "away")
    await records.settleEvidence(of)
  }
  const writer = openEvidenceWriter({ records: { ...records, settleEvidence }, index, now })
  const sent = report(evidence(alice, 5))
  assert.deepEqual(await writer.submit(sent, claim()), stored("stored"))
  assert.deepEqual(await said(), ["breach 5 soc"])
  await writer.idle()
  assert.equal((await records.ownersWithDueEvidence()).length, 1)
  away = false
  await writer.settleDue()
  assert.deepEqual(await records.ownersWithDueEvidence(), [])
  assert.deepEqual(await writer.submit(sent, claim()), stored("stored"))
  assert.deepEqual(await said(), ["breach 5 soc"])
})

test("an index that cannot be written is told, and what it missed follows when it is back", async (t) => {
  const { index, records, report, said, otherId } = await place(t)
  let away = true
  const writer = openEvidenceWriter({
    records,
    index: await failing(index, "addTenantEvidence", () => away),
    now,
  })
  const sent = report(evidence(alice, 5))
  await assert.rejects(writer.submit(sent, claim()), UNAVAILABLE)
  assert.deepEqual(await writer.submit(sent, claim()), { state: "running" })
  // Known is as good as stored only once the index has it.
  await assert.rejects(writer.submit(sent, null), UNAVAILABLE)
  const theirs = { ...report(evidence(alice, 9)), tenantId: otherId, keyId: "k2" }
  await assert.rejects(writer.submit(theirs, null), UNAVAILABLE)
  await assert.rejects(writer.settleDue(), UNAVAILABLE)
  away = false
  await writer.settleDue()
  assert.deepEqual(await said(), ["breach 5 soc"])
  assert.deepEqual(await said(alice, otherId), ["breach 9 soc"])
  assert.deepEqual(await writer.submit(sent, claim()), stored("stored"))
})

test("an index that cannot be read takes nothing in", async (t) => {
  const { index, writer, records, report } = await place(t)
  await index.close()
  await assert.rejects(writer.submit(report(evidence(alice, 5)), claim()), UNAVAILABLE)
  assert.deepEqual(await keptOf(records, alice), [])
})

test("one claim sent many times at once is carried out once and answered alike", async (t) => {
  const { writer, report, records } = await place(t)
  const sent = report(evidence(alice, 5))
  const answers = await Promise.all(Array.from({ length: 20 }, () => writer.submit(sent, claim())))
  for (const answer of answers) assert.deepEqual(answer, stored("stored"))
  assert.equal((await keptOf(records, alice)).length, 1)
})

test("nothing is kept about an erased subject, and no answer shows it", async (t) => {
  const { writer, report, said, records, index } = await place(t)
  await writer.submit(report(evidence(alice, 5)), null)
  await erase({ records, index }, alice, "email")
  const sent = report(evidence(alice, 6), evidence(bob, 6))
  assert.deepEqual(await writer.submit(sent, claim()), stored("stored", "stored"))
  assert.deepEqual(await keptOf(records, alice), [])
  assert.deepEqual(await said(), [])
  assert.deepEqual(await said(bob), ["breach 6 soc"])
  const alone = report(evidence(alice, 7))
  for (let twice = 0; twice < 2; twice++)
    assert.deepEqual(await writer.submit(alone, claim("b")), stored("stored"))
})

test("a tenant's sources are counted, not those of others nor the service's own", async (t) => {
  const { writer, report, index, tenantId, otherId } = await place(t)
  for (const [name, owner] of [
    ["feedback", tenantId],
    ["decisions", tenantId],
    ["theirs", otherId],
  ] as const) {
    await index.openBatch({ ...description, name }, name, start, owner)
  }
  const lines = Array.from({ length: EVIDENCE_SOURCES_MAX + 1 }, (_, n) =>
    evidence(alice, 5, { source: `source-${n}` }),
  )
  const submission = await writer.submit(report(...lines), null)
  assert.ok(submission.state === "stored")
  const refused = submission.outcomes.filter((outcome) => typeof outcome !== "string")
  assert.equal(refused.length, 1)
  assert.match(JSON.stringify(refused), /#\/source/)
  assert.equal(submission.outcomes.at(-1), refused[0])
  const again = report(...lines.slice(-2))
  assert.deepEqual(await writer.submit(again, null), stored("known", refused[0]))
})

const description = {
  name: "",
  title: "",
  kind: "mention",
  confidence: 0.8,
  classes: [],
  flags: { spamList: false, fabricated: false, sensitive: false, verified: false },
  eventDate: null,
  circulates: false,
} as const

test("an index made anew says the same once all evidence is applied to it, also what was cut", async (t) => {
  const { writer, report, records, index, tenantId, otherId } = await place(t)
  const keys = identityKeys(30)
  const lines = keys.flatMap((key, n) =>
    Array.from({ length: 1 + 5 * (n % 16) }, (_, day) =>
      evidence(key, day, { source: day % 2 === 0 ? "soc" : "mail" }),
    ),
  )
  await writer.submit(report(...lines), null)
  const theirs = { tenantId: otherId, keyId: "k2", lines: lines.slice(0, 40) }
  await writer.submit(theirs, null)
  const anew = await newIndex(t)
  assert.equal(await applyAllEvidence(records, anew, start), keys.length)
  const said = async (of: ExposureIndex): Promise<unknown[]> =>
    Promise.all(
      [tenantId, otherId].flatMap((id) =>
        keys.map(async (key) => {
          const { entries, cut } = await of.lookup(key, id)
          return { hours: entries.map(({ hours }) => hours).sort(), cut }
        }),
      ),
    )
  assert.deepEqual(await said(anew), await said(index))
  assert.ok((await said(anew)).some((each) => (each as { cut: number }).cut > 0))
})

test("more lines than can wait are refused before anything is stored", async (t) => {
  const { records, index, report } = await place(t)
  const writer = openEvidenceWriter({ records, index, now, linesWaitingMax: 5 })
  const sent = Array.from({ length: 4 }, (_, n) =>
    writer.submit(report(evidence(alice, n), evidence(bob, n)), null),
  )
  const outcomes = await Promise.allSettled(sent)
  const refused = outcomes.filter((outcome) => outcome.status === "rejected")
  assert.equal(refused.length, 2)
  for (const { reason } of refused) assertOverloaded(reason)
  assert.equal((await keptOf(records, alice)).length, 2)
  assert.deepEqual(await writer.submit(report(evidence(alice, 9)), null), stored("stored"))
})

test("one tenant's line does not wait behind 120 requests of another's, and a full queue is its tenant's own", async (t) => {
  const { records, index, report, otherId } = await place(t)
  const writer = openEvidenceWriter({ records, index, now, linesWaitingMax: 100 })
  let taken = 0
  const flood = Array.from({ length: 120 }, (_, n) =>
    writer.submit(report(evidence(alice, n)), null).then(() => {
      taken++
    }, assertOverloaded),
  )
  const theirs = { ...report(evidence(bob, 1)), tenantId: otherId, keyId: "k2" }
  assert.deepEqual(await writer.submit(theirs, null), stored("stored"))
  assert.ok(taken <= 2, `${taken} others were taken before it`)
  await Promise.all(flood)
  assert.equal(taken, 100)
})

test("a line is acknowledged while the disk still takes another tenant's", async (t) => {
  const { records, index, report, otherId, said, tenantId } = await place(t)
  const disk = Promise.withResolvers<undefined>()
  const addTenantEvidence: ExposureIndex["addTenantEvidence"] = async (of, rows) => {
    if (of === tenantId) await disk.promise
    await index.addTenantEvidence(of, rows)
  }
  const writer = openEvidenceWriter({ records, index: { ...index, addTenantEvidence }, now })
  const waiting = writer.submit(report(evidence(alice, 5)), null)
  const other = { ...report(evidence(alice, 6)), tenantId: otherId }
  assert.deepEqual(await writer.submit(other, null), stored("stored"))
  assert.deepEqual(await said(alice, otherId), ["breach 6 soc"])
  assert.deepEqual(await said(), [])
  disk.resolve(undefined)
  assert.deepEqual(await waiting, stored("stored"))
  assert.deepEqual(await said(), ["breach 5 soc"])
})
