import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { MalformedBytes } from "./bytes.ts"
import { entryBytes, type Entry } from "./entry.ts"
import {
  firstEntrySet,
  mergedEntrySet,
  readEntrySet,
  replacedEntrySet,
  visibleEntries,
  type BatchState,
  type EntrySet,
} from "./entry-set.ts"
import { anyEntry, breach } from "../testing/entry-samples-suite.ts"

const live = (): BatchState => "live"
const everything = (): boolean => true

function mergedInto(
  stored: Uint8Array | undefined,
  entries: readonly Entry[],
  max = 256,
  stateOf: (batchId: number) => BatchState = live,
): Uint8Array {
  return mergedEntrySet(stored, entries, max, stateOf)
}

function days(count: number, of: Partial<Entry>): Entry[] {
  return Array.from({ length: count }, (_, i) => ({ ...breach, hours: 24 * (i + 1), ...of }))
}

test("an identity never seen has no entries and nothing cut", () => {
  assert.deepEqual(readEntrySet(undefined), { entries: [], cuts: new Map() })
})

test("the same entry twice is one", () => {
  const once = mergedInto(undefined, [breach])
  assert.deepEqual(mergedInto(undefined, [breach, { ...breach }]), once)
  assert.deepEqual(mergedInto(once, [breach]), once)
  assert.equal(readEntrySet(once).entries.length, 1)
})

test("merging is union: neither the order of batches nor a repeated one changes what is stored", () => {
  // Few distinct entries and little room, so that most runs have duplicates and cuts. Each batch
  // brings one row.
  const rows = fc
    .array(fc.array(anyEntry(fc.constant(1)), { maxLength: 12 }), { minLength: 1, maxLength: 5 })
    .map((batches) =>
      batches.map((entries, i) => entries.map((entry) => ({ ...entry, batchId: i + 1 }))),
    )
  const orders = rows.chain((batches) =>
    fc.tuple(
      fc.constant(batches),
      fc.shuffledSubarray(batches, { minLength: batches.length, maxLength: batches.length }),
      fc.subarray(batches),
    ),
  )
  fc.assert(
    fc.property(orders, fc.integer({ min: 1, max: 20 }), ([batches, shuffled, again], max) => {
      const inOrder = batches.reduce<Uint8Array>(
        (stored, row) => mergedInto(stored, row, max),
        mergedInto(undefined, [], max),
      )
      const otherwise = [...shuffled, ...again].reduce<Uint8Array>(
        (stored, row) => mergedInto(stored, row, max),
        mergedInto(undefined, [], max),
      )
      assert.deepEqual(otherwise, inOrder)
      const set = readEntrySet(inOrder)
      const distinct = new Set(batches.flat().map((entry) => entryBytes(entry).toString()))
      const cut = [...set.cuts.values()].reduce((sum, count) => sum + count, 0)
      assert.equal(set.entries.length, Math.min(max, distinct.size))
      assert.equal(set.entries.length + cut, distinct.size)
    }),
    { seed: 3, numRuns: 1_000 },
  )
})

test("what loads in parts and is interrupted shows the same in the end, in whatever order batches go live", () => {
  const plan = fc.record({
    sizes: fc.array(fc.array(anyEntry(fc.constant(1)), { maxLength: 10 }), {
      minLength: 2,
      maxLength: 4,
    }),
    steps: fc.array(fc.tuple(fc.nat(3), fc.boolean()), { maxLength: 12 }),
  })
  fc.assert(
    fc.property(plan, fc.integer({ min: 1, max: 12 }), ({ sizes, steps }, max) => {
      const batches = sizes.map((entries, i) =>
        entries.map((entry) => ({ ...entry, batchId: i + 1 })),
      )
      const states = new Map<number, BatchState>()
      const stateOf = (id: number): BatchState => states.get(id) ?? "loading"
      const isLive = (id: number): boolean => stateOf(id) === "live"
      let stored = mergedInto(undefined, [], max, stateOf)
      const finish = (id: number): void => {
        if (isLive(id)) return
        stored = mergedInto(stored, batches[id - 1] ?? [], max, stateOf)
        states.set(id, "live")
      }
      for (const [step, finishes] of steps) {
        const id = (step % batches.length) + 1
        const seen = visibleEntries(readEntrySet(stored), max, isLive)
        if (finishes) finish(id)
        else if (!isLive(id)) {
          stored = mergedInto(stored, batches[id - 1] ?? [], max, stateOf)
          assert.deepEqual(visibleEntries(readEntrySet(stored), max, isLive), seen)
        }
      }
      batches.forEach((_, i) => {
        finish(i + 1)
      })
      const allAtOnce = mergedInto(undefined, batches.flat(), max)
      const expected = visibleEntries(readEntrySet(allAtOnce), max, everything)
      assert.deepEqual(visibleEntries(readEntrySet(stored), max, isLive), expected)
    }),
    { seed: 4, numRuns: 2_000 },
  )
})

