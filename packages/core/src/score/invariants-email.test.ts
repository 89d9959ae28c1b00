import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  calibration,
  coverage,
  emailInput,
  exposure,
  INVARIANT,
  signal,
  SLACK,
  trust,
  fullTrust,
  VERSIONS,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import type { EmailInput, Exposure, Signal, Trust } from "./email-input.ts"
import { emailPass } from "./email-pass.ts"
import { emailReasonSentence } from "./email-reasons.ts"
import { emailModels } from "./models.ts"
import { bandOf, SECRETS } from "./vocabulary.ts"

const UNCHECKED = emailModels["1.1"].texts.nothing.unchecked

for (const version of VERSIONS) {
  suite(`invariants of the e-mail model ${version}`, () => {
    const emailModel = emailModels[version]

    /** What the invariants compare. */
    function outcome(input: EmailInput) {
      const { p, risk, confidence } = emailPass(input, emailModel)
      return { p, stage: risk.stage, confidence_value: confidence.value }
    }

    function assertNotLower(after: EmailInput, before: EmailInput): void {
      const [later, earlier] = [outcome(after), outcome(before)]
      assert.ok(later.p >= earlier.p - SLACK, `p fell from ${earlier.p} to ${later.p}`)
      assert.ok(later.stage >= earlier.stage, `stage fell from ${earlier.stage} to ${later.stage}`)
    }

    function assertPNotLower(after: EmailInput, before: EmailInput): void {
      const [later, earlier] = [outcome(after).p, outcome(before).p]
      assert.ok(later >= earlier - SLACK, `p fell from ${earlier} to ${later}`)
    }

    function check<Ts extends [unknown, ...unknown[]]>(
      ...args: [
        ...arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> },
        predicate: (...args: Ts) => void,
      ]
    ): void {
      fc.assert(fc.property(...args), INVARIANT)
    }

    const withTrust = (input: EmailInput, trust: Trust): EmailInput => ({
      ...input,
      trust: { ...input.trust, ...trust },
    })

    function withExposure(
      input: EmailInput,
      at: number,
      change: (was: Exposure) => Exposure,
    ): EmailInput {
      const exposures = input.exposures ?? []
      return {
        ...input,
        exposures: exposures.map((was, i) => (i === at % exposures.length ? change(was) : was)),
      }
    }

    function withSignal(
      input: EmailInput,
      at: number,
      change: (was: Signal) => Signal,
    ): EmailInput {
      const signals = input.signals ?? []
      return {
        ...input,
        signals: signals.map((was, i) => (i === at % signals.length ? change(was) : was)),
      }
    }

    const anywhere = fc.nat({ max: 1_000 })

    test("I1: a score is an integer from 0 to 100 and a probability lies between 0 and 1", () => {
      check(anyEmail, (input) => {
        const { risk_score } = assessEmail(input, emailModel)
        const { p } = outcome(input)
        assert.ok(Number.isInteger(risk_score) && risk_score >= 0 && risk_score <= 100)
        assert.ok(!Object.is(risk_score, -0))
        assert.ok(p > 0 && p < 1)
      })
    })

    test("I2: a score is never below the floor of its stage, and the band follows from it alone", () => {
      check(anyEmail, (input) => {
        const { risk_score } = assessEmail(input, emailModel)
        assert.ok(risk_score >= (emailPass(input, emailModel).risk.floor ?? 0))
      })
    })

    test("I3: the order of the evidence changes nothing", () => {
      const shuffled = anyEmail.chain((input) =>
        fc.record({
          input: fc.constant(input),
          exposures: fc.shuffledSubarray([...(input.exposures ?? [])], {
            minLength: input.exposures?.length ?? 0,
          }),
          signals: fc.shuffledSubarray([...(input.signals ?? [])], {
            minLength: input.signals?.length ?? 0,
          }),
        }),
      )
      check(shuffled, ({ input, exposures, signals }) => {
        const other = { ...input, exposures, signals }
        const [a, b] = [outcome(input), outcome(other)]
        assert.ok(Math.abs(a.p - b.p) <= SLACK)
        assert.equal(a.stage, b.stage)
        assert.ok(Math.abs(a.confidence_value - b.confidence_value) <= SLACK)
        assert.deepEqual(
          new Set(assessEmail(other, emailModel).risk_reasons),
          new Set(assessEmail(input, emailModel).risk_reasons),
        )
      })
    })

    test("I4: importing the same evidence twice changes nothing", () => {
      check(anyEmail, (input) => {
        const twice = {
          ...input,
          exposures: [...(input.exposures ?? []), ...(input.exposures ?? [])],
          signals: [...(input.signals ?? []), ...(input.signals ?? [])],
        }
        assert.deepEqual(assessEmail(twice, emailModel), assessEmail(input, emailModel))
        assert.equal(outcome(twice).p, outcome(input).p)
      })
    })

    test("I5: one more exposure never lowers probability or stage", () => {
      check(anyEmail, exposure, (input, added) => {
        assertNotLower({ ...input, exposures: [...(input.exposures ?? []), added] }, input)
      })
    })

    test("I6: one more signal never lowers probability or stage", () => {
      check(anyEmail, signal, (input, added) => {
        assertNotLower({ ...input, signals: [...(input.signals ?? []), added] }, input)
      })
    })

    test("I7: a stronger secret never lowers the probability", () => {
      check(anyEmail, anywhere, (input, at) => {
        const stronger = withExposure(input, at, (was) => {
          const place = SECRETS.indexOf(was.secret ?? "unknown")
          return { ...was, secret: SECRETS[Math.min(place + 1, SECRETS.length - 1)] ?? "plaintext" }
        })
        assertPNotLower(stronger, input)
      })
    })

    test("I8: a more trusted source never lowers the probability", () => {
      check(anyEmail, anywhere, fc.integer({ min: 1, max: 60 }), (input, at, percent) => {
        const surer = <T extends Exposure | Signal>(was: T): T => ({
          ...was,
          conf: Math.min(1, (was.conf ?? 0.8) + percent / 100),
        })
        assertPNotLower(withExposure(input, at, surer), input)
        assertPNotLower(withSignal(input, at, surer), input)
      })
    })

    test("I9: a more recent observation never lowers the probability, no rotation in play", () => {
      check(anyEmail, anywhere, fc.integer({ min: 1, max: 900 }), (any, at, days) => {
        const input = { ...any, rotatedAge: null }
        const newer = <T extends Exposure | Signal>(was: T): T => ({
          ...was,
          age: Math.max(0, was.age - days),
        })
        assertPNotLower(withExposure(input, at, newer), input)
        assertPNotLower(withSignal(input, at, newer), input)
      })
    })

    test("I10: waiting never raises probability, stage or confidence", () => {
      const grown = (age: number | null | undefined, by: number) => (age == null ? null : age + by)
      check(anyEmail, fc.integer({ min: 1, max: 1_500 }), (input, by) => {
        const trust = input.trust ?? {}
        const later: EmailInput = {
          ...input,
          exposures: (input.exposures ?? []).map((told) => ({ ...told, age: told.age + by })),
          signals: (input.signals ?? []).map((told) => ({ ...told, age: told.age + by })),
          rotatedAge: grown(input.rotatedAge, by),
          trust: {
            ...trust,
            emailAge: grown(trust.emailAge, by),
            domainAge: grown(trust.domainAge, by),
            disposableDomainAge: grown(trust.disposableDomainAge, by),
            confirmedFraudAge: grown(trust.confirmedFraudAge, by),
            goodHistoryDays: grown(trust.goodHistoryDays, by),
            blocklist: (trust.blocklist ?? []).map((entry) => ({
              ...entry,
              age: grown(entry.age, by),
            })),
          },
        }
        const [now, then] = [outcome(input), outcome(later)]
        assert.ok(then.p <= now.p + SLACK, `p rose from ${now.p} to ${then.p}`)
        assert.ok(then.stage <= now.stage)
        assert.ok(then.confidence_value <= now.confidence_value + SLACK)
      })
    })

    test("I11: evidence of trust never raises the probability", () => {
      const more = fc.integer({ min: 1, max: 2_000 })
      check(anyEmail, more, (input, by) => {
        const { traces, emailAge, goodHistoryDays } = input.trust ?? {}
        assertPNotLower(
          withTrust(input, { ownershipVerified: null }),
          withTrust(input, { ownershipVerified: true }),
        )
        assertPNotLower(
          withTrust(input, { goodHistoryDays: null }),
          withTrust(input, { goodHistoryDays: by }),
        )
        assertPNotLower(input, withTrust(input, { goodHistoryDays: (goodHistoryDays ?? 0) + by }))
        if (traces != null) assertPNotLower(input, withTrust(input, { traces: traces + 1 }))
        if (emailAge != null) assertPNotLower(input, withTrust(input, { emailAge: emailAge + by }))
      })
    })

    test("I12: evidence of automation never lowers the probability", () => {
      check(anyEmail, fc.integer({ min: 1, max: 5 }), (input, by) => {
        const { velocity24h, anomaly, clusterSize, blocklist, handle } = input.trust ?? {}
        const raised: Trust[] = [
          { velocity24h: (velocity24h ?? 0) + by },
          { anomaly: Math.min(1, (anomaly ?? 0) + by / 10) },
          { clusterSize: (clusterSize ?? 0) + by },
          { blocklist: [...(blocklist ?? []), { conf: by / 10, age: by }] },
          ...(handle == null ? [] : [{ handle: handle + by / 10 }]),
        ]
        for (const trust of raised) assertPNotLower(withTrust(input, trust), input)
      })
    })

    test("I13: a confirmed rotation never raises the probability and undoes no attack or loss", () => {
      check(anyEmail, fc.integer({ min: 0, max: 800 }), (input, rotatedAge) => {
        const never = { ...input, rotatedAge: null }
        const rotated = { ...input, rotatedAge }
        assertPNotLower(never, rotated)
        assertPNotLower({ ...input, rotatedAge: rotatedAge + 100 }, rotated)
        const before = assessEmail(never, emailModel).threat_stage
        if (before === "ATTACKED" || before === "MONETIZED") {
          assert.equal(assessEmail(rotated, emailModel).threat_stage, before)
        }
      })
    })

    test("I14: a later stage scores higher, all else equal", () => {
      const ladder = ["repost", "listing", "tested", "attack", "monetized"] as const
      const leaked = exposure.filter(({ kind }) => kind === "breach" || kind === "paste")
      const conf = fc.integer({ min: 50, max: 100 }).map((percent) => percent / 100)
      // Half-lives differ by signal, so after some weeks the signals could no longer be compared.
      const age = fc.integer({ min: 0, max: 30 })
      check(fc.array(leaked, { maxLength: 6 }), trust, conf, age, (exposures, trust, conf, age) => {
        const climbed = ladder.map((type) => {
          const signals = [{ type, source: "told", age, conf }]
          return assessEmail(emailInput({ exposures, trust, signals }), emailModel)
        })
        assert.deepEqual(
          climbed.map(({ threat_stage }) => threat_stage),
          ["REPOSTED", "TRADED", "TESTED", "ATTACKED", "MONETIZED"],
        )
        const scores = climbed.map(({ risk_score }) => risk_score)
        assert.deepEqual(
          scores,
          scores.toSorted((a, b) => a - b),
        )
      })
    })

    test("I14: with nothing else known each stage scores higher than the one before it", () => {
      const types = ["mention", "repost", "listing", "tested", "attack", "monetized"] as const
      const scores = types.map(
        (type) =>
          assessEmail(emailInput({ signals: [{ type, source: "s", age: 1 }] }), emailModel)
            .risk_score,
      )
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(scores).size, scores.length)
    })

    test("I15: a raised score comes with one to four reasons that do not claim more than was added", () => {
      let raised = 0
      check(anyEmail, (input) => {
        const { risk_score, risk_reasons } = assessEmail(input, emailModel)
        const pass = emailPass(input, emailModel)
        const { baseline } = pass
        const rounding = risk_score - pass.reached
        const reasons = risk_reasons.filter((reason) => reason !== UNCHECKED)
        assert.ok(risk_reasons.length >= 1 && reasons.length <= 4)
        if (risk_score < 25) return
        raised++
        const told = pass.contributions
          .map(({ code, points }) => {
            const { text } = emailReasonSentence(code, pass, input, emailModel)
            return { text, points, rounded: Math.floor(points + 0.5) }
          })
          .filter(({ text }) => risk_reasons.includes(text))
        assert.ok(told.length >= 1, "no reason for a raised score")
        assert.ok(told.every(({ points }) => points >= 1))
        const sum = told.reduce((total, { points }) => total + points, 0)
        assert.ok(sum <= risk_score - baseline - rounding + 1e-9)
        const rounded = told.reduce((total, reason) => total + reason.rounded, 0)
        assert.ok(rounded <= risk_score - baseline + 0.5 * (told.length + 1))
      })
      assert.ok(raised > INVARIANT.numRuns / 4, "the property was hardly exercised")
    })

    test("I16: low confidence never blocks, and a low score is always let through", () => {
      check(anyEmail, (input) => {
        const { risk_score, confidence, recommended_action } = assessEmail(input, emailModel)
        if (confidence === "low") assert.notEqual(recommended_action, "block")
        assert.equal(recommended_action === "allow", bandOf(risk_score) === "low")
      })
    })

    test("I17: the shape of an address alone, or a privacy relay alone, stays in the low band", () => {
      const handle = fc.integer({ min: -500, max: 500 }).map((hundredths) => hundredths / 100)
      const alone = fc.oneof(fc.record({ handle }), fc.constant({ masked: true }))
      check(alone, coverage, (trust, coverage) => {
        const { risk_score, recommended_action } = assessEmail(
          emailInput({ trust, coverage }),
          emailModel,
        )
        assert.equal(bandOf(risk_score), "low")
        assert.equal(recommended_action, "allow")
      })
      const worst = assessEmail(emailInput({ trust: { handle: 1.2 } }), emailModel)
      assert.equal(worst.risk_score, 20)
    })

    test("I19: the same input gives the same bytes, and is left as it was", () => {
      check(anyEmail, (input) => {
        const before = JSON.stringify(input)
        const copy = structuredClone(input)
        for (const give of [assessEmail, explainEmail]) {
          const first = JSON.stringify(give(input, emailModel))
          assert.equal(JSON.stringify(give(input, emailModel)), first)
          assert.equal(JSON.stringify(give(copy, emailModel)), first)
        }
        assert.equal(JSON.stringify(input), before)
      })
    })

    test("I20: a member that is null and a member left out are the same", () => {
      const [everyMember = {}] = fc.sample(fullTrust, { seed: INVARIANT.seed, numRuns: 1 })
      const members = Object.keys(everyMember)
      assert.equal(members.length, 27)
      check(anyEmail, (input) => {
        const trust: Record<string, unknown> = { ...input.trust }
        for (const member of members) trust[member] ??= null
        const spelt: EmailInput = {
          ...input,
          trust,
          rotatedAge: input.rotatedAge ?? null,
          coverage: { credential: null, ...input.coverage },
          ctx: null,
          settings: { prior_cred: null, prior_abuse: null, costs: null, calibration: null },
          exposures: (input.exposures ?? []).map((told) => ({
            secret: null,
            conf: null,
            item: null,
            pwFp: null,
            ...told,
          })),
        }
        assert.equal(
          JSON.stringify(assessEmail(spelt, emailModel)),
          JSON.stringify(assessEmail(input, emailModel)),
        )
      })
    })

    test("I20: not looked up is not the same as nothing found", () => {
      const p = (traces: number | null) => outcome(emailInput({ trust: { traces } })).p
      assert.ok(p(0) > p(null))
    })

    test("I21: a calibrated score keeps the floor of the stage and never falls with more evidence", () => {
      check(anyEmail, calibration, exposure, signal, (input, fit, exposed, told) => {
        const calibrated = { ...input, settings: { calibration: fit } }
        const { p, risk } = emailPass(calibrated, emailModel)
        assert.ok(p > 0 && p < 1)
        assert.ok(assessEmail(calibrated, emailModel).risk_score >= (risk.floor ?? 0))
        assertNotLower(
          { ...calibrated, exposures: [...(input.exposures ?? []), exposed] },
          calibrated,
        )
        assertNotLower({ ...calibrated, signals: [...(input.signals ?? []), told] }, calibrated)
      })
    })

    test("I21: calibration keeps the order of identities", () => {
      check(anyEmail, anyEmail, calibration, (one, other, fit) => {
        const score = (input: EmailInput) =>
          assessEmail({ ...input, settings: { calibration: fit } }, emailModel).risk_score
        const floor = (input: EmailInput) => emailPass(input, emailModel).risk.floor ?? 0
        const [low, high] = outcome(one).p <= outcome(other).p ? [one, other] : [other, one]
        assert.ok(score(low) <= Math.max(score(high), floor(low)))
      })
    })
  })
}

