import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { NUMBER_TYPES } from "@assay/core/contract"
import {
  assessPhone,
  explainPhone,
  type PhoneInput,
  type PhoneModel,
  phoneModels,
} from "@assay/core/score"
import fc from "fast-check"
import { currentModels } from "../models.ts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import {
  answer,
  NOW_MS,
  phoneInputOf,
  type Seen,
} from "../../../testing/score/phone/findings-suite.ts"
import { NO_SIGNAL_FACTS, signalFacts } from "./signal-facts.ts"
import { SIGNAL_NAMES, SIGNAL_STATUSES, type SignalResult } from "../providers/signals.ts"

const MINUTE_DAYS = 1 / (24 * 60)
const ago = (days: number): string => new Date(NOW_MS - days * DAY_MS).toISOString()
const factsOf = (...results: SignalResult[]): PhoneInput => phoneInputOf({ results })
const near = (found: unknown, expected: number): void => {
  assert.ok(typeof found === "number" && Math.abs(found - expected) < 1e-9, String(found))
}

suite("a SIM change", () => {
  test("with a date has the age of its hour; one just ahead is now", () => {
    near(factsOf(answer("sim_change", { at: ago(5) })).simChangeAge, 5)
    const halfPast = new Date(NOW_MS - 2.5 * HOUR_MS).toISOString()
    near(factsOf(answer("sim_change", { at: halfPast })).simChangeAge, 3 / 24)
    near(factsOf(answer("sim_change", { at: ago(-1 / 24) })).simChangeAge, 0)
  })

  test("with a date that cannot be one says nothing", () => {
    for (const at of [ago(-1.1 / 24), ago(-400), "1900-01-01T00:00:00Z", "1989-12-31", "soon"]) {
      const input = factsOf(answer("sim_change", { at }))
      assert.deepEqual([input.simChangeAge, input.coverage?.sim], [undefined, 0], at)
    }
  })

  test("known only as yes lies between two ends, of which the far one is still inside its window", () => {
    const input = (withinHours: number, notWithinHours: number | null = null) =>
      factsOf(answer("sim_change", { withinHours, notWithinHours }, { precision: "boolean" }))
    const ends = (withinHours: number, notWithinHours: number | null, expected: number[]) => {
      const { simChangeAge, simChangeAgeMin, simChangeAgeMax } = input(withinHours, notWithinHours)
      const [from = NaN, scored = NaN, to = NaN] = expected
      near(simChangeAgeMin, from)
      near(simChangeAge, scored)
      near(simChangeAgeMax, to)
    }
    ends(24, null, [0, 1 - MINUTE_DAYS, 1])
    ends(72, 24, [1, 3 - MINUTE_DAYS, 3])
    ends(240, 72, [3, 10 - MINUTE_DAYS, 10])
    const dated = factsOf(answer("sim_change", { at: ago(5) }))
    assert.deepEqual([dated.simChangeAgeMin, dated.simChangeAgeMax], [undefined, undefined])

    const risk = (model: PhoneModel, withinHours: number, notWithinHours: number | null) =>
      assessPhone(input(withinHours, notWithinHours), model).sim_swap_risk
    const hours = [24, 72, 240, 720, 2400]
    assert.deepEqual(
      hours.map((within) => risk(phoneModels["1.0"], within, null)),
      ["high", "high", "elevated", "low", "none"],
    )
    assert.deepEqual(
      hours.map((within) => risk(phoneModels["1.1"], within, null)),
      ["high", "high", "high", "high", "high"],
    )
    assert.equal(risk(phoneModels["1.1"], 240, 72), "elevated")
    assert.equal(risk(phoneModels["1.1"], 720, 240), "low")
  })

  test("between two ends is answered with both, and with the far one as its window", () => {
    const yes = answer("sim_change", { withinHours: 240, notWithinHours: 72 })
    const factsOf = assessPhone(phoneInputOf({ results: [yes] }), currentModels.phone)
    assert.equal(factsOf.sim_change_window, "10d")
    assert.equal(factsOf.risk_reasons[0], "SIM changed between 3 and 10 days ago")
    // A proof inside the span moves what 1.0 weighs, but not what the answer says.
    const proved = { results: [yes], context: { last_verified_at: ago(5) } }
    const told5 = assessPhone(phoneInputOf(proved), currentModels.phone)
    assert.equal(told5.sim_change_window, "10d")
    assert.equal(told5.risk_reasons[0], "SIM changed between 3 and 10 days ago")
  })

  test("denied is a time without one, never an age, and only for the window that was given", () => {
    const denied = (coveredWindow?: string) =>
      factsOf(
        answer(
          "sim_change",
          { none: true },
          { status: "partial", ...(coveredWindow === undefined ? {} : { coveredWindow }) },
        ),
      )
    assert.equal(denied("240h").noSimChangeDays, 10)
    assert.equal(denied("120d").noSimChangeDays, 120)
    assert.equal(denied("240h").simChangeAge, undefined)
    assert.equal(assessPhone(denied("240h"), currentModels.phone).sim_swap_risk, "none")
    for (const window of [undefined, "0h", "10", "ten days", "-5d"]) {
      const input = denied(window)
      assert.deepEqual([input.noSimChangeDays, input.coverage?.sim], [undefined, 0])
      assert.equal(assessPhone(input, currentModels.phone).sim_swap_risk, "low")
    }
  })

  test("that one source saw outweighs those that did not, and evidence counts beside providers", () => {
    const none = answer("sim_change", { none: true }, { coveredWindow: "240h", source: "two" })
    const dated = answer("sim_change", { at: ago(5) })
    const both = factsOf(dated, none)
    assert.deepEqual([both.simChangeAge, both.noSimChangeDays], [5, undefined])
    const older = factsOf(answer("sim_change", { at: ago(40) }), none)
    assert.deepEqual([older.simChangeAge, older.noSimChangeDays], [40, 10])
    const withEvidence = (...seen: Seen[]) => phoneInputOf({ seen, results: [dated] }).simChangeAge
    assert.equal(withEvidence(["sim_change", 48]), 2)
    assert.equal(withEvidence(["sim_change", 240]), 5)
    const denied = phoneInputOf({ seen: [["sim_change", 48]], results: [none] })
    assert.deepEqual([denied.simChangeAge, denied.noSimChangeDays], [2, undefined])
    assert.equal(phoneInputOf({ seen: [["port", 48]], results: [none] }).noSimChangeDays, undefined)
  })

  test("that may have come before the account's proof or after it counts as after", () => {
    const yes = answer("sim_change", { withinHours: 240, notWithinHours: 72 })
    const proved = (days: number) =>
      phoneInputOf({
        results: [yes],
        context: { last_verified_at: ago(days), verified_by: "other" },
      })
    const score = (days: number) => assessPhone(proved(days), currentModels.phone).risk_score
    assert.equal(proved(5).simChangeAge, 5)
    assert.ok(score(5) >= 25)
    // After the whole span of the change, and before it.
    assert.ok(score(2) < 25)
    near(proved(20).simChangeAge, 10 - MINUTE_DAYS)
  })
})

