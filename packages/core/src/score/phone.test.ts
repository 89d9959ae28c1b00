import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import { NUMBER_TYPES } from "../identity/number-types.ts"
import {
  anyPhone,
  days,
  fullPhone,
  INVARIANT,
  phoneInput,
  phoneModel,
  PROPERTY,
  SLACK,
  VERSIONS,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import { phoneModels } from "./models.ts"
import { lineOf, type PhoneInput } from "./phone-input.ts"
import { phonePass } from "./phone-pass.ts"
import { bandOf } from "./vocabulary.ts"

const assess = (known: Partial<PhoneInput>) => assessPhone(phoneInput(known), phoneModel)
const explain = (known: Partial<PhoneInput>) => explainPhone(phoneInput(known), phoneModel)

for (const version of VERSIONS) {
  suite(`invariants of the phone model ${version}`, () => {
    const phoneModel = phoneModels[version]
    const pOf = (input: PhoneInput) => phonePass(input, phoneModel).p

    test("I18: an older change is never riskier", () => {
      fc.assert(
        fc.property(anyPhone, days, days, (input, age, older) => {
          for (const member of ["simChangeAge", "portAge"] as const) {
            const before = pOf({ ...input, [member]: age })
            const after = pOf({ ...input, [member]: age + older })
            assert.ok(after <= before + SLACK, `${member}: p rose from ${before} to ${after}`)
          }
        }),
        INVARIANT,
      )
    })

    test("I18: a recycled number, forwarding, velocity and lists never lower the probability", () => {
      fc.assert(
        fc.property(anyPhone, (input) => {
          const worse: Partial<PhoneInput>[] = [
            { recycledSinceVerified: true },
            { callForwarding: true },
            { otpFailureBurst: true },
            { countryMismatch: true },
            { blocklisted: true },
            { accounts24h: (input.accounts24h ?? 0) + 2 },
            { routeChanges90d: (input.routeChanges90d ?? 0) + 1 },
            { valid: false },
            { reserved: true },
            { confirmedFraudAge: input.confirmedFraudAge ?? 0 },
            { active: false },
            { deviceChangedWithSim: true },
          ]
          for (const known of worse) assert.ok(pOf({ ...input, ...known }) >= pOf(input) - SLACK)
        }),
        INVARIANT,
      )
    })

    test("I10: with nothing new the probability never rises as time passes", () => {
      const ages = [
        "simChangeAge",
        "simChangeAgeMin",
        "simChangeAgeMax",
        "portAge",
        "confirmedFraudAge",
        "verifiedAge",
        "deviceContinuityDays",
        "tenureDays",
      ] as const
      fc.assert(
        fc.property(anyPhone, days, (input, passed) => {
          // By the hour, as evidence is dated: ages too close to each other for a sum to keep them
          // apart do not occur.
          const agedBy = (days: number): PhoneInput => {
            const aged: Record<string, unknown> = { ...input }
            for (const member of ages) {
              const age = input[member]
              if (age != null) aged[member] = Math.round((age + days) * 24) / 24
            }
            return aged as unknown as PhoneInput
          }
          assert.ok(pOf(agedBy(Math.round(passed))) <= pOf(agedBy(0)) + SLACK)
        }),
        INVARIANT,
      )
    })

    test("I11: what speaks for a number never raises the probability", () => {
      fc.assert(
        fc.property(anyPhone, days, (input, more) => {
          const better: Partial<PhoneInput>[] = [
            { active: true },
            { simMovedSameDevice: true },
            { noSimChangeDays: more },
            { verifiedAge: Math.min(input.verifiedAge ?? Infinity, more) },
            { deviceContinuityDays: (input.deviceContinuityDays ?? 0) + more },
            ...(input.tenureDays == null ? [] : [{ tenureDays: input.tenureDays + more }]),
          ]
          for (const known of better) {
            const raised = pOf({ ...input, ...known }) - pOf(input)
            assert.ok(raised <= SLACK, JSON.stringify(known))
          }
        }),
        INVARIANT,
      )
    })

    test("I15: points of the reasons stay within what the score is above its baseline", () => {
      fc.assert(
        fc.property(anyPhone, (input) => {
          const { risk_score, risk_reasons } = assessPhone(input, phoneModel)
          const { contributions, baseline } = explainPhone(input, phoneModel)
          const told = contributions.filter(({ text }) => risk_reasons.includes(text))
          for (const { points } of told) assert.ok(points >= 1)
          const sum = told.reduce((total, { rounded }) => total + rounded, 0)
          assert.ok(sum <= risk_score - baseline + (told.length + 1) / 2 + SLACK)
        }),
        INVARIANT,
      )
    })

    test("I18: scores are integers from 0 to 100 at the level of their band", () => {
      fc.assert(
        fc.property(anyPhone, (input) => {
          const { risk_score, risk_level, recommendation } = assessPhone(input, phoneModel)
          const p = pOf(input)
          assert.ok(Number.isInteger(risk_score) && risk_score >= 0 && risk_score <= 100)
          assert.ok(p > 0 && p < 1)
          assert.equal(risk_level, bandOf(risk_score).toUpperCase())
          assert.equal(recommendation === "allow", risk_level === "LOW")
          if (recommendation === "block") assert.equal(risk_level, "CRITICAL")
        }),
        INVARIANT,
      )
    })

    test("I19: the same input gives the same bytes", () => {
      fc.assert(
        fc.property(anyPhone, (input) => {
          for (const give of [assessPhone, explainPhone]) {
            const first = JSON.stringify(give(input, phoneModel))
            assert.equal(JSON.stringify(give(structuredClone(input), phoneModel)), first)
          }
        }),
        INVARIANT,
      )
    })

    test("I20: a member that is null and a member left out are the same", () => {
      const [everyMember = {}] = fc.sample(fullPhone, { seed: INVARIANT.seed, numRuns: 1 })
      const members = Object.keys(everyMember)
      assert.equal(members.length, 24)
      fc.assert(
        fc.property(anyPhone, (input) => {
          const spelt: Record<string, unknown> = {
            ...input,
            ctx: null,
            settings: null,
            coverage: null,
          }
          for (const member of members) spelt[member] ??= null
          assert.deepEqual(
            assessPhone(spelt as unknown as PhoneInput, phoneModel),
            assessPhone(input, phoneModel),
          )
        }),
        INVARIANT,
      )
    })

    test("a raised score comes with a reason, and at most four and the word on SIM history", () => {
      fc.assert(
        fc.property(anyPhone, (input) => {
          const { risk_score, risk_reasons } = assessPhone(input, phoneModel)
          const { contributions } = explainPhone(input, phoneModel)
          const told = contributions.filter(({ text }) => risk_reasons.includes(text))
          assert.ok(told.length <= 4)
          if (risk_score >= 25) assert.ok(told.length >= 1)
          const { simChangeAge, simChangeAgeMin, portAge, noSimChangeDays } = input
          const nearEnd = version === "1.0" ? null : simChangeAgeMin
          const known = [simChangeAge, nearEnd, portAge, noSimChangeDays].some((age) => age != null)
          assert.equal(risk_reasons.includes("SIM history was not available"), !known)
        }),
        PROPERTY,
      )
    })
  })
}

suite("a SIM change", () => {
  test("is reported by the hour under two days, then by whole days, and not from 30 days on", () => {
    const window = (simChangeAge: number) => assess({ simChangeAge }).sim_change_window
    assert.deepEqual([0, 0.01, 0.083, 1, 1.99, 2, 5.9, 29.99, 30].map(window), [
      "1h",
      "1h",
      "2h",
      "24h",
      "48h",
      "2d",
      "5d",
      "29d",
      null,
    ])
    assert.equal(assess({ simChangeAge: 29.99 }).sim_change_detected, true)
    assert.equal(assess({ simChangeAge: 30 }).sim_change_detected, false)
  })

  test("is a risk by its age", () => {
    const risk = (simChangeAge: number) => assess({ simChangeAge }).sim_swap_risk
    assert.deepEqual([0, 2.99, 3, 9.99, 10, 29.99, 30, 90].map(risk), [
      "high",
      "high",
      "elevated",
      "elevated",
      "low",
      "low",
      "none",
      "none",
    ])
  })

  test("that nobody could answer for is a low risk with a word on it, and one denied is none", () => {
    assert.equal(assess({}).sim_swap_risk, "low")
    assert.ok(assess({}).risk_reasons.includes("SIM history was not available"))
    const denied = assess({ noSimChangeDays: 10 })
    assert.equal(denied.sim_swap_risk, "none")
    assert.ok(!denied.risk_reasons.includes("SIM history was not available"))
    assert.equal(denied.risk_score, assess({}).risk_score)
  })

  test("puts a floor under the score that falls with its age and ends after 30 days", () => {
    const floor = (simChangeAge: number) => explain({ simChangeAge }).policy_floor?.points ?? null
    assert.deepEqual([0, 1, 2, 3, 7, 10, 30, 30.01].map(floor), [60, 60, 50, 40, 25, 15, 0, null])
  })

  test("is told with the windows it is judged by, and with the floor where that holds the score", () => {
    const notes = (known: Partial<PhoneInput>) => explain({ line: "mobile", ...known }).notes
    const windows =
      "A SIM change or port is a high risk below 3 days, elevated below 10 and low below 30"
    const floor = /^A floor of (\d+) points by policy holds the score; .+ alone gives (\d+)$/
    const recent = notes({ simChangeAge: 5 })
    assert.ok(recent.includes(windows))
    const [, points, raw] = floor.exec(recent.find((note) => floor.test(note)) ?? "") ?? []
    assert.equal(points, "33")
    assert.equal(Number(raw), Math.round(explain({ line: "mobile", simChangeAge: 5 }).raw_points))
    assert.ok(!notes({ simChangeAge: 30 }).includes(windows))
    assert.ok(!notes({}).some((note) => note === windows || floor.test(note)))
    const many = { callForwarding: true, otpFailureBurst: true, deviceChangedWithSim: true }
    const held = explain({ simChangeAge: 0, ...many })
    assert.equal(held.policy_floor?.holds, false)
    assert.ok(!held.notes.some((note) => floor.test(note)))
  })

  test("before the last verification still shows and no longer counts", () => {
    const changed = { simChangeAge: 5, portAge: 2, deviceChangedWithSim: true } as const
    const counted = assess(changed)
    const verified = assess({ ...changed, verifiedAge: 1 })
    assert.ok(counted.risk_score > 40)
    assert.equal(verified.risk_score, assess({ noSimChangeDays: 1 }).risk_score)
    assert.equal(verified.sim_swap_risk, "high")
    assert.equal(verified.sim_change_window, "2d")
    assert.equal(explain(changed).sms_otp_trust, "do_not_use")
    assert.equal(explain({ ...changed, verifiedAge: 1 }).sms_otp_trust, "ok")
    assert.equal(explain({ ...changed, verifiedAge: 2 }).sms_otp_trust, "do_not_use")
  })

  test("by a port is told as a port, and the older of the two keeps its own line", () => {
    const codes = (known: Partial<PhoneInput>) =>
      explain(known).contributions.map(({ code }) => code)
    assert.deepEqual(codes({ line: "mobile", portAge: 1 }), ["SIM_PORTED"])
    assert.deepEqual(codes({ line: "mobile", portAge: 1, simChangeAge: 1 }), ["SIM_PORTED"])
    assert.deepEqual(codes({ line: "mobile", portAge: 4, simChangeAge: 1 }), [
      "SIM_CHANGED",
      "SIM_PORTED",
    ])
    assert.deepEqual(assess({ line: "mobile", portAge: 1 }).risk_reasons, [
      "Number ported to another carrier 24 hours ago",
    ])
  })
})

suite("the other fields of a number", () => {
  test("ownership is doubted, proven or neither", () => {
    const ownership = (known: Partial<PhoneInput>) => assess(known).ownership_confidence
    assert.equal(ownership({ line: "mobile", valid: true, blocklisted: false }), "low")
    assert.equal(ownership({ active: true }), "medium")
    assert.equal(ownership({ simChangeAge: 9 }), "low")
    assert.equal(ownership({ simChangeAge: 9, verifiedAge: 3 }), "medium")
    assert.equal(ownership({ simChangeAge: 29, deviceChangedWithSim: true }), "low")
    assert.equal(ownership({ simChangeAge: 30, deviceContinuityDays: 90 }), "high")
    assert.equal(ownership({ simChangeAge: 30, deviceContinuityDays: 89 }), "medium")
    assert.equal(ownership({ simChangeAge: 30, verifiedAge: 29 }), "high")
    assert.equal(ownership({ noSimChangeDays: 10, verifiedAge: 29 }), "high")
    assert.equal(ownership({ noSimChangeDays: 9, verifiedAge: 29 }), "medium")
    assert.equal(
      ownership({ noSimChangeDays: 10, verifiedAge: 29, callForwarding: true }),
      "medium",
    )
    assert.equal(ownership({ noSimChangeDays: 10, verifiedAge: 29, active: false }), "low")
  })

  test("a network is unstable only when something was seen", () => {
    const network = (known: Partial<PhoneInput>) => assess(known).network_continuity
    assert.equal(network({}), "stable")
    assert.equal(network({ portAge: 30, routeChanges90d: 1 }), "stable")
    assert.equal(network({ portAge: 29 }), "unstable")
    assert.equal(network({ routeChanges90d: 2 }), "unstable")
    assert.equal(network({ active: false }), "unstable")
    assert.equal(network({ callForwarding: true }), "unstable")
  })

  test("number type and region are handed through", () => {
    const { number_type, carrier_region } = assess({ numberType: "voip", region: "ZZ" })
    assert.deepEqual([number_type, carrier_region], ["voip", "ZZ"])
  })

  test("what was checked is told when nothing raises the score", () => {
    const quiet = { line: "mobile", valid: true, active: true, noSimChangeDays: 240 } as const
    assert.deepEqual(assess(quiet).risk_reasons, [
      "Nothing found that raises the risk; checked: the number itself, SIM history, network",
    ])
    assert.deepEqual(assess({ line: "mobile" }).risk_reasons, [
      "Nothing found that raises the risk; checked: the number itself",
      "SIM history was not available",
    ])
  })

  test("sentences fit the number they count", () => {
    const first = (known: Partial<PhoneInput>) =>
      assess({ line: "mobile", ...known }).risk_reasons[0]
    assert.equal(first({ tenureDays: 1 }), "Number in service for 1 day")
    assert.equal(first({ tenureDays: 0 }), "Number in service for 0 days")
    assert.equal(first({ routeChanges90d: 3 }), "3 changes of route or carrier in 90 days")
    assert.equal(first({ simChangeAge: 0.02 }), "SIM changed within the last hour")
    assert.equal(
      first({ line: "mobile_prepaid", accounts24h: 2 }),
      "2 accounts used the number in 24 hours",
    )
  })
})

test("every number type has the line that the model gives it", () => {
  const lines = NUMBER_TYPES.map((type) => `${type} ${lineOf(type, phoneModels["1.0"])}`)
  assert.deepEqual(lines.toSorted(), [
    "fixed_line fixed",
    "fixed_line_or_mobile mobile",
    "invalid unknown",
    "mobile mobile",
    "pager voip_nonfixed",
    "personal voip_nonfixed",
    "premium_rate premium",
    "satellite mobile",
    "shared_cost fixed",
    "toll_free toll_free",
    "uan fixed",
    "unknown unknown",
    "voicemail voip_nonfixed",
    "voip voip_nonfixed",
    "voip_fixed voip_fixed",
    "voip_non_fixed voip_nonfixed",
  ])
})
