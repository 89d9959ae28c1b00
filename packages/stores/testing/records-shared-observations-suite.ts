import assert from "node:assert/strict"

import type { SharedObservation, SharedObserved } from "../src/records-shared-observations.ts"
import { hashOf, testsOnRecords, type TestDatabase } from "./records-suite.ts"
import type { Records } from "../src/records.ts"

const at = Date.UTC(2026, 2, 1, 12)
// In the order of their keys.
const [alice, bob, carol] = [1, 2, 3].map((n) => new Uint8Array(16).fill(n)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

function observation(
  identityKey: Uint8Array,
  what: number,
  event: string,
  source = "camara:one",
): SharedObservation {
  const entry = Uint8Array.of(0, what, 255)
  return { identityKey, source, entry, event: hashOf(event).slice(0, 16) }
}

const said = (rows: readonly SharedObserved[]): [number, number | undefined, string][] =>
  rows.map(({ identityKey, entry, source }) => [identityKey[0] ?? 0, entry[1], source])

const all = async (records: Records): ReturnType<Records["sharedObservationsAfter"]> =>
  records.sharedObservationsAfter({ after: null, identities: 1_000 })

/** What this suite does not state, no caller may rely on. */
export function recordsSharedObservationsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords(
    "shared observations come back as they were sent, from another opening too",
    async (given) => {
      const { records, open } = given
      const first = observation(alice, 1, "a")
      assert.deepEqual(await records.addSharedObservations([first], at), ["stored"])
      const again = await open()
      assert.deepEqual(await all(again), [{ ...first, receivedAt: at }])
      await again.close()
      assert.deepEqual(await records.addSharedObservations([], at), [])
    },
  )

  onRecords("a notification is known by its name and by its content", async ({ records }) => {
    const first = observation(alice, 1, "a")
    assert.deepEqual(
      await records.addSharedObservations([first, first, observation(bob, 1, "b")], at),
      ["stored", "known", "stored"],
    )
    assert.deepEqual(
      await records.addSharedObservations(
        [
          first,
          // The same name for something else, and another name for the same thing.
          observation(carol, 9, "a"),
          observation(alice, 1, "c"),
          // Of another source both are new.
          observation(alice, 1, "a", "camara:two"),
          observation(alice, 2, "d"),
        ],
        at + 1,
      ),
      ["known", "known", "known", "stored", "stored"],
    )
    assert.deepEqual(said(await all(records)), [
      [1, 1, "camara:one"],
      [1, 2, "camara:one"],
      [1, 1, "camara:two"],
      [2, 1, "camara:one"],
    ])
  })

  onRecords("many are stored at once, whole identities a page", async ({ records }) => {
    const many = Array.from({ length: 1_234 }, (_, n) =>
      observation(hashOf(String(n % 400)).slice(0, 16), n % 251, String(n)),
    )
    const outcomes = await records.addSharedObservations(many, at)
    assert.ok(outcomes.every((outcome) => outcome === "stored"))
    const seen: SharedObserved[] = []
    for (let after: Uint8Array | null = null; ;) {
      const page: SharedObserved[] = await records.sharedObservationsAfter({
        after,
        identities: 70,
      })
      const last = page.at(-1)
      if (last === undefined) break
      assert.ok(new Set(page.map(({ identityKey }) => String(identityKey))).size <= 70)
      seen.push(...page)
      after = last.identityKey
    }
    assert.equal(seen.length, 1_234)
    assert.equal(new Set(seen.map(({ event }) => String(event))).size, 1_234)
  })

  onRecords("what is stored is due until it is settled, identity by identity", async (given) => {
    const { records } = given
    const due = async (identities: number): Promise<unknown> =>
      said(await records.dueSharedObservations({ identities }))
    assert.deepEqual(await due(9), [])
    await records.addSharedObservations(
      [
        observation(carol, 1, "c"),
        observation(alice, 1, "a"),
        observation(bob, 1, "b"),
        observation(alice, 2, "d"),
      ],
      at,
    )
    const [first, second] = [
      [1, 1, "camara:one"],
      [1, 2, "camara:one"],
    ]
    assert.deepEqual(await due(1), [first, second])
    assert.deepEqual(await due(2), [first, second, [2, 1, "camara:one"]])
    await records.settleSharedObservations({ through: bob })
    assert.deepEqual(await due(9), [[3, 1, "camara:one"]])
    await records.settleSharedObservations({ through: carol })
    assert.deepEqual(await due(9), [])
    // What is known is not due anew.
    await records.addSharedObservations([observation(alice, 1, "a")], at + 1)
    assert.deepEqual(await due(9), [])
    assert.equal((await all(records)).length, 4)
  })

  onRecords("of an erased subject nothing is held, nor taken again", async ({ records }) => {
    const sent = [observation(alice, 1, "a"), observation(bob, 1, "b")]
    await records.addSharedObservations(sent, at)
    const change = {
      identityKey: alice,
      identityType: "phone",
      reason: "subject_request",
      reference: null,
      at,
      actor: "test",
    } as const
    const { id: tenantId } = await records.createTenant({
      name: "Acme",
      plan: "free",
      at,
      actor: "test",
    })
    // What everybody may see is not one tenant's to erase.
    assert.equal((await records.eraseSubject({ ...change, tenantId })).reports, 0)
    assert.equal((await all(records)).length, 2)
    assert.equal((await records.eraseSubject({ ...change, tenantId: null })).reports, 1)
    assert.deepEqual(said(await all(records)), [[2, 1, "camara:one"]])
    assert.deepEqual(
      await records.addSharedObservations([...sent, observation(alice, 3, "x")], at + 1),
      ["erased", "known", "erased"],
    )
    assert.deepEqual(said(await all(records)), [[2, 1, "camara:one"]])
  })

  onRecords("a source is forgotten up to a moment, and others stay", async ({ records }) => {
    await records.addSharedObservations([observation(alice, 1, "a")], at)
    await records.addSharedObservations(
      [observation(bob, 1, "b"), observation(bob, 1, "b", "camara:two")],
      at + 1,
    )
    await records.addSharedObservations([observation(carol, 1, "c")], at + 2)
    const of = { source: "camara:one", receivedUpTo: at + 1 }
    assert.equal(await records.forgetSharedSource(of), 2)
    assert.equal(await records.forgetSharedSource(of), 0)
    assert.deepEqual(said(await all(records)), [
      [2, 1, "camara:two"],
      [3, 1, "camara:one"],
    ])
    // Forgotten is forgotten: sent again it is new.
    assert.deepEqual(await records.addSharedObservations([observation(alice, 1, "a")], at + 3), [
      "stored",
    ])
  })
}