suite("a device", () => {
  test("has been the same since its last change, and for as long as somebody says so", () => {
    assert.equal(factsOf(answer("device_change", { at: ago(100) })).deviceContinuityDays, 100)
    const none = answer("device_change", { none: true }, { coveredWindow: "100d" })
    assert.equal(factsOf(none).deviceContinuityDays, 100)
    assert.equal(factsOf(none).coverage?.device, 1)
    const seen: Seen[] = [["device_change", 48]]
    assert.equal(phoneInputOf({ seen, results: [none] }).deviceContinuityDays, 2)
    // Trust takes the other end: "changed within a hundred days" proves not even one day of age.
    const yes = (notWithinHours: number | null) =>
      factsOf(answer("device_change", { withinHours: 2400, notWithinHours })).deviceContinuityDays
    assert.deepEqual([yes(null), yes(240)], [0, 10])
  })

  test("changed with the SIM, or not, or nobody can say", () => {
    const sim = answer("sim_change", { at: ago(2) })
    const together = (device: SignalResult, ...seen: Seen[]) =>
      phoneInputOf({ seen, results: [sim, device] }).deviceChangedWithSim
    assert.equal(together(answer("device_change", { at: ago(2.5) })), true)
    assert.equal(together(answer("device_change", { at: ago(9) })), false)
    const none = answer("device_change", { none: true }, { coveredWindow: "240h" })
    assert.equal(together(none), false)
    assert.equal(together(answer("device_change", { withinHours: 72, notWithinHours: 24 })), true)
    assert.equal(
      together(answer("device_change", { withinHours: 72, notWithinHours: null })),
      undefined,
    )
    assert.equal(factsOf(sim).deviceChangedWithSim, undefined)
  })

  test("is the same as before the SIM change only where a provider says so and nobody saw another", () => {
    const moved = (results: SignalResult[], ...seen: Seen[]) =>
      phoneInputOf({ seen, results }).simMovedSameDevice
    const sim = answer("sim_change", { at: ago(2) })
    const none = (coveredWindow: string) =>
      answer("device_change", { none: true }, { coveredWindow })
    assert.equal(moved([sim, none("240h")]), true)
    assert.equal(moved([sim, answer("device_change", { at: ago(300) })]), true)
    assert.equal(moved([none("240h")], ["sim_change", 48]), true)
    assert.equal(moved([sim, none("24h")]), undefined)
    assert.equal(moved([sim, none("48h")]), undefined)
    assert.equal(moved([sim, answer("device_change", { at: ago(1) })]), undefined)
    assert.equal(moved([sim, none("240h")], ["device_change", 24]), undefined)
    // Evidence reports the changes that were seen, not all there were.
    assert.equal(moved([sim], ["device_change", 2400]), undefined)
    assert.equal(moved([none("240h")]), undefined)
    assert.equal(moved([none("240h")], ["port", 24]), undefined)
  })
})

