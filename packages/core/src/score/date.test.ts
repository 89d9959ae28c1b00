import assert from "node:assert/strict"
import { test } from "node:test"
import { dateBefore } from "./date.ts"

const DAY_MS = 86_400_000

test("every date of six centuries is the one that Date has", () => {
  for (let days = -110_000; days <= 110_000; days++) {
    const expected = new Date(Date.UTC(2026, 10, 15) - days * DAY_MS).toISOString().slice(0, 10)
    assert.equal(dateBefore("2026-11-15", days), expected)
  }
})

test("a part of a day is cut off as Date does, on either side of 1970", () => {
  for (const asOf of ["2026-11-15T23:59:59.999Z", "1970-01-01", "1969-12-31T12:00:00Z"]) {
    for (const days of [1e-9, 0.25, 0.5, 20_000.000_1, 20_772.999_999_9, -1e-9, -0.5]) {
      const date = new Date(Date.parse(asOf) - days * DAY_MS)
      assert.equal(dateBefore(asOf, days), date.toISOString().slice(0, 10))
    }
  }
})

test("years before 1000 are written with four digits", () => {
  assert.equal(dateBefore("2026-11-15", 380_000), "0986-06-20")
})