test("a flood from a batch still loading pushes out nothing that can be seen", () => {
  const stateOf = (id: number): BatchState => (id === 1 ? "live" : "loading")
  const before = mergedInto(undefined, days(256, { kind: "breach" }))
  const flooded = mergedInto(before, days(300, { kind: "attack", batchId: 2 }), 256, stateOf)
  const visible = (set: Uint8Array): { entries: readonly Entry[]; cut: number } =>
    visibleEntries(readEntrySet(set), 256, (id) => id === 1)
  assert.equal(visible(flooded).entries.length, 256)
  assert.deepEqual(visible(flooded), visible(before))
  const afterwards = visibleEntries(readEntrySet(flooded), 256, everything)
  assert.equal(afterwards.cut, 300)
  assert.ok(afterwards.entries.every(({ kind }) => kind === "attack"))
})

test("what is worst for a person is cut last, then what is newest", () => {
  const kept = (entries: Entry[], max: number): Entry[] => [
    ...readEntrySet(mergedInto(undefined, entries, max)).entries,
  ]
  const ladder = [
    { ...breach, kind: "monetized" },
    { ...breach, kind: "attack" },
    { ...breach, kind: "tested" },
    { ...breach, kind: "stealer" },
    { ...breach, kind: "combolist" },
    { ...breach, kind: "breach" },
    { ...breach, kind: "mention" },
  ] as const satisfies Entry[]
  for (let max = 1; max < ladder.length; max++) {
    // Each higher entry is older, so that nothing but its stage can have kept it.
    const aged = ladder.map((entry, i) => ({ ...entry, hours: i }))
    assert.deepEqual(new Set(kept(aged, max)), new Set(aged.slice(0, max)))
  }
  const three = days(3, {})
  assert.deepEqual(new Set(kept(three, 2)), new Set(three.slice(1)))
})

test("an exposure without a secret counts no more than a breach, whatever its kind", () => {
  const stealer: Entry = { ...breach, kind: "stealer", secret: "none", hours: 1 }
  const newer: Entry = { ...breach, kind: "paste", hours: 2 }
  assert.deepEqual(readEntrySet(mergedInto(undefined, [stealer, newer], 1)).entries, [newer])
  const withSecret: Entry = { ...stealer, secret: "unknown" }
  assert.deepEqual(readEntrySet(mergedInto(undefined, [withSecret, newer], 1)).entries, [
    withSecret,
  ])
})

test("a SIM change and a confirmed takeover outlast any number of breaches and deliveries", () => {
  const findings: Entry[] = [
    { ...breach, kind: "sim_change", secret: "none", hours: 1 },
    { ...breach, kind: "takeover_confirmed", secret: "none", hours: 1 },
  ]
  const flood = [...days(400, {}), ...days(400, { kind: "delivered", secret: "none" })]
  const { entries } = readEntrySet(mergedInto(mergedInto(undefined, findings), flood))
  for (const { kind } of findings) assert.ok(entries.some((entry) => entry.kind === kind))
  assert.ok(!entries.some(({ kind }) => kind === "delivered"), "a delivery displaced a breach")
})