suite("the other signals", () => {
  test("say what the model has a word for", () => {
    assert.equal(factsOf(answer("ported", { at: ago(3) })).portAge, 3)
    assert.equal(
      factsOf(answer("ported", { none: true }, { coveredWindow: "30d" })).portAge,
      undefined,
    )
    assert.equal(factsOf(answer("recycled", true)).recycledSinceVerified, true)
    assert.equal(factsOf(answer("recycled", false)).recycledSinceVerified, false)
    assert.equal(factsOf(answer("call_forwarding", true)).callForwarding, true)
    assert.equal(factsOf(answer("active", false)).active, false)
    assert.equal(factsOf(answer("roaming", { roaming: true, country: "SE" })).countryMismatch, true)
    assert.equal(
      factsOf(answer("roaming", { roaming: false, country: null })).countryMismatch,
      false,
    )
  })

  test("a handset that answers proves a line; one that does not proves nothing", () => {
    assert.equal(factsOf(answer("reachable", true)).active, true)
    assert.equal(factsOf(answer("reachable", false)).active, undefined)
    assert.equal(factsOf(answer("reachable", true), answer("active", false)).active, false)
    const inactive: Seen[] = [["line_status", 1, 0]]
    assert.equal(
      phoneInputOf({ seen: inactive, results: [answer("reachable", true)] }).active,
      false,
    )
  })

  test("a provider's word of now is newer than evidence, and evidence that came later is newer still", () => {
    const forwarded: Seen[] = [["call_forwarding", 2, 1]]
    const no = (hoursAgo: number) => answer("call_forwarding", false, { asOf: ago(hoursAgo / 24) })
    assert.equal(phoneInputOf({ seen: forwarded, results: [no(0)] }).callForwarding, false)
    assert.equal(phoneInputOf({ seen: forwarded, results: [no(3)] }).callForwarding, true)
    const inactive: Seen[] = [["line_status", 2, 0]]
    assert.equal(phoneInputOf({ seen: inactive, results: [answer("active", true)] }).active, true)
  })

  test("evidence of a number given away is not undone by a provider that knows nothing of it", () => {
    const recycled: Seen[] = [["recycled", 100]]
    const input = (context: object) =>
      phoneInputOf({ seen: recycled, results: [answer("recycled", false)], context })
    assert.equal(input({}).recycledSinceVerified, true)
    assert.equal(input({ last_verified_at: ago(1) }).recycledSinceVerified, false)
  })

  test("tenure is what evidence counted, within the bounds of the carrier", () => {
    const tenure = (atLeastDays: number | null, lessThanDays: number | null, ...seen: Seen[]) =>
      phoneInputOf({
        seen,
        results: [answer("tenure", { atLeastDays, lessThanDays, contract: null })],
      }).tenureDays
    assert.equal(tenure(730, null), 730)
    near(tenure(null, 90), 90 - MINUTE_DAYS)
    assert.equal(tenure(90, 730), 90)
    assert.equal(tenure(null, null), undefined)
    assert.equal(tenure(null, 730), undefined)
    assert.equal(tenure(null, 730, ["tenure", 24, 100]), 101)
    assert.equal(tenure(730, null, ["tenure", 24, 1000]), 1001)
    assert.equal(tenure(730, null, ["tenure", 24, 100]), 730)
    near(tenure(null, 90, ["tenure", 24, 1000]), 90 - MINUTE_DAYS)
  })

  test("a provider's type beats the numbering plan, and a contract makes a line", () => {
    const voip = factsOf(answer("line_type", "voip_non_fixed"))
    assert.deepEqual([voip.numberType, voip.line], ["voip_non_fixed", "voip_nonfixed"])
    for (const word of ["unknown", "invalid"] as const)
      assert.equal(factsOf(answer("line_type", word)).numberType, "mobile")
    const contract = (of: "prepaid" | "postpaid", ...seen: Seen[]) =>
      phoneInputOf({
        seen,
        results: [answer("tenure", { atLeastDays: 1, lessThanDays: null, contract: of })],
      }).line
    assert.equal(contract("prepaid"), "mobile_prepaid")
    assert.equal(contract("postpaid", ["subscription", 1, 1]), "mobile_postpaid")
  })

  test("an answer about the SIM shows a number to be mobile where the plan does not say", () => {
    const phone = "+12015550123"
    assert.equal(phoneInputOf({ phone }).numberType, "fixed_line_or_mobile")
    const results = [answer("sim_change", { at: ago(40) })]
    assert.equal(phoneInputOf({ phone, results }).numberType, "mobile")
    assert.equal(phoneInputOf({ phone: "+61255501234", results }).numberType, "fixed_line")
    const failed = [answer("sim_change", { at: ago(40) }, { status: "error" })]
    assert.equal(phoneInputOf({ phone, results: failed }).numberType, "fixed_line_or_mobile")
  })
})