suite("what no setting undoes", () => {
  const emailModel = emailModels["1.1"]
  const cost = fc.integer({ min: 1, max: 4_000 }).map((hundredths) => hundredths / 100)
  const settings = fc.record(
    {
      prior_cred: fc.constantFrom(0.0001, 0.0033, 0.05),
      prior_abuse: fc.constantFrom(0.0001, 0.01, 0.3),
      costs: fc.record({ loss: cost, challenge: cost, wrongBlock: cost }, { requiredKeys: [] }),
      calibration,
      confirmedBeforeBlock: fc.boolean(),
    },
    { requiredKeys: [] },
  )

  test("I22: look-alike letters never lower a score", () => {
    fc.assert(
      fc.property(anyEmail, settings, (known, settings) => {
        const input = { ...known, settings }
        const score = (homograph: boolean | null) =>
          assessEmail({ ...input, trust: { ...input.trust, homograph } }, emailModel).risk_score
        assert.ok(score(true) >= score(null))
        assert.equal(score(false), score(null))
      }),
      INVARIANT,
    )
  })

  test("I23: what is fresh and usable is never let through unasked", () => {
    const fresh = exposure.map((told): Exposure => ({
      ...told,
      age: told.age % 31,
      secret: told.age % 2 === 0 ? "plaintext" : "weak_hash",
      conf: Math.max(0.5, told.conf ?? 0.8),
    }))
    let allowedWithout = 0
    fc.assert(
      fc.property(anyEmail, fresh, settings, (known, added, settings) => {
        const input = { ...known, rotatedAge: null, settings }
        const exposures = [...(known.exposures ?? []), added]
        const { recommended_action, risk_score } = assessEmail({ ...input, exposures }, emailModel)
        assert.notEqual(recommended_action, "allow")
        assert.ok(risk_score >= 25)
        if (assessEmail(input, emailModel).recommended_action === "allow") allowedWithout++
      }),
      INVARIANT,
    )
    assert.ok(allowedWithout > INVARIANT.numRuns / 20, "the property was hardly exercised")
  })

  test("a password changed since, or a source that is doubted, brings no such floor", () => {
    const leak = { kind: "combolist", source: "a", age: 5, secret: "plaintext" } as const
    const action = (known: Partial<EmailInput>) =>
      assessEmail(emailInput(known), emailModel).recommended_action
    assert.equal(action({ exposures: [leak] }), "step_up_auth")
    assert.equal(action({ exposures: [leak], rotatedAge: 4 }), "allow")
    assert.equal(action({ exposures: [{ ...leak, kind: "breach", conf: 0.49 }] }), "allow")
  })
})
