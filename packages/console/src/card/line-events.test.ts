import assert from "node:assert/strict"
import { test } from "node:test"
import type { PhoneExplained } from "./explanation.ts"
import { lineEvents } from "./line-events.ts"

const input = {
  as_of: "2026-11-17T12:00:00Z",
  simChangeAge: 0.5,
  deviceChangedWithSim: true,
  portAge: null,
  verifiedAge: 30,
}

test("a past decision, which keeps no evidence, has its events by their ages", () => {
  const events = lineEvents({ input } as PhoneExplained)
  assert.deepEqual(
    events.map(({ name, at, source }) => [name, at, source]),
    [
      ["SIM change", "2026-11-17T00:00:00.000Z", null],
      ["Device change", "2026-11-17T00:00:00.000Z", null],
      ["Verification", "2026-10-18T12:00:00.000Z", null],
    ],
  )
})

test("evidence goes before ages, and what is no event is left out", () => {
  const evidence = [
    { kind: "port", observed_at: "2026-11-01T00:00:00.000Z", value: null, source: "register" },
    { kind: "tenure", observed_at: "2026-11-01T00:00:00.000Z", value: 1100, source: "register" },
  ]
  const events = lineEvents({ input, evidence } as unknown as PhoneExplained)
  assert.deepEqual(events, [{ name: "Port", at: "2026-11-01T00:00:00.000Z", source: "register" }])
})
