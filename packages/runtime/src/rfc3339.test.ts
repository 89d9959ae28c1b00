import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parseTime } from "./rfc3339.ts"

test("a time of RFC 3339 is read to the millisecond, in whatever zone", () => {
  const noon = Date.UTC(2026, 1, 28, 12)
  for (const text of [
    "2026-02-28T12:00:00Z",
    "2026-02-28t12:00:00z",
    "2026-02-28T12:00:00.000000Z",
    "2026-02-28T13:30:00+01:30",
    "2026-02-27T23:00:00-13:00",
  ])
    assert.equal(parseTime(text), noon, text)
  assert.equal(parseTime("2024-02-29T00:00:00.25Z"), Date.UTC(2024, 1, 29) + 250)
})

test("any other text is no time, dates that never were included", () => {
  for (const text of [
    "",
    "2026-02-28",
    "2026-02-28 12:00:00Z",
    "2026-02-28T12:00:00",
    "2026-02-29T12:00:00Z",
    "2026-02-30T12:00:00Z",
    "2026-00-10T12:00:00Z",
    "2026-13-10T12:00:00Z",
    "2026-04-31T12:00:00Z",
    "2026-04-00T12:00:00Z",
    "2026-02-28T24:00:00Z",
    "2026-02-28T12:60:00Z",
    "2026-02-28T12:00:60Z",
    "2026-02-28T12:00:00+24:00",
    "1772280000000",
    "+02026-02-28T12:00:00Z",
    " 2026-02-28T12:00:00Z",
    "2026-02-28T12:00:00Z\n",
  ])
    assert.equal(parseTime(text), null, JSON.stringify(text))
})

test("what a Date writes is read back", () => {
  const anyDate = fc.date({
    min: new Date(0),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(anyDate, (date) => assert.equal(parseTime(date.toISOString()), date.getTime())),
    { seed: 3, numRuns: 1_000 },
  )
})
