import assert from "node:assert/strict"
import { test } from "node:test"
import { parsePhone } from "@assay/core/identity"
import { Value } from "typebox/value"
import { type DemoLine, demoLines, demoTwilioLines } from "./demo-lines.ts"
import { type LineScript, LineScript as LineSchema, type TrialFault } from "./script.ts"
import { trialSettings } from "./trial-settings.ts"
import { TwilioScript } from "./twilio-script.ts"

const nowMs = Date.now()
const lines = demoLines(nowMs)
const twilioLines = demoTwilioLines(nowMs)
const { camara, twilio } = trialSettings({
  url: "http://127.0.0.1:9091",
  tokenUrl: "http://127.0.0.1:9091/token",
  clientId: "trial",
  keyId: "trial-1",
  twilioUrl: "http://127.0.0.1:9091/twilio/",
  twilioUser: "trial",
})

/** The carrier with the longest range that fits. */
function carrierOf(number: string): string | undefined {
  return camara
    .flatMap(({ name, ranges }) => ranges.map((range) => ({ name, range })))
    .filter(({ range }) => number.startsWith(range))
    .sort((a, b) => b.range.length - a.range.length)[0]?.name
}

test("the numbers of the demo differ, can be scored, and belong to nobody", () => {
  const numbers = [...lines, ...twilioLines].map(({ number }) => number)
  assert.equal(new Set(numbers).size, numbers.length)
  for (const number of numbers) {
    const parsed = parsePhone(number)
    assert.ok("valid" in parsed && parsed.valid && parsed.special === "fictional", number)
  }
})

test("the scripts of the demo can be played", () => {
  for (const { script, number } of lines) assert.ok(Value.Check(LineSchema, script), number)
  for (const { script, number } of twilioLines) assert.ok(Value.Check(TwilioScript, script), number)
})

test("the demo shows every value of sim_swap_risk, by date and by yes or no, and every failure", () => {
  const risks = (of: readonly DemoLine[]): string[] =>
    [...new Set(of.filter((one) => !one.historyMissing).map((one) => one.simSwapRisk))].sort()
  const isYesOrNo = ({ script }: DemoLine): boolean => script.sim?.answers === "check"
  assert.deepEqual(risks(lines.filter((line) => !isYesOrNo(line))), [
    "elevated",
    "high",
    "low",
    "none",
  ])
  assert.deepEqual(risks(lines.filter(isYesOrNo)), ["elevated", "high", "none"])
  const kinds = new Set(lines.flatMap(({ script }) => faultsOf(script).map(({ kind }) => kind)))
  const wanted: Record<TrialFault["kind"], boolean> = {
    late: true,
    error: true,
    html: true,
    malformed: true,
    wrong_types: true,
    // wrong_types shows the same: either way a member is not what it has to be.
    empty: false,
    truncated: true,
    closed: true,
    expired_token: true,
    oversized: true,
    redirect: true,
  }
  for (const [kind, is] of Object.entries(wanted))
    assert.equal(kinds.has(kind as TrialFault["kind"]), is, kind)
})

function faultsOf({ faults = [] }: LineScript): readonly TrialFault[] {
  return faults
}

test("numbers that fail, ask for a pause, or are told by yes or no have carriers of their own", () => {
  for (const { number, script } of lines) assert.equal(carrierOf(number), expected(script), number)
  for (const { number } of twilioLines) {
    assert.equal(carrierOf(number), undefined)
    assert.ok(twilio.ranges.some((range) => number.startsWith(range)))
  }
})

function expected(script: LineScript): string {
  if (script.sim?.answers === "check") return "trial-yes-or-no"
  if (faultsOf(script).some((fault) => fault.kind === "error" && fault.status === 429))
    return "trial-busy"
  const isOddDate = script.sim?.changed_at?.startsWith("1900") === true
  return faultsOf(script).length > 0 || isOddDate ? "trial-failing" : "trial"
}
