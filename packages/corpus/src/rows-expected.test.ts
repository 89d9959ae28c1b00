import assert from "node:assert/strict"
import { test } from "node:test"
import { RowsExpected } from "./rows-expected.ts"

test("repeated rows are known to be missing long before the end, and the share done never falls", () => {
  // 60,000 of 100,000 rows, with keys that are not quite even.
  const expected = new RowsExpected(100_000)
  assert.equal(expected.totalFor(0), 100_000)
  let share = 0
  for (let rows = 2_000; rows <= 60_000; rows += 2_000) {
    const uneven = 1 + 0.03 * Math.sin(rows)
    expected.came(rows, Math.min(2 ** 32 - 1, Math.floor((rows / 60_000) * 2 ** 32 * uneven)))
    const done = rows - 1_000
    const total = expected.totalFor(done)
    assert.ok(done / total >= share && done <= total && total <= 100_000, `${done} of ${total}`)
    if (rows > 10_000) assert.ok(Math.abs(total - 60_000) < 4_000, `${total} at ${rows}`)
    share = done / total
  }
  assert.equal(expected.totalFor(60_000), 60_000)
})

test("there are never more than at most, and few rows tell nothing", () => {
  const expected = new RowsExpected(10_000)
  expected.came(10, 2 ** 31)
  assert.equal(expected.totalFor(10), 10_000)
  expected.came(5_000, 2 ** 30)
  assert.equal(expected.totalFor(5_000), 10_000)
})
