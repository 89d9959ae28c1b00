import assert from "node:assert/strict"

import type { IdempotencyClaim } from "../src/records-idempotency.ts"
import {
  EVIDENCE_ROUTE,
  type LineOutcome,
  type Observed,
  type RefusedLine,
  type SentLines,
  type SentObservation,
} from "../src/records-observations.ts"
import {
  hashOf,
  newKey,
  refusedAs,
  testsOnRecords,
  type Openings,
  type TestDatabase,
} from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1, 12)
const actor = "test"
// In the order of their keys.
const [alice, bob, carol] = [1, 2, 3].map((n) => new Uint8Array(16).fill(n)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

function observation(
  identityKey: Uint8Array,
  what: number,
  changes: Partial<SentObservation> = {},
): SentObservation {
  return { identityKey, source: "soc", entry: Uint8Array.of(0, what, 255), ...changes }
}

function claim(name: string, changes: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  const keyHash = hashOf(name)
  return { keyId: "k1", route: EVIDENCE_ROUTE, keyHash, fingerprint: hashOf("body"), ...changes }
}

interface Tenants {
  readonly acme: number
  readonly other: number
  /** What k1, a key of Acme's, sends. */
  sent(...lines: SentLines["lines"]): SentLines
}

async function tenants({ records }: Openings): Promise<Tenants> {
  const { id: acme } = await records.createTenant({ name: "Acme", plan: "free", at, actor })
  const { id: other } = await records.createTenant({ name: "Other", plan: "free", at, actor })
  await records.createKey(newKey("k1", { tenantId: acme }))
  await records.createKey(newKey("k2", { tenantId: other }))
  return {
    acme,
    other,
    sent: (...lines) => ({ tenantId: acme, keyId: "k1", receivedAt: at, lines }),
  }
}

const said = (rows: readonly Observed[]): [number, number, number | undefined][] =>
  rows.map(({ identityKey, tenantId, entry }) => [identityKey[0] ?? 0, tenantId, entry[1]])

const taken = (...outcomes: LineOutcome[]) => ({ state: "taken", outcomes })

/** What this suite does not state, no caller may rely on. */
export function recordsObservationsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("observations come back as they were sent, and equal content is one", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    const first = observation(alice, 1)
    const refused: RefusedLine = { refusal: '{"code":"x"}' }
    assert.deepEqual(
      await records.addObservations(sent(first, refused, observation(bob, 1), first), null),
      taken("stored", refused, "stored", "known"),
    )
    const elsewhere = observation(alice, 1, { source: "Soc" })
    assert.deepEqual(
      await records.addObservations(sent(first, elsewhere, observation(alice, 2)), null),
      taken("known", "stored", "stored"),
    )
    const theirs = { tenantId: other, keyId: "k2", receivedAt: at + 5, lines: [first] }
    assert.deepEqual(await records.addObservations(theirs, null), taken("stored"))
    assert.deepEqual(await records.observationsOf(alice, other), [
      { ...first, tenantId: other, keyId: "k2", receivedAt: at + 5 },
    ])
    const kept = { tenantId: acme, keyId: "k1", receivedAt: at }
    assert.deepEqual(await records.observationsOf(alice, acme), [
      { ...elsewhere, ...kept },
      { ...first, ...kept },
      { ...observation(alice, 2), ...kept },
    ])
    assert.equal((await records.observationsOf(alice)).length, 4)
    assert.deepEqual(await records.observationsOf(carol), [])
  })

  onRecords("a request of many lines is stored whole or not at all", async (given) => {
    const { records } = given
    const { acme, sent } = await tenants(given)
    const many = Array.from({ length: 1_234 }, (_, n) =>
      observation(hashOf(String(n)).slice(0, 16), n % 256),
    )
    const stray = { ...sent(...many), keyId: "k9" }
    await assert.rejects(records.addObservations(stray, null), refusedAs("not-found"))
    assert.deepEqual(await records.tenantsWithDueObservations(), [])
    const outcome = await records.addObservations(sent(...many), null)
    assert.deepEqual(outcome, taken(...many.map(() => "stored" as const)))
    const due = await records.dueObservations({ tenantId: acme, identities: 5_000 })
    assert.equal(due.length, 1_234)
    assert.deepEqual(
      await records.addObservations(sent(...many), null),
      taken(...many.map(() => "known" as const)),
    )
  })

  onRecords("what was sent is due by identity until it is settled", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    const due = async (identities: number, tenantId = acme): Promise<unknown> =>
      said(await records.dueObservations({ tenantId, identities }))
    await records.addObservations(
      sent(observation(bob, 1), observation(alice, 1), observation(bob, 2), observation(carol, 1)),
      null,
    )
    const theirs = { ...sent(observation(alice, 9)), tenantId: other, keyId: "k2" }
    await records.addObservations(theirs, null)
    assert.deepEqual(await records.tenantsWithDueObservations(), [acme, other])
    assert.deepEqual(await due(1), [[1, acme, 1]])
    assert.deepEqual(((await due(2)) as unknown[]).length, 3)
    await records.settleObservations({ tenantId: acme, through: bob })
    assert.deepEqual(await due(9), [[3, acme, 1]])
    assert.deepEqual(await due(9, other), [[1, other, 9]])
    await records.settleObservations({ tenantId: acme, through: carol })
    assert.deepEqual(await records.tenantsWithDueObservations(), [other])
    // Sent again, it is known and not due again.
    await records.addObservations(sent(observation(bob, 1)), null)
    assert.deepEqual(await due(9), [])
  })

  onRecords("a claim is answered as the first time once all of it is settled", async (given) => {
    const { records } = given
    const { acme, sent } = await tenants(given)
    const refused: RefusedLine = { refusal: "no" }
    const request = sent(observation(alice, 1), refused)
    const send = (changes: Partial<IdempotencyClaim> = {}, lines = request) =>
      records.addObservations(lines, claim("a", changes))
    assert.deepEqual(await send(), taken("stored", refused))
    assert.deepEqual(await send(), { state: "running" })
    assert.deepEqual(await send({ fingerprint: hashOf("other") }), { state: "mismatch" })
    await records.settleObservations({ tenantId: acme, through: alice })
    const done = { state: "done", outcomes: ["stored", refused] }
    assert.deepEqual(await send(), done)
    // A name belongs to its route and its key.
    assert.deepEqual(await send({ route: "POST /other" }), taken("known", refused))
    assert.deepEqual(await send({ keyId: "k2" }), taken("known", refused))
    // Where nothing is due there is nothing to wait for.
    const second = claim("b")
    assert.deepEqual(await records.addObservations(request, second), taken("known", refused))
    assert.deepEqual(await records.addObservations(request, second), {
      state: "done",
      outcomes: ["known", refused],
    })
    const later = { ...request, receivedAt: at + 24 * 3_600_000 }
    assert.deepEqual(await send({}, later), taken("known", refused))
  })

  onRecords("all observations are read in pages of whole identities", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    await records.addObservations(
      sent(observation(carol, 1), observation(alice, 1), observation(alice, 2)),
      null,
    )
    const theirs = { ...sent(observation(alice, 3)), tenantId: other, keyId: "k2" }
    await records.addObservations(theirs, null)
    const page = await records.observationsAfter({ after: null, identities: 1 })
    assert.deepEqual(said(page).sort(), [
      [1, acme, 1],
      [1, acme, 2],
      [1, other, 3],
    ])
    const next = await records.observationsAfter({ after: alice, identities: 1 })
    assert.deepEqual(said(next), [[3, acme, 1]])
    assert.deepEqual(await records.observationsAfter({ after: carol, identities: 1 }), [])
  })

  onRecords("what is forgotten is gone, for one tenant or for all", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    await records.addObservations(sent(observation(alice, 1), observation(bob, 1)), claim("a"))
    const theirs = { ...sent(observation(alice, 1)), tenantId: other, keyId: "k2" }
    await records.addObservations(theirs, null)
    assert.equal(await records.forgetObservations(alice, acme), 1)
    assert.deepEqual(said(await records.observationsOf(alice)), [[1, other, 1]])
    const again = (): Promise<unknown> =>
      records.addObservations(sent(observation(alice, 1), observation(bob, 1)), claim("a"))
    assert.deepEqual(await again(), { state: "running" })
    assert.equal(await records.forgetObservations(bob), 1)
    // Nothing is left to wait for.
    assert.deepEqual(await again(), { state: "done", outcomes: ["stored", "stored"] })
    assert.equal(await records.forgetObservations(alice), 1)
    assert.equal(await records.forgetObservations(alice), 0)
    assert.deepEqual(await records.observationsAfter({ after: null, identities: 9 }), [])
  })
}
