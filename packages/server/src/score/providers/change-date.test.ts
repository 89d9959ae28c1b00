import assert from "node:assert/strict"
import { test } from "node:test"
import { changeDate } from "./change-date.ts"

const NOW = Date.parse("2026-11-15T12:00:00Z")

test("a date of the past is taken as it is, in UTC", () => {
  assert.equal(changeDate("2026-11-14T09:30:00Z", NOW), "2026-11-14T09:30:00.000Z")
  assert.equal(changeDate("2026-11-14T09:30:00.250+02:00", NOW), "2026-11-14T07:30:00.250Z")
})

test("a date at most an hour ahead is now, since clocks differ", () => {
  assert.equal(changeDate("2026-11-15T13:00:00Z", NOW), "2026-11-15T12:00:00.000Z")
  assert.equal(changeDate("2026-11-15T13:00:01Z", NOW), null)
})

test("a date that stands for none, and what is no date, are not believed", () => {
  assert.equal(changeDate("1990-01-01T00:00:00Z", NOW), "1990-01-01T00:00:00.000Z")
  for (const odd of [
    "1989-12-31T23:59:59Z",
    "1900-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-11-14",
    "2026-11-14T09:30:00",
    "yesterday",
    "",
    1_700_000_000,
    null,
    undefined,
    {},
  ])
    assert.equal(changeDate(odd, NOW), null, JSON.stringify(odd))
})