test("entries of a removed batch go when something else is merged, and their cut with them", () => {
  const stored = mergedInto(undefined, [...days(3, { batchId: 1 }), ...days(3, { batchId: 2 })], 4)
  assert.ok(readEntrySet(stored).cuts.size > 0)
  const stateOf = (id: number): BatchState => (id === 1 ? "removed" : "live")
  const after = readEntrySet(mergedInto(stored, days(1, { batchId: 3 }), 4, stateOf))
  assert.ok(after.entries.every(({ batchId }) => batchId !== 1))
  assert.ok(!after.cuts.has(1))
})

test("evidence that keeps arriving one by one is counted when it pushes older evidence out", () => {
  const stored = days(70, {}).reduce<Uint8Array | undefined>(
    (set, entry) => mergedInto(set, [entry], 64),
    undefined,
  )
  const set = readEntrySet(stored)
  assert.equal(set.entries.length, 64)
  assert.deepEqual(set.cuts, new Map([[1, 6]]))
})

test("the cut of batches one may not see is not counted", () => {
  const set: EntrySet = {
    entries: [],
    cuts: new Map([
      [1, 5],
      [2, 7],
    ]),
  }
  assert.equal(visibleEntries(set, 256, (id) => id === 2).cut, 7)
})

const one = Buffer.from(entryBytes(breach)).toString("hex")
const two = Buffer.from(entryBytes({ ...breach, batchId: 2 })).toString("hex")
for (const [name, hex] of [
  ["nothing at all", ""],
  ["entries out of order", `00${two}${one}`],
  ["an entry twice", `00${one}${one}`],
  ["a cut record of nothing", `010100${one}`],
  ["cut records out of order", `0202010101${one}`],
  ["fewer cut records than announced", "020101"],
  ["a cut entry", `00${one.slice(0, -2)}`],
  ["bytes behind the last entry", `00${one}08`],
] as const) {
  test(`a stored value is refused, not read in part: ${name}`, () => {
    assert.throws(() => readEntrySet(Buffer.from(hex, "hex")), MalformedBytes)
  })
}

test("replacing a batch's entries leaves those and no others of it, once or repeatedly, also where there is no room", () => {
  const sets = fc.array(anyEntry(fc.integer({ min: 1, max: 3 })), { maxLength: 30 })
  const own = fc.array(anyEntry(fc.constant(2)), { maxLength: 12 })
  fc.assert(
    fc.property(sets, own, own, fc.integer({ min: 1, max: 20 }), (stored, earlier, now, max) => {
      const replaced = (set: Uint8Array | undefined, entries: readonly Entry[]): Uint8Array =>
        replacedEntrySet(set, 2, entries, max, live)
      const before = mergedInto(undefined, stored, max)
      const once = replaced(before, now)
      assert.deepEqual(replaced(once, now), once)
      const said = new Set(now.map((entry) => Buffer.from(entryBytes(entry)).toString("hex")))
      const { entries, cuts } = readEntrySet(once)
      const kept = entries.filter(({ batchId }) => batchId === 2)
      for (const entry of kept) assert.ok(said.has(Buffer.from(entryBytes(entry)).toString("hex")))
      assert.equal(kept.length + (cuts.get(2) ?? 0), said.size)
      // With room for all, the batch's earlier entries left no trace.
      const roomy = mergedInto(undefined, stored)
      assert.deepEqual(
        replacedEntrySet(replacedEntrySet(roomy, 2, earlier, 256, live), 2, now, 256, live),
        replacedEntrySet(roomy, 2, now, 256, live),
      )
    }),
    { seed: 11, numRuns: 500 },
  )
})

test("of what a batch says first nothing is added to later, also when it was cut at once", () => {
  const first = firstEntrySet(undefined, [{ ...breach, batchId: 1 }], 256, live)
  const later = { ...breach, batchId: 1, hours: breach.hours + 24 }
  assert.deepEqual(firstEntrySet(first, [later], 256, live), first)
  const full = mergedInto(undefined, days(3, { kind: "attack", batchId: 2 }), 3)
  const cut = firstEntrySet(full, [{ ...breach, kind: "decided", batchId: 1 }], 3, live)
  assert.deepEqual(readEntrySet(cut).cuts, new Map([[1, 1]]))
  assert.deepEqual(firstEntrySet(cut, [later], 3, live), cut)
})
