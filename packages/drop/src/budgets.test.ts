import assert from "node:assert/strict"
import { test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { type Budgets, type DiskRoom, openBudgets } from "./budgets.ts"

const config = { textPerHour: 4, filesPerHour: 2, bytesPerDay: 10_000_000 }
const EMPTY_DISK = { freeBytes: 1e12, freeShare: 0.9 }

function opened(room: DiskRoom = EMPTY_DISK): { budgets: Budgets; clock: { now: number } } {
  const clock = { now: 1000 * HOUR_MS }
  return {
    clock,
    budgets: openBudgets({ config, room: async () => room, now: () => clock.now }),
  }
}

test("T41: a kind of message that is used up for this hour does not touch the other", async () => {
  const { budgets, clock } = opened()
  for (let n = 0; n < config.filesPerHour; n++)
    assert.equal(await budgets.admitPlain("files", 100, `192.0.${n}.1`), null)
  assert.equal(await budgets.admitPlain("files", 100), "busy")
  assert.equal(await budgets.admitPlain("text", 100), null)
  assert.ok(!budgets.plainTextLow())
  assert.equal(await budgets.sealedRefusal("files", 100), null, "a ticket is never too many")
  clock.now += HOUR_MS
  assert.equal(await budgets.admitPlain("files", 100), null)
})

test("T42: on a disk that is 95 % full files are refused and text is taken, until there is no room at all", async () => {
  const { budgets } = opened({ freeBytes: 5e10, freeShare: 0.05 })
  assert.equal(await budgets.filesTaken(), false)
  assert.equal(await budgets.admitPlain("files", 100), "full")
  assert.equal(await budgets.sealedRefusal("files", 100), "full")
  assert.equal(await budgets.admitPlain("text", 100), null)
  assert.equal(await budgets.sealedRefusal("text", 100), null)
  const full = opened({ freeBytes: 1_000_000, freeShare: 0.0001 })
  assert.equal(await full.budgets.admitPlain("text", 100), "full")
  assert.equal(await full.budgets.sealedRefusal("text", 100), "full")
})

test("past the bytes of a day only messages without files are taken", async () => {
  const { budgets, clock } = opened()
  budgets.countSealed("files", config.bytesPerDay)
  assert.equal(await budgets.sealedRefusal("files", 1), "full")
  assert.equal(await budgets.sealedRefusal("text", 1), null)
  clock.now += 24 * HOUR_MS
  assert.equal(await budgets.sealedRefusal("files", 1), null)
})

test("the work for a ticket doubles as the hour's budget empties, and not without end", () => {
  const { budgets, clock } = opened()
  const seen = [budgets.doublings("text")]
  for (let n = 0; n < 30; n++) {
    budgets.countSealed("text", 1)
    seen.push(budgets.doublings("text"))
  }
  assert.equal(budgets.doublings("files"), 0, "text does not make files dearer")
  assert.deepEqual(new Set(seen), new Set([0, 1, 2, 3, 4, 5]))
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  )
  clock.now += 10 * HOUR_MS
  assert.equal(budgets.doublings("text"), 0)
})

test("the work for files doubles as the bytes of a day are used up, and that for text does not", () => {
  const { budgets, clock } = opened()
  for (const doublings of [0, 1, 2, 3]) {
    assert.equal(budgets.doublings("files"), doublings)
    assert.equal(budgets.doublings("text"), 0)
    // One message, however large, is a half of this hour's files: let the hour pass, and hardly any
    // of the day.
    budgets.countSealed("files", 0.3 * config.bytesPerDay)
    clock.now += HOUR_MS
  }
})

test("what was not taken is not counted", async () => {
  const { budgets } = opened({ freeBytes: 5e10, freeShare: 0.05 })
  for (let n = 0; n < 10; n++) await budgets.admitPlain("files", 100)
  assert.equal(await budgets.sealedRefusal("text", config.bytesPerDay), null)
  for (let n = 0; n < config.textPerHour; n++)
    assert.equal(await budgets.admitPlain("text", 1), null)
})