const change = fc.oneof(
  fc.record({ at: fc.double({ min: -1, max: 900, noNaN: true }).map(ago) }),
  fc.record({
    withinHours: fc.integer({ min: 1, max: 2400 }),
    notWithinHours: fc.option(fc.integer({ min: 1, max: 2400 })),
  }),
  fc.constant({ none: true as const }),
)
const values: Record<string, fc.Arbitrary<unknown>> = {
  line_type: fc.constantFrom(...NUMBER_TYPES),
  carrier: fc.constant({ name: "Carrier", region: "AU" }),
  active: fc.boolean(),
  sim_change: change,
  device_change: change,
  ported: change,
  recycled: fc.boolean(),
  tenure: fc.record({
    atLeastDays: fc.option(fc.nat(900)),
    lessThanDays: fc.option(fc.integer({ min: 1, max: 900 })),
    contract: fc.constantFrom("prepaid", "postpaid", null),
  }),
  number_verified: fc.boolean(),
  identity_match: fc.boolean(),
  call_forwarding: fc.boolean(),
  roaming: fc.record({ roaming: fc.boolean(), country: fc.constantFrom("SE", null) }),
  reachable: fc.boolean(),
  traffic_risk: fc.double({ min: 0, max: 1, noNaN: true }),
}
/** One result a signal and source, as asking gives them. */
const anyResults = (statuses: readonly string[]): fc.Arbitrary<SignalResult[]> =>
  fc.uniqueArray(
    fc.constantFrom(...SIGNAL_NAMES).chain(
      (signal) =>
        fc.record(
          {
            signal: fc.constant(signal),
            status: fc.constantFrom(...statuses),
            source: fc.constantFrom("camara:one", "camara:two", "twilio"),
            observedAt: fc.integer({ min: 0, max: 20 }).map((minutes) => ago(minutes / 1440)),
            value: values[signal] ?? fc.constant(true),
            coveredWindow: fc.integer({ min: 1, max: 2400 }).map((hours) => `${hours}h`),
            providerCode: fc.constant("CODE"),
          },
          { requiredKeys: ["signal", "status", "source", "observedAt"] },
        ) as fc.Arbitrary<SignalResult>,
    ),
    { selector: ({ signal, source }) => `${signal} ${source}`, maxLength: 20 },
  )
