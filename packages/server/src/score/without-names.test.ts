import assert from "node:assert/strict"
import { test } from "node:test"
import { newDecision } from "@assay/stores/testing/decisions-suite"
import { withoutNames } from "./without-names.ts"

test("names become numbers of the one decision, the same for the same, and the rest stays", () => {
  const exposures = [
    { kind: "breach", source: "site-a", item: "log 7", age: 3, conf: 0.5 },
    { kind: "breach", source: "source 812", age: 4 },
    { kind: "stealer", source: "site-a", item: "log 9", age: 3 },
  ]
  const signals = [{ type: "sale", source: "source 812", item: "log 7", age: 1 }]
  const trust = { free: true, blocklist: [{ conf: 1, age: 0, listedAge: 9, name: "deny.csv" }] }
  const input = { as_of: "2026-11-14", exposures, signals, trust, settings: { x: 1 } }
  const told = withoutNames({
    ...newDecision(),
    identityType: "email",
    input: JSON.stringify(input),
  })
  assert.deepEqual(JSON.parse(told.input), {
    ...input,
    exposures: [
      { ...exposures[0], source: "source 1", item: "item 1" },
      { ...exposures[1], source: "source 2" },
      { ...exposures[2], source: "source 1", item: "item 2" },
    ],
    signals: [{ ...signals[0], source: "source 2", item: "item 1" }],
    trust: { free: true, blocklist: [{ conf: 1, age: 0, listedAge: 9 }] },
  })
})
