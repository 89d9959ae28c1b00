import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import type { TwilioField } from "./twilio-settings.ts"
import { durationSeconds, type Finding, findingOf, type TwilioSignal } from "./lookup-answer.ts"

const NOW = Date.parse("2026-11-15T12:00:00Z")
const ASKED = { nowMs: NOW, sinceDay: "2026-05-03" }
const FIELD_OF: Record<TwilioSignal, TwilioField> = {
  line_type: "line_type_intelligence",
  carrier: "line_type_intelligence",
  sim_change: "sim_swap",
  call_forwarding: "call_forwarding",
  recycled: "reassigned_number",
  active: "line_status",
  reachable: "line_status",
}
const SIGNALS = Object.keys(FIELD_OF) as TwilioSignal[]

/** What is found for a signal whose field has these members. */
function found(signal: TwilioSignal, members: unknown, asked = ASKED): Finding {
  const field = FIELD_OF[signal]
  return findingOf(signal, field, { phone_number: "+1", valid: true, [field]: members }, asked)
}

function statusAndValue(finding: Finding): unknown[] {
  return [finding.status, finding.value]
}

test("every line type of Twilio has its word, and one it does not know says nothing", () => {
  const words = {
    mobile: "mobile",
    landline: "fixed_line",
    fixedVoip: "voip_fixed",
    nonFixedVoip: "voip_non_fixed",
    tollFree: "toll_free",
    premium: "premium_rate",
    sharedCost: "shared_cost",
    personal: "personal",
    uan: "uan",
    pager: "pager",
    voicemail: "voicemail",
  }
  for (const [type, word] of Object.entries(words))
    assert.deepEqual(found("line_type", { type, error_code: null }), {
      status: "ok",
      value: word,
      billable: true,
    })
  for (const type of ["unknown", "hologram", null])
    assert.deepEqual(statusAndValue(found("line_type", { type })), ["no_coverage", undefined])
})

test("a number that Twilio calls invalid is of the type invalid, and nothing else is known of it", () => {
  const document = {
    phone_number: "+1",
    valid: false,
    line_type_intelligence: null,
    sim_swap: null,
  }
  const type = findingOf("line_type", "line_type_intelligence", document, ASKED)
  assert.deepEqual(statusAndValue(type), ["ok", "invalid"])
  const sim = findingOf("sim_change", "sim_swap", document, ASKED)
  assert.deepEqual(statusAndValue(sim), ["no_coverage", undefined])
})

test("the carrier is a name; its mobile country code makes no region", () => {
  const { value } = found("carrier", { carrier_name: "Example Mobile", mobile_country_code: "234" })
  assert.deepEqual(value, { name: "Example Mobile", region: null })
  assert.equal(found("carrier", { carrier_name: null }).status, "no_coverage")
})

test("a SIM change with a date is known to the moment", () => {
  const last_sim_swap = {
    last_sim_swap_date: "2026-11-13T10:18:50Z",
    swapped_period: "PT49H41M10S",
    swapped_in_period: true,
  }
  assert.deepEqual(found("sim_change", { last_sim_swap, error_code: null }), {
    status: "ok",
    value: { at: "2026-11-13T10:18:50.000Z" },
    precision: "instant",
    billable: true,
  })
})

test("without a date a change lies in the window, which is rounded up to hours", () => {
  const within = (swapped_period: string): Finding =>
    found("sim_change", {
      last_sim_swap: { last_sim_swap_date: null, swapped_period, swapped_in_period: true },
    })
  assert.deepEqual(within("PT24H"), {
    status: "partial",
    value: { withinHours: 24, notWithinHours: null },
    precision: "boolean",
    coveredWindow: "24h",
    billable: true,
  })
  assert.deepEqual(within("PT24H1S").value, { withinHours: 25, notWithinHours: null })
  assert.deepEqual(within("PT1S").value, { withinHours: 1, notWithinHours: null })
})