const silent = SIGNAL_STATUSES.filter((status) => status !== "ok" && status !== "partial")
const anySeen = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom("sim_change", "port", "device_change", "recycled", "ownership_verified"),
      fc.nat(2000),
    ),
    fc.tuple(fc.constantFrom("line_status", "call_forwarding"), fc.nat(2000), fc.nat(1)),
    fc.tuple(fc.constantFrom("tenure", "sim_unchanged"), fc.nat(2000), fc.nat(900)),
  ),
  { maxLength: 6 },
)
const RUNS = { seed: 52, numRuns: 1_500 }

suite("whatever providers answer", () => {
  test("a status without a value changes nothing, even where a value stands beside it", () => {
    fc.assert(
      fc.property(anySeen, anyResults(silent), (seen, results) => {
        assert.deepEqual(signalFacts(results, NOW_MS), NO_SIGNAL_FACTS)
        assert.deepEqual(phoneInputOf({ seen, results }), phoneInputOf({ seen }))
      }),
      RUNS,
    )
  })

  test("the order of the results does not matter", () => {
    fc.assert(
      fc.property(
        anySeen,
        anyResults(SIGNAL_STATUSES).chain((results) =>
          fc.tuple(
            fc.constant(results),
            fc.shuffledSubarray(results, { minLength: results.length }),
          ),
        ),
        (seen, [results, shuffled]) => {
          assert.deepEqual(
            phoneInputOf({ seen, results: shuffled }),
            phoneInputOf({ seen, results }),
          )
        },
      ),
      RUNS,
    )
  })

  test("no SIM history in the answer means that nobody reported one, and a reported change is never hidden", () => {
    fc.assert(
      fc.property(anySeen, anyResults(SIGNAL_STATUSES), (seen, results) => {
        const input = phoneInputOf({ seen, results })
        const { sim_swap_risk, risk_reasons } = assessPhone(input, currentModels.phone)
        const affirmed = [input.simChangeAge, input.portAge, input.noSimChangeDays].some(
          (known) => known !== undefined,
        )
        // Where the number has a SIM at all.
        const hasSim = currentModels.phone.fields.simTypes?.includes(input.numberType) === true
        assert.equal(risk_reasons.includes("SIM history was not available"), !affirmed && hasSim)
        if (!affirmed) assert.equal(sim_swap_risk, "low")
        const factsOf = results.some(
          ({ signal, status, value, coveredWindow }) =>
            signal === "sim_change" &&
            (status === "ok" || status === "partial") &&
            value !== undefined &&
            (!("none" in (value as object)) || coveredWindow !== undefined),
        )
        const kinds = new Set(seen.map(([kind]) => kind))
        if (
          !factsOf &&
          !["sim_change", "port", "sim_unchanged"].some((kind) => kinds.has(kind as "port"))
        )
          assert.equal(input.noSimChangeDays, undefined)
        // A provider never makes a change older than evidence alone says.
        const alone = phoneInputOf({ seen })
        if (alone.simChangeAge !== undefined)
          assert.ok((input.simChangeAge ?? Infinity) <= (alone.simChangeAge ?? 0))
      }),
      RUNS,
    )
  })

  test("the input is one the model takes, and its explanation adds up", () => {
    fc.assert(
      fc.property(anySeen, anyResults(["ok", "partial"]), (seen, results) => {
        const input = phoneInputOf({ seen, results })
        const { risk_score } = assessPhone(input, currentModels.phone)
        const { baseline, contributions, rounding } = explainPhone(input, currentModels.phone)
        const sum = contributions.reduce((total, { points }) => total + points, baseline + rounding)
        assert.ok(Math.abs(sum - risk_score) < 1e-6)
        // As it is recorded and read again.
        const again = JSON.parse(JSON.stringify(input)) as PhoneInput
        assert.deepEqual(
          assessPhone(again, currentModels.phone),
          assessPhone(input, currentModels.phone),
        )
      }),
      RUNS,
    )
  })
})
