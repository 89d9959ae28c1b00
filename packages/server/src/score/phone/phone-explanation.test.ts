import assert from "node:assert/strict"
import { test } from "node:test"
import { answer } from "../../../testing/score/phone/findings-suite.ts"
import { SIGNALS_FAILED, SIGNALS_NOT_ALLOWED, SIGNALS_OFF } from "../providers/phone-signals.ts"
import { SIGNAL_STATUSES, type SignalResult } from "../providers/signals.ts"
import { explainedSignals, signalNotes } from "./phone-explanation.ts"

const failed = (status: SignalResult["status"], providerCode?: string): SignalResult => ({
  signal: "sim_change",
  status,
  source: "camara:one",
  observedAt: "2026-11-14T15:00:00.000Z",
  ...(providerCode === undefined ? {} : { providerCode }),
})

test("notes say whether anybody was asked, and why nobody was", () => {
  assert.deepEqual(signalNotes(SIGNALS_OFF), ["No operator or vendor is connected"])
  assert.match(signalNotes(SIGNALS_NOT_ALLOWED).join(), /were not asked/)
  assert.deepEqual(signalNotes(SIGNALS_FAILED), ["Operators and vendors could not be asked"])
  assert.deepEqual(signalNotes({ state: "asked", results: [] }), [
    "No operator or vendor can be asked about this number",
  ])
})

test("what could not be had is named with its source and why; what was answered is not", () => {
  const notes = (...results: SignalResult[]) => signalNotes({ state: "asked", results })
  assert.deepEqual(notes(answer("active", true), failed("timeout")), [
    "SIM change not available from camara:one: no answer in time",
  ])
  assert.deepEqual(notes(failed("rate_limited", "cost_cap")), [
    "SIM change not available from camara:one: the daily cap of costs is reached",
  ])
  assert.match(notes(failed("not_applicable", "no_date")).join(), /last verification is known$/)
  const said = SIGNAL_STATUSES.map((status) => notes(failed(status)).length)
  assert.equal(said.filter((count) => count === 0).length, 2, "only answers go without a note")
  assert.equal(new Set(SIGNAL_STATUSES.flatMap((status) => notes(failed(status)))).size, 8)
})

test("every result is shown with the same members, null where it has no value", () => {
  const { state, results } = explainedSignals({
    state: "asked",
    results: [answer("active", true, { precision: "boolean" }), failed("error", "CODE")],
  })
  assert.equal(state, "asked")
  const [first, second] = results
  assert.deepEqual(Object.keys(first ?? {}), Object.keys(second ?? {}))
  assert.deepEqual(second, {
    signal: "sim_change",
    status: "error",
    source: "camara:one",
    value: null,
    precision: null,
    covered_window: null,
    as_of: null,
    observed_at: "2026-11-14T15:00:00.000Z",
    provider_code: "CODE",
  })
})