test("no change in the window is none for the window, which is rounded down to hours", () => {
  const outside = (swapped_period: unknown): Finding =>
    found("sim_change", {
      last_sim_swap: { last_sim_swap_date: null, swapped_period, swapped_in_period: false },
    })
  assert.deepEqual(outside("PT48H"), {
    status: "partial",
    value: { none: true },
    precision: "boolean",
    coveredWindow: "48h",
    billable: true,
  })
  assert.equal(outside("PT48H59M").coveredWindow, "48h")
  assert.deepEqual(statusAndValue(outside("PT59M")), ["no_coverage", undefined])
  for (const period of [null, "P1M", 48])
    assert.deepEqual(statusAndValue(outside(period)), ["error", undefined], String(period))
})

test("a date that cannot be believed is an error, not a change and not none", () => {
  for (const last_sim_swap_date of ["1900-01-01T00:00:00Z", "2026-11-15T13:00:01Z", "soon", 5]) {
    const last_sim_swap = {
      last_sim_swap_date,
      swapped_period: "PT24H",
      swapped_in_period: false,
    }
    const { status, value, providerCode } = found("sim_change", { last_sim_swap })
    assert.deepEqual([status, value, providerCode], ["error", undefined, "invalid_date"])
  }
})

test("no word about the SIM does not mean no change", () => {
  const nothing = { last_sim_swap_date: null, swapped_period: null, swapped_in_period: null }
  for (const last_sim_swap of [null, nothing])
    assert.deepEqual(statusAndValue(found("sim_change", { last_sim_swap })), [
      "no_coverage",
      undefined,
    ])
})

test("forwarding is read under both names Twilio has given it", () => {
  for (const name of ["call_forwarding_enabled", "call_forwarding_status"])
    for (const value of [true, false])
      assert.deepEqual(statusAndValue(found("call_forwarding", { [name]: value })), ["ok", value])
  const unsaid = found("call_forwarding", { call_forwarding_enabled: null })
  assert.deepEqual(statusAndValue(unsaid), ["no_coverage", undefined])
  assert.equal(found("call_forwarding", { call_forwarding_enabled: "true" }).status, "error")
})

test("a reassignment is yes or no since the day that was asked about, and of no other", () => {
  const said = (is_number_reassigned: unknown, last_verified_date: unknown): Finding =>
    found("recycled", { is_number_reassigned, last_verified_date, error_code: null })
  assert.deepEqual(statusAndValue(said("yes", "2026-05-03")), ["ok", true])
  assert.deepEqual(statusAndValue(said("no", "20260503")), ["ok", false])
  assert.deepEqual(statusAndValue(said("no", null)), ["ok", false])
  assert.deepEqual(statusAndValue(said("no", "2026-05-04")), ["error", undefined])
  assert.deepEqual(statusAndValue(said("no_data_available", "2026-05-03")), [
    "no_coverage",
    undefined,
  ])
  assert.deepEqual(statusAndValue(said(false, "2026-05-03")), ["error", undefined])
})

test("a line status says what it says of the line and of the handset, and no more", () => {
  const said = (status: unknown): unknown[] => [
    ...statusAndValue(found("active", { status })),
    ...statusAndValue(found("reachable", { status })),
  ]
  assert.deepEqual(said("active"), ["ok", true, "no_coverage", undefined])
  assert.deepEqual(said("Active"), ["ok", true, "no_coverage", undefined])
  assert.deepEqual(said("reachable"), ["ok", true, "ok", true])
  assert.deepEqual(said("unreachable"), ["ok", true, "ok", false])
  assert.deepEqual(said("inactive"), ["ok", false, "not_applicable", undefined])
  for (const nothing of ["unknown", null])
    assert.deepEqual(said(nothing), ["no_coverage", undefined, "no_coverage", undefined])
  assert.deepEqual(said("gone"), ["error", undefined, "error", undefined])
})

