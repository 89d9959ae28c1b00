import assert from "node:assert/strict"
import { test } from "node:test"
import { emailInput, emailModel } from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail } from "./assess-email.ts"
import type { EmailInput } from "./email-input.ts"
import { SIGNAL_TYPES } from "./vocabulary.ts"

function assessed(known: Partial<EmailInput>) {
  return assessEmail(emailInput(known), emailModel)
}

test("an identity nobody leaked is not exposed and was last seen never", () => {
  const { exposed, exposure_count, last_seen } = assessed({})
  assert.deepEqual([exposed, exposure_count, last_seen], [false, 0, null])
})

test("exposure counts distinct sources over exposures and signals, and dates the newest", () => {
  const { exposed, exposure_count, last_seen } = assessed({
    exposures: [
      { kind: "breach", source: "a", item: "1", age: 400, secret: "none" },
      { kind: "breach", source: "a", item: "2", age: 300 },
      { kind: "paste", source: "b", age: 60 },
    ],
    signals: [
      { type: "listing", source: "b", age: 20 },
      { type: "repost", source: "c", age: 15 },
    ],
  })
  assert.deepEqual([exposed, exposure_count, last_seen], [true, 3, "2026-10-31"])
})

test("talk, an attack and a loss publish nothing and are no exposure", () => {
  for (const type of SIGNAL_TYPES) {
    const { exposed, last_seen } = assessed({ signals: [{ type, source: "a", age: 1 }] })
    const isExposure = !["mention", "attack", "monetized"].includes(type)
    assert.equal(exposed, isExposure, type)
    assert.equal(last_seen, isExposure ? "2026-11-14" : null, type)
  }
})

test("dates cross months, years and leap days", () => {
  const seen = (as_of: string, age: number) =>
    assessEmail(
      { ...emailInput({ exposures: [{ kind: "breach", source: "a", age }] }), as_of },
      emailModel,
    ).last_seen
  assert.equal(seen("2024-03-01", 1), "2024-02-29")
  assert.equal(seen("2026-01-01", 1), "2025-12-31")
  assert.equal(seen("2026-11-15", 0), "2026-11-15")
})

test("a date that is not UTC is refused, because it would depend on the machine", () => {
  for (const as_of of ["2026-11-15T10:00:00", "15.11.2026", "2026-13-40", "", "2026-11-15+01:00"]) {
    assert.throws(
      () => assessEmail({ ...emailInput(), as_of }, emailModel),
      /as_of takes a UTC date/,
    )
  }
})

test("evidence of an unknown kind is refused rather than ignored", () => {
  const exposures = [{ kind: "rumour", source: "a", age: 1 }] as unknown as EmailInput["exposures"]
  assert.throws(
    () => assessEmail(emailInput({ exposures: exposures ?? [] }), emailModel),
    RangeError,
  )
})
