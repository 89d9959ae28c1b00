import assert from "node:assert/strict"

import {
  EVIDENCE_ROUTE,
  type KeptEvidence,
  type LineOutcome,
  type LinesOutcome,
  type RefusedLine,
  type SentEvidence,
  type SentLines,
} from "../src/records-evidence.ts"
import type { IdempotencyClaim } from "../src/records-idempotency.ts"
import type { Records } from "../src/records.ts"
import type { SubjectChange } from "../src/records-subjects.ts"
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

function evidence(
  identityKey: Uint8Array,
  what: number,
  changes: Partial<SentEvidence> = {},
): SentEvidence {
  return { identityKey, source: "soc", entry: Uint8Array.of(0, what, 255), ...changes }
}

function notification(
  identityKey: Uint8Array,
  what: number,
  event: string,
  source = "camara:one",
): SentEvidence {
  return evidence(identityKey, what, { source, event: hashOf(event).slice(0, 16) })
}

/** Confirms all that is due up to and including a key. */
export async function settledThrough(
  records: Records,
  owner: KeptEvidence["owner"],
  through: Uint8Array,
): Promise<void> {
  const rows = await records.dueEvidence({ owner, identities: 5_000 })
  await records.settleEvidence({ owner, through, due: rows.map(({ due }) => due) })
}