test("a field's own error code decides for that field, as a number or as text", () => {
  const statuses = {
    60600: "no_coverage",
    60607: "no_coverage",
    60610: "no_coverage",
    60614: "no_coverage",
    60619: "no_coverage",
    60601: "unauthorized",
    60606: "consent_required",
    60608: "error",
    60611: "rate_limited",
    60616: "rate_limited",
    60626: "rate_limited",
    60620: "not_found",
    99999: "error",
  }
  for (const [code, status] of Object.entries(statuses))
    for (const error_code of [code, Number(code)])
      for (const signal of SIGNALS) {
        const finding = found(signal, { ...GOOD[signal], error_code })
        assert.deepEqual(
          [...statusAndValue(finding), finding.providerCode],
          [status, undefined, code],
        )
      }
  const odd = found("active", { status: "active", error_code: "+447700900123" })
  assert.deepEqual([odd.status, odd.providerCode], ["error", "unreadable_code"])
})

test("a field that is null is not covered, and one that is missing is no answer", () => {
  for (const signal of SIGNALS) {
    assert.deepEqual(found(signal, null), { status: "no_coverage", billable: false })
    for (const odd of [undefined, true, "text", 7, []])
      assert.deepEqual(statusAndValue(found(signal, odd)), ["error", undefined])
  }
  for (const document of [null, [], "text", {}, { valid: true }])
    for (const signal of SIGNALS)
      assert.equal(findingOf(signal, FIELD_OF[signal], document, ASKED).status, "error")
})

test("whatever a field holds, only ok and partial have a value, and none has a window", () => {
  const member = fc.oneof(
    fc.constantFrom<unknown>(null, true, false, "yes", "no", "active", "mobile", "PT24H", "P1M"),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const lastSwap = fc.record(
    { last_sim_swap_date: member, swapped_period: member, swapped_in_period: member },
    { requiredKeys: [] },
  )
  const members = fc.record(
    {
      type: member,
      carrier_name: member,
      last_sim_swap: fc.oneof(member, lastSwap),
      call_forwarding_enabled: member,
      is_number_reassigned: member,
      last_verified_date: fc.oneof(member, fc.constant("2026-05-03")),
      status: member,
      error_code: fc.oneof(fc.constant(null), member),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.constantFrom(...SIGNALS), members, (signal, held) => {
      const finding = found(signal, held)
      const known = finding.status === "ok" || finding.status === "partial"
      assert.equal(finding.value !== undefined, known)
      const { value } = finding
      if (typeof value === "object" && "none" in value)
        assert.match(finding.coveredWindow ?? "", /^[1-9]\d*h$/)
    }),
    { seed: 5, numRuns: 3000 },
  )
})

/** Members of a field without a fault; an error code beside them must still count. */
const GOOD: Record<TwilioSignal, object> = {
  line_type: { type: "mobile" },
  carrier: { carrier_name: "Example Mobile" },
  sim_change: {
    last_sim_swap: {
      last_sim_swap_date: null,
      swapped_period: "PT24H",
      swapped_in_period: false,
    },
  },
  call_forwarding: { call_forwarding_enabled: false },
  recycled: { is_number_reassigned: "no", last_verified_date: "2026-05-03" },
  active: { status: "active" },
  reachable: { status: "reachable" },
}

test("weeks, days, hours, minutes and seconds are added up", () => {
  assert.equal(durationSeconds("PT24H"), 86_400)
  assert.equal(durationSeconds("PT15282H33M44S"), 15_282 * 3600 + 33 * 60 + 44)
  assert.equal(durationSeconds("P7D"), 7 * 86_400)
  assert.equal(durationSeconds("P2W"), 14 * 86_400)
  assert.equal(durationSeconds("P1DT1H0.5S"), 86_400 + 3600)
  assert.equal(durationSeconds("PT0S"), 0)
})

test("what has no fixed length, no number or no unit is no duration", () => {
  for (const odd of ["P1M", "P1Y", "P", "PT", "P1DT", "24H", "PT24", "PT-1H", "pt24h", "PT1H ", ""])
    assert.equal(durationSeconds(odd), null, odd)
})

test("any text is read or refused, and what is read is a whole number of seconds", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom("P", "T", "D", "H", "M", "S", "W", ".", "1", "0") }),
  )
  fc.assert(
    fc.property(text, (written) => {
      const seconds = durationSeconds(written)
      assert.ok(seconds === null || (Number.isSafeInteger(seconds) && seconds >= 0))
    }),
    { seed: 60620, numRuns: 2000 },
  )
})
