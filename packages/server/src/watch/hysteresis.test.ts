import assert from "node:assert/strict"
import { test } from "node:test"
import { bandOf, type Stage } from "@assay/core/score"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { changeOf, DWELL_MS, type LastTold, type Standing } from "./hysteresis.ts"
import { LOOKED_AT_DAYS, nextChangeAt } from "./next-change.ts"

const at = Date.UTC(2026, 10, 18, 9, 30)
const standing = (score: number, stage: Stage | null = "LEAKED"): Standing => ({
  score,
  stage,
  band: bandOf(score),
})
const told = (score: number, roseAt: number | null = null, stage?: Stage | null): LastTold => ({
  standing: standing(score, stage),
  roseAt,
})

test("a rise of band or stage is told at once, a change within both is not told", () => {
  assert.equal(changeOf(told(59), standing(60), at, false), "rise")
  assert.equal(changeOf(told(59, at), standing(60), at, false), "rise")
  assert.equal(changeOf(told(30), standing(30, "TRADED"), at, false), "rise")
  assert.equal(changeOf(told(25), standing(59), at, false), null)
  assert.equal(changeOf(told(59), standing(25), at, false), null)
  // A higher stage is told even where the score fell out of its band.
  assert.equal(changeOf(told(60), standing(59, "TRADED"), at, false), "rise")
})

test("a fall is told three points below the edge of the band that was told, and not before", () => {
  assert.equal(changeOf(told(80), standing(78), at, false), null)
  assert.equal(changeOf(told(80), standing(77), at, false), "fall")
  assert.equal(changeOf(told(95), standing(23), at, false), "fall")
  assert.equal(changeOf(told(30), standing(23), at, false), null)
  assert.equal(changeOf(told(30), standing(22), at, false), "fall")
  assert.equal(changeOf(told(30, null, null), standing(22, null), at, false), "fall")
})

test("after a rise a fall waits for a day, unless the tenant reported something itself", () => {
  const after = told(80, at)
  assert.equal(changeOf(after, standing(30), at + DWELL_MS - 1, false), null)
  assert.equal(changeOf(after, standing(30), at + DWELL_MS, false), "fall")
  assert.equal(changeOf(after, standing(30), at + 1, true), "fall")
  // Reporting something brings no fall within the margin.
  assert.equal(changeOf(after, standing(79), at + 1, true), null)
  assert.equal(changeOf(told(30, at, "TRADED"), standing(30), at + 1, false), null)
  assert.equal(changeOf(told(30, at, "TRADED"), standing(30), at + DWELL_MS, false), "fall")
})

/** Loses `each` points with every day or hour that begins. */
const falling =
  (from: number, each: number, stepMs: number) =>
  (atMs: number): Standing =>
    standing(
      Math.max(0, from - each * (Math.floor(atMs / stepMs) - Math.floor(at / stepMs))),
      "LEAKED",
    )

test("the next look is at the first moment at which something would be told", () => {
  const midnight = Math.floor(at / DAY_MS) * DAY_MS
  const days = nextChangeAt(told(70), at, "day", falling(70, 2, DAY_MS))
  assert.equal(days, midnight + 7 * DAY_MS)
  assert.equal(falling(70, 2, DAY_MS)(days).score, 56)
  assert.equal(falling(70, 2, DAY_MS)(days - 1).score, 58)
  const hour = Math.floor(at / HOUR_MS) * HOUR_MS
  assert.equal(nextChangeAt(told(70), at, "hour", falling(70, 1, HOUR_MS)), hour + 13 * HOUR_MS)
})

test("it waits for the end of the day after a rise, and no longer than a month for nothing", () => {
  const held = told(80, at - HOUR_MS)
  assert.equal(
    nextChangeAt(held, at, "day", () => standing(30)),
    at - HOUR_MS + DWELL_MS,
  )
  const soon = nextChangeAt(told(80, at), at, "hour", falling(80, 2, HOUR_MS))
  assert.equal(soon, at + DWELL_MS)
  const never = nextChangeAt(told(80), at, "day", () => standing(80))
  assert.equal(never, Math.floor(at / DAY_MS) * DAY_MS + LOOKED_AT_DAYS * DAY_MS)
})
