import assert from "node:assert/strict"
import { test } from "node:test"
import { relative } from "./relative.ts"

const NOW = Date.parse("2026-11-17T12:00:00Z")
const HOUR = 3_600_000

const before = (hours: number): string => relative(new Date(NOW - hours * HOUR).toISOString(), NOW)

test("hours are the nearest ones, as the reasons of a score tell them", () => {
  assert.equal(before(24.4), "24 hours ago")
  assert.equal(before(24.6), "25 hours ago")
  assert.equal(before(1.9), "114 minutes ago")
})

test("days and what is longer are full ones", () => {
  assert.equal(before(3.9 * 24), "3 days ago")
  assert.equal(before(400 * 24), "13 months ago")
  assert.equal(before(10.9 * 365.25 * 24), "10 years ago")
})

test("what is ahead is told as well", () => {
  assert.equal(before(-24.6), "in 25 hours")
})
