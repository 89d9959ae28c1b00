import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyPhone,
  calibration,
  INVARIANT,
  phoneInput,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import { phoneModels } from "./models.ts"
import { phoneKnowledge, type PhoneInput } from "./phone-input.ts"
import { smsOtpTrust } from "./phone-fields.ts"

const model = phoneModels["1.1"]
const assess = (known: Partial<PhoneInput>) => assessPhone(phoneInput(known), model)
const explain = (known: Partial<PhoneInput>) => explainPhone(phoneInput(known), model)
const mobile = { line: "mobile", valid: true, active: true, tenureDays: 1_200 } as const

suite("an answer about a number agrees with itself, under any settings", () => {
  const cost = fc.integer({ min: 1, max: 4_000 }).map((hundredths) => hundredths / 100)
  const settings = fc.record(
    {
      costs: fc.record({ loss: cost, challenge: cost, wrongBlock: cost }, { requiredKeys: [] }),
      calibration,
      confirmedBeforeBlock: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  const check = (holds: (input: PhoneInput) => void) =>
    fc.assert(
      fc.property(anyPhone, settings, (input, own) => holds({ ...input, settings: own })),
      INVARIANT,
    )

  test("P1: a SIM swap risk that is high scores 40 at least, and one that is elevated 25", () => {
    const met = { high: 0, elevated: 0 }
    check((known) => {
      const { simChangeAge } = known
      const input = { ...known, simChangeAge: simChangeAge == null ? null : simChangeAge % 12 }
      const { sim_swap_risk, risk_score } = assessPhone(input, model)
      if (sim_swap_risk !== "high" && sim_swap_risk !== "elevated") return
      if (phoneKnowledge(input, model).verifiedSince) return
      met[sim_swap_risk]++
      assert.ok(risk_score >= (sim_swap_risk === "high" ? 40 : 25), `${risk_score}`)
    })
    const often = INVARIANT.numRuns / 20
    assert.ok(met.high > often && met.elevated > often)
  })

  test("P2: a number that must not get codes is never let through", () => {
    let met = 0
    check((input) => {
      const trust = smsOtpTrust(input, phoneKnowledge(input, model), model)
      if (trust !== "do_not_use") return
      met++
      assert.notEqual(assessPhone(input, model).recommendation, "allow")
    })
    assert.ok(met > INVARIANT.numRuns / 20)
  })

  test("P3: a change is detected exactly where a window is told", () => {
    check((input) => {
      const { sim_change_detected, sim_change_window } = assessPhone(input, model)
      assert.equal(sim_change_detected, sim_change_window !== null)
    })
  })

  test("no floor is lost to a calibration", () => {
    check((input) => {
      const { policy_floor } = explainPhone({ ...input, tenureDays: null }, model)
      const { risk_score } = assessPhone({ ...input, tenureDays: null }, model)
      assert.ok(risk_score >= Math.floor((policy_floor?.points ?? 0) + 0.5))
      if (input.valid === false || input.reserved === true) assert.ok(risk_score >= 40)
    })
  })
})

suite("a change that lies between two ends", () => {
  const bounded = { ...mobile, simChangeAge: 10, simChangeAgeMin: 3 }

  test("is weighed by the near end, shown by the far one and told by both", () => {
    const { sim_swap_risk, sim_change_window, risk_reasons } = assess(bounded)
    assert.deepEqual([sim_swap_risk, sim_change_window], ["elevated", "10d"])
    assert.deepEqual(risk_reasons, ["SIM changed between 3 and 10 days ago"])
    const within = (known: Partial<PhoneInput>) => assess({ ...mobile, ...known }).risk_reasons[0]
    assert.equal(
      within({ simChangeAge: 3, simChangeAgeMin: 0 }),
      "SIM changed within the last 3 days",
    )
    assert.equal(
      within({ simChangeAge: 1, simChangeAgeMin: 0.25 }),
      "SIM changed between 6 and 24 hours ago",
    )
    assert.equal(
      within({ simChangeAge: 0.5, simChangeAgeMin: 0 }),
      "SIM changed within the last 12 hours",
    )
  })

  test("is shown by its far end as it was told, where the weighed one is another", () => {
    const told = { ...bounded, simChangeAge: 5, simChangeAgeMax: 10 }
    assert.equal(assess(told).sim_change_window, "10d")
    assert.equal(assess(told).risk_score, assess(bounded).risk_score)
  })

  test("is one model 1.0 reads by its far end alone", () => {
    const old = phoneModels["1.0"]
    assert.deepEqual(
      assessPhone(phoneInput(bounded), old),
      assessPhone(phoneInput({ ...mobile, simChangeAge: 10 }), old),
    )
  })
})

suite("a verification", () => {
  const swapped = { ...mobile, simChangeAge: 2 / 24 }

  test("through the number itself proves nothing soon after the change, and the notes say so", () => {
    const through = { ...swapped, verifiedAge: 1 / 24 }
    assert.equal(assess(through).risk_score, assess(swapped).risk_score)
    assert.equal(assess(through).ownership_confidence, "low")
    assert.ok(explain(through).notes.some((note) => note.includes("too soon after the SIM change")))
    const otherwise = { ...through, verifiedIndependently: true }
    assert.equal(assess(otherwise).risk_score, 2)
    assert.ok(explain(otherwise).notes.some((note) => note.includes("after the last SIM change")))
  })

  test("through the number counts from ten days after the change on, whatever the fractions", () => {
    for (let hour = 0; hour < 48; hour++) {
      const verifiedAge = hour / 24
      const late = { ...mobile, simChangeAge: verifiedAge + 10, verifiedAge }
      assert.equal(assess(late).risk_score, 2, `${hour}`)
      const early = { ...late, simChangeAge: verifiedAge + 10 - 1 / 24 }
      assert.ok(assess(early).risk_score > 2, `${hour}`)
    }
  })
})

suite("words about a number", () => {
  test("a line is named by the number's own type, and by its line where that is known better", () => {
    const first = (numberType: string, line: PhoneInput["line"]) =>
      assess({ numberType, line, valid: true, active: true }).risk_reasons[0]
    assert.equal(first("personal", "voip_nonfixed"), "Personal number")
    assert.equal(first("voip", "voip_nonfixed"), "Internet telephony")
    assert.equal(first("mobile", "mobile_prepaid"), "Prepaid mobile number")
    assert.equal(
      first("mobile", "sms_receive_site"),
      "Number of a public site that shows received SMS",
    )
  })

  test("SIM history is missed only where there is a SIM", () => {
    const missed = "SIM history was not available"
    const reasons = (numberType: string) => assess({ numberType, valid: true }).risk_reasons
    for (const type of ["mobile", "fixed_line_or_mobile", "satellite", "pager", "unknown"])
      assert.ok(reasons(type).includes(missed), type)
    for (const type of ["toll_free", "fixed_line", "voip", "premium_rate"])
      assert.ok(!reasons(type).includes(missed), type)
  })

  test("ages are told as people say them", () => {
    const told = (tenureDays: number) => assess({ line: "mobile", tenureDays }).risk_reasons[0]
    assert.equal(told(1), "Number in service for 1 day")
    assert.equal(told(60), "Number in service for 60 days")
    assert.equal(told(200), "Number in service for 7 months")
    const fraud = (confirmedFraudAge: number) =>
      assess({ ...mobile, confirmedFraudAge }).risk_reasons[0]
    assert.equal(fraud(400), "Fraud with this number confirmed 13 months ago")
  })

  test("a label of fraud is told once, as the label and not as a list", () => {
    const labelled = { ...mobile, blocklisted: true, blocklistedForFraud: true }
    const { risk_reasons } = assess({ ...labelled, confirmedFraudAge: 5, simChangeAge: 400 })
    assert.deepEqual(risk_reasons, ["Fraud with this number confirmed 5 days ago"])
    const listed = assess({ ...mobile, blocklisted: true, confirmedFraudAge: 5 })
    assert.equal(listed.risk_reasons.length, 3)
  })

  test("the explanation sums up what holds the level, what comes next and what was not looked at", () => {
    assert.deepEqual(explain({ ...mobile, simChangeAge: 5 }).summary, {
      level: "ELEVATED is held by a floor of the policy: SIM changed 5 days ago",
      next_change: "If nothing new arrives, the level falls to LOW on 22 November 2026",
      not_looked_at: "Not looked at: the device, use of the number",
    })
    const old = explainPhone(phoneInput(mobile), phoneModels["1.0"])
    assert.ok(!("summary" in old))
  })
})

test("fraud the tenant confirmed may be answered with block, also where a confirmation is asked for", () => {
  const settings = { confirmedBeforeBlock: true }
  assert.equal(assess({ ...mobile, confirmedFraudAge: 5, settings }).recommendation, "block")
  assert.equal(
    assess({ line: "sms_receive_site", accounts24h: 9, settings }).recommendation,
    "review",
  )
})