function shared(lines: readonly SentEvidence[], receivedAt = at): SentLines {
  return { owner: "shared", keyId: null, receivedAt, lines }
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

async function tenants({ records }: Pick<Openings, "records">): Promise<Tenants> {
  const { id: acme } = await records.createTenant({ name: "Acme", plan: "free", at, actor })
  const { id: other } = await records.createTenant({ name: "Other", plan: "free", at, actor })
  await records.createKey(newKey("k1", { tenantId: acme }))
  await records.createKey(newKey("k2", { tenantId: other }))
  return {
    acme,
    other,
    sent: (...lines) => ({ owner: acme, keyId: "k1", receivedAt: at, lines }),
  }
}

const said = (
  rows: readonly KeptEvidence[],
): [number, KeptEvidence["owner"], number | undefined][] =>
  rows.map(({ identityKey, owner, entry }) => [identityKey[0] ?? 0, owner, entry[1]])

const bySource = (rows: readonly KeptEvidence[]): [number, number | undefined, string][] =>
  rows.map(({ identityKey, entry, source }) => [identityKey[0] ?? 0, entry[1], source])

const all = (records: Records): Promise<KeptEvidence[]> =>
  records.evidenceAfter({ after: null, identities: 1_000 })

const taken = (...outcomes: LineOutcome[]): LinesOutcome => ({ state: "taken", outcomes })

const erasure: Omit<SubjectChange, "identityKey" | "tenantId"> = {
  identityType: "phone",
  reason: "subject_request",
  reference: null,
  at,
  actor,
}

/** What this suite does not state, no caller may rely on. */
export function recordsEvidenceSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("evidence comes back as it was sent, and equal content is one", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    const of = async (key: Uint8Array, owner: number): Promise<KeptEvidence[]> =>
      (await all(records)).filter(
        (each) => each.owner === owner && String(each.identityKey) === String(key),
      )
    const first = evidence(alice, 1)
    const refused: RefusedLine = { refusal: '{"code":"x"}' }
    assert.deepEqual(
      await records.addEvidence(sent(first, refused, evidence(bob, 1), first), null),
      taken("stored", refused, "stored", "known"),
    )
    const elsewhere = evidence(alice, 1, { source: "Soc" })
    assert.deepEqual(
      await records.addEvidence(sent(first, elsewhere, evidence(alice, 2)), null),
      taken("known", "stored", "stored"),
    )
    const theirs = { owner: other, keyId: "k2", receivedAt: at + 5, lines: [first] }
    assert.deepEqual(await records.addEvidence(theirs, null), taken("stored"))
    assert.deepEqual(await of(alice, other), [
      { ...first, owner: other, keyId: "k2", receivedAt: at + 5 },
    ])
    const kept = { owner: acme, keyId: "k1", receivedAt: at }
    assert.deepEqual(await of(alice, acme), [
      { ...elsewhere, ...kept },
      { ...first, ...kept },
      { ...evidence(alice, 2), ...kept },
    ])
    assert.equal((await all(records)).length, 5)
    assert.deepEqual(await of(carol, acme), [])
  })

  onRecords(
    "shared evidence comes back as it was sent, from another opening too",
    async ({ records, open }) => {
      const first = notification(alice, 1, "a")
      assert.deepEqual(await records.addEvidence(shared([first]), null), taken("stored"))
      const again = await open()
      assert.deepEqual(await all(again), [
        { ...first, owner: "shared", keyId: null, receivedAt: at },
      ])
      await again.close()
      assert.deepEqual(await records.addEvidence(shared([]), null), taken())
    },
  )

  onRecords("a notification is known by its name and by its content", async ({ records }) => {
    const first = notification(alice, 1, "a")
    assert.deepEqual(
      await records.addEvidence(shared([first, first, notification(bob, 1, "b")]), null),
      taken("stored", "known", "stored"),
    )
    assert.deepEqual(
      await records.addEvidence(
        shared(
          [
            first,
            // The same name for something else, and another name for the same thing.
            notification(carol, 9, "a"),
            notification(alice, 1, "c"),
            // Of another source both are new.
            notification(alice, 1, "a", "camara:two"),
            notification(alice, 2, "d"),
          ],
          at + 1,
        ),
        null,
      ),
      taken("known", "known", "known", "stored", "stored"),
    )
    assert.deepEqual(bySource(await all(records)), [
      [1, 1, "camara:one"],
      [1, 2, "camara:one"],
      [1, 1, "camara:two"],
      [2, 1, "camara:one"],
    ])
  })

  onRecords("a request of many lines is stored whole or not at all", async (given) => {
    const { records } = given
    const { acme, sent } = await tenants(given)
    const many = Array.from({ length: 1_234 }, (_, n) =>
      evidence(hashOf(String(n)).slice(0, 16), n % 256),
    )
    const stray = { ...sent(...many), keyId: "k9" }
    await assert.rejects(records.addEvidence(stray, null), refusedAs("not-found"))
    assert.deepEqual(await records.ownersWithDueEvidence(), [])
    const outcome = await records.addEvidence(sent(...many), null)
    assert.deepEqual(outcome, taken(...many.map(() => "stored" as const)))
    const due = await records.dueEvidence({ owner: acme, identities: 5_000 })
    assert.equal(due.length, 1_234)
    assert.deepEqual(
      await records.addEvidence(sent(...many), null),
      taken(...many.map(() => "known" as const)),
    )
  })

  onRecords("what was sent is due by owner and identity until it is settled", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    const due = async (identities: number, owner: KeptEvidence["owner"] = acme): Promise<unknown> =>
      said(await records.dueEvidence({ owner, identities }))
    await records.addEvidence(
      sent(evidence(bob, 1), evidence(alice, 1), evidence(bob, 2), evidence(carol, 1)),
      null,
    )
    const theirs = { ...sent(evidence(alice, 9)), owner: other, keyId: "k2" }
    await records.addEvidence(theirs, null)
    await records.addEvidence(
      shared([
        notification(carol, 1, "c"),
        notification(alice, 1, "a"),
        notification(alice, 2, "b"),
      ]),
      null,
    )
    assert.deepEqual(await records.ownersWithDueEvidence(), ["shared", acme, other])
    assert.deepEqual(await due(1), [[1, acme, 1]])
    assert.deepEqual(((await due(2)) as unknown[]).length, 3)
    assert.deepEqual(await due(1, "shared"), [
      [1, "shared", 1],
      [1, "shared", 2],
    ])
    await settledThrough(records, acme, bob)
    assert.deepEqual(await due(9), [[3, acme, 1]])
    assert.deepEqual(await due(9, other), [[1, other, 9]])
    await settledThrough(records, acme, carol)
    assert.deepEqual(await records.ownersWithDueEvidence(), ["shared", other])
    await settledThrough(records, "shared", alice)
    assert.deepEqual(await due(9, "shared"), [[3, "shared", 1]])
    await settledThrough(records, "shared", carol)
    assert.deepEqual(await records.ownersWithDueEvidence(), [other])
    // Sent again, it is known and not due again.
    await records.addEvidence(sent(evidence(bob, 1)), null)
    await records.addEvidence(shared([notification(alice, 1, "a")], at + 1), null)
    assert.deepEqual(await due(9), [])
    assert.deepEqual(await due(9, "shared"), [])
    assert.equal((await all(records)).length, 8)
  })

  onRecords(
    "what another write brought in the same moment stays due when the first is settled",
    async (given) => {
      const { records, open } = given
      const node = await open()
      const { acme, sent } = await tenants(given)
      await records.addEvidence(sent(evidence(bob, 1)), null)
      const due = await records.dueEvidence({ owner: acme, identities: 9 })
      await node.addEvidence(sent(evidence(alice, 1), evidence(bob, 2)), null)
      const writes = due.map((each) => each.due)
      await records.settleEvidence({ owner: acme, through: carol, due: writes })
      const left = await records.dueEvidence({ owner: acme, identities: 9 })
      assert.deepEqual(said(left), [
        [1, acme, 1],
        [2, acme, 2],
      ])
      await settledThrough(records, acme, carol)
      assert.deepEqual(await records.ownersWithDueEvidence(), [])
    },
  )

  onRecords("a claim is answered as the first time once all of it is settled", async (given) => {
    const { records } = given
    const { acme, sent } = await tenants(given)
    const refused: RefusedLine = { refusal: "no" }
    const request = sent(evidence(alice, 1), refused)
    const send = (changes: Partial<IdempotencyClaim> = {}, lines = request) =>
      records.addEvidence(lines, claim("a", changes))
    // The tenant's claim does not wait for evidence of others.
    await records.addEvidence(shared([notification(bob, 1, "b")]), null)
    assert.deepEqual(await send(), taken("stored", refused))
    assert.deepEqual(await send(), { state: "running" })
    assert.deepEqual(await send({ fingerprint: hashOf("other") }), { state: "mismatch" })
    await settledThrough(records, acme, alice)
    const done = { state: "done", outcomes: ["stored", refused] }
    assert.deepEqual(await send(), done)
    // A name belongs to its route and its key.
    assert.deepEqual(await send({ route: "POST /other" }), taken("known", refused))
    assert.deepEqual(await send({ keyId: "k2" }), taken("known", refused))
    // Where nothing is due there is nothing to wait for.
    const second = claim("b")
    assert.deepEqual(await records.addEvidence(request, second), taken("known", refused))
    assert.deepEqual(await records.addEvidence(request, second), {
      state: "done",
      outcomes: ["known", refused],
    })
    const later = { ...request, receivedAt: at + 24 * 3_600_000 }
    assert.deepEqual(await send({}, later), taken("known", refused))
  })

  onRecords("all evidence is read in pages of whole identities", async (given) => {
    const { records } = given
    const { acme, other, sent } = await tenants(given)
    await records.addEvidence(
      sent(evidence(carol, 1), evidence(alice, 1), evidence(alice, 2)),
      null,
    )
    const theirs = { ...sent(evidence(alice, 3)), owner: other, keyId: "k2" }
    await records.addEvidence(theirs, null)
    await records.addEvidence(shared([notification(alice, 4, "a")]), null)
    const page = await records.evidenceAfter({ after: null, identities: 1 })
    assert.deepEqual(said(page), [
      [1, "shared", 4],
      [1, acme, 1],
      [1, acme, 2],
      [1, other, 3],
    ])
    const next = await records.evidenceAfter({ after: alice, identities: 1 })
    assert.deepEqual(said(next), [[3, acme, 1]])
    assert.deepEqual(await records.evidenceAfter({ after: carol, identities: 1 }), [])
  })

  onRecords("many are stored at once, whole identities a page", async ({ records }) => {
    const many = Array.from({ length: 1_234 }, (_, n) =>
      notification(hashOf(String(n % 400)).slice(0, 16), n % 251, String(n)),
    )
    assert.deepEqual(
      await records.addEvidence(shared(many), null),
      taken(...many.map(() => "stored" as const)),
    )
    const seen: KeptEvidence[] = []
    for (let after: Uint8Array | null = null; ;) {
      const page: KeptEvidence[] = await records.evidenceAfter({ after, identities: 70 })
      const last = page.at(-1)
      if (last === undefined) break
      assert.ok(new Set(page.map(({ identityKey }) => String(identityKey))).size <= 70)
      seen.push(...page)
      after = last.identityKey
    }
    assert.equal(seen.length, 1_234)
    assert.equal(new Set(seen.map(({ event }) => String(event))).size, 1_234)
  })

  onRecords(
    "what is erased is gone, for one tenant or for all, and nobody waits for it",
    async (given) => {
      const { records } = given
      const { acme, other, sent } = await tenants(given)
      const erase = async (identityKey: Uint8Array, tenantId: number | null): Promise<number> =>
        (await records.eraseSubject({ ...erasure, identityKey, tenantId })).reports
      await records.addEvidence(sent(evidence(alice, 1), evidence(bob, 1)), claim("a"))
      const theirs = { ...sent(evidence(alice, 1)), owner: other, keyId: "k2" }
      await records.addEvidence(theirs, null)
      assert.equal(await erase(alice, acme), 1)
      assert.deepEqual(said(await all(records)), [
        [1, other, 1],
        [2, acme, 1],
      ])
      const again = (): Promise<unknown> =>
        records.addEvidence(sent(evidence(alice, 1), evidence(bob, 1)), claim("a"))
      assert.deepEqual(await again(), { state: "running" })
      assert.equal(await erase(bob, null), 1)
      // Nothing is left to wait for.
      assert.deepEqual(await again(), { state: "done", outcomes: ["stored", "stored"] })
      assert.equal(await erase(alice, null), 1)
      assert.equal(await erase(alice, null), 0)
      assert.deepEqual(await all(records), [])
    },
  )

  onRecords("of an erased subject nothing is held, nor taken again", async (given) => {
    const { records } = given
    const { acme, sent } = await tenants(given)
    const notified = [notification(alice, 1, "a"), notification(bob, 1, "b")]
    await records.addEvidence(shared(notified), null)
    const change = { ...erasure, identityKey: alice }
    // What everybody may see is not one tenant's to erase.
    assert.equal((await records.eraseSubject({ ...change, tenantId: acme })).reports, 0)
    assert.equal((await all(records)).length, 2)
    assert.equal((await records.eraseSubject({ ...change, tenantId: null })).reports, 1)
    const left = [[2, "shared", 1]]
    assert.deepEqual(said(await all(records)), left)
    const anew = shared([...notified, notification(alice, 3, "x")], at + 1)
    assert.deepEqual(await records.addEvidence(anew, null), taken("erased", "known", "erased"))
    const own = sent(evidence(alice, 1), evidence(alice, 1), evidence(alice, 2))
    assert.deepEqual(await records.addEvidence(own, null), taken("erased", "known", "erased"))
    assert.deepEqual(said(await all(records)), left)
  })

  onRecords("a shared source is forgotten up to a moment, and others stay", async (given) => {
    const { records } = given
    const { acme, sent } = await tenants(given)
    await records.addEvidence(shared([notification(alice, 1, "a")]), null)
    await records.addEvidence(
      shared([notification(bob, 1, "b"), notification(bob, 1, "b", "camara:two")], at + 1),
      null,
    )
    await records.addEvidence(shared([notification(carol, 1, "c")], at + 2), null)
    await records.addEvidence(sent(evidence(carol, 1, { source: "camara:one" })), null)
    const of = { source: "camara:one", receivedUpTo: at + 1 }
    assert.equal(await records.forgetSharedSource(of), 2)
    assert.equal(await records.forgetSharedSource(of), 0)
    assert.deepEqual(bySource(await all(records)), [
      [2, 1, "camara:two"],
      [3, 1, "camara:one"],
      [3, 1, "camara:one"],
    ])
    assert.deepEqual((await all(records)).at(-1)?.owner, acme)
    // Forgotten is forgotten: sent again it is new.
    const again = shared([notification(alice, 1, "a")], at + 3)
    assert.deepEqual(await records.addEvidence(again, null), taken("stored"))
  })
}
