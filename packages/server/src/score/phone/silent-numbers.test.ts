import assert from "node:assert/strict"
import { test } from "node:test"
import { parsePhone } from "@assay/core/identity"
import { assessPhone } from "@assay/core/score"
import { deriveSecrets } from "@assay/runtime/secrets"
import { HOUR_MS } from "@assay/runtime/time"
import fc from "fast-check"
import type { Caller } from "../../accounts/callers.ts"
import { foundOf, caller, NOW_MS, type Seen } from "../../../testing/score/phone/findings-suite.ts"
import { signalsOff } from "../providers/phone-signals.ts"
import { openModels } from "../models.ts"
import { phoneEntries } from "./phone-entries.ts"
import { phoneEvidence } from "./phone-evidence.ts"
import { phoneScorer, type ScoredPhone } from "./phone-scorer.ts"
import { rememberingSilentNumbers } from "./silent-numbers.ts"
import { NO_SIGNAL_FACTS } from "./signal-facts.ts"

const NUMBERS = process.env["ASSAY_SOAK"] === undefined ? 1_500 : 10_000
const models = openModels("/nowhere")
const callers: readonly Caller[] = [
  caller,
  { ...caller, smsOnlyStepUp: true },
  { ...caller, phoneSettings: { confirmedBeforeBlock: true } },
  { ...caller, phoneModel: "1.0" },
]
const found: readonly (readonly Seen[])[] = [
  [],
  [["decided", 5]],
  [
    ["decided", 30],
    ["sim_change", 6],
  ],
  [["call_forwarding", 2, 1]],
  [["fraud_report", 9]],
]

function valuesOf(text: string) {
  const parsed = parsePhone(text)
  if ("fault" in parsed) assert.fail(parsed.detail)
  return parsed
}

const plans = [
  "+4917",
  "+1212555",
  "+447700900",
  "+336",
  "+9198",
  "+870",
  "+1900",
  "+61491570",
  "+999",
]
const anyNumber = fc
  .tuple(fc.constantFrom(...plans), fc.integer({ min: 1_000_000, max: 99_999_999 }))
  .map(([plan, rest]) => (plan + String(rest)).slice(0, 15))

test("any number is answered and recorded to the byte as if nothing were remembered", () => {
  let nowMs = NOW_MS
  let seen: readonly Seen[] = []
  let recorded = ""
  const { identify, score } = phoneScorer({
    index: { lookupInTurn: () => foundOf(seen, false) },
    numberVelocity: { accounts24h: () => assert.fail("there is no context") },
    signals: signalsOff,
    metrics: { countShadowFailed: assert.fail, countSignalsFailed: assert.fail },
    decisions: {
      record({ input, inputJson }, asker) {
        recorded = inputJson?.() ?? JSON.stringify(input)
        asker.answered(null)
      },
    },
    models,
    usage: { count: () => undefined, flush: async () => undefined },
    secrets: deriveSecrets(new Uint8Array(32)),
    now: () => nowMs,
  })
  const answered = (phone: string, by: Caller, explain: boolean): ScoredPhone => {
    const given: ScoredPhone[] = []
    const failed = (error: unknown): never => assert.fail(String(error))
    score(identify(phone, null), by, explain, null, {
      answered: (each) => given.push(each),
      failed,
    })
    return given[0] ?? assert.fail("not at once")
  }
  const anyRequest = fc.record({
    phone: anyNumber,
    by: fc.constantFrom(...callers),
    seen: fc.constantFrom(...found),
    ms: fc.nat({ max: HOUR_MS }),
    explain: fc.boolean(),
  })
  for (const each of fc.sample(anyRequest, { seed: 20_261_119, numRuns: NUMBERS })) {
    nowMs = NOW_MS + each.ms
    seen = each.seen
    const model = models.phone(each.by.phoneModel)
    const input = phoneEvidence({
      parsed: valuesOf(each.phone),
      entries: phoneEntries(foundOf(seen, false), each.by, nowMs),
      ...{ signals: NO_SIGNAL_FACTS, context: null, accounts24h: null },
      ...{ caller: each.by, model, nowMs },
    })
    const { explanation: _, ...result } = answered(each.phone, each.by, each.explain).result
    assert.equal(recorded, JSON.stringify(input))
    assert.equal(
      JSON.stringify(result),
      JSON.stringify({ phone_number: each.phone, ...assessPhone(input, model) }),
    )
  }
})

test("numbers of one shape share an assessment, which is that of one caller, model and shape", () => {
  const weigh = rememberingSilentNumbers()
  const weighed = (phone: string, by = caller, model = models.phone(by.phoneModel), later = 0) =>
    weigh({
      parsed: valuesOf(phone),
      entries: phoneEntries(foundOf([], false), by, NOW_MS),
      ...{ signals: NO_SIGNAL_FACTS, context: null, accounts24h: null },
      ...{ caller: by, model, nowMs: NOW_MS + later },
    })
  const first = weighed("+4915112345678")
  const second = weighed("+4915187654321", caller, models.phone(caller.phoneModel), 7)
  assert.equal(second.assessment, first.assessment)
  assert.notEqual(second.json(), first.json())
  assert.equal(second.json(), first.json().replace(".000Z", ".007Z"))
  for (const other of [
    weighed("+493012345678"),
    weighed("+33612345678"),
    weighed("+4915112345678", { ...caller }),
    weighed("+4915112345678", caller, models.phone("1.0")),
  ])
    assert.notEqual(other.assessment, first.assessment)
})
