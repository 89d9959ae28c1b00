import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  exposure,
  PROPERTY,
  signal,
  SLACK,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail } from "./assess-email.ts"
import type { EmailInput } from "./email-input.ts"
import { emailPass } from "./email-pass.ts"
import { uncheckedExposure } from "./email-reasons.ts"
import document10 from "./email-1.0.json" with { type: "json" }
import document11 from "./email-1.1.json" with { type: "json" }
import { ModelFault } from "./model-document.ts"
import type { EmailModel } from "./model-email.ts"
import { bandOf, SECRETS } from "./vocabulary.ts"
import { loadEmailModel } from "./models.ts"

// The rules at loading are there so that every model keeps the invariants, not only the shipped
// one: here documents are changed at random, and every accepted one must keep them.

/** Paths of all numbers that weigh evidence. */
function weightsOf(holder: object, path: string[] = []): string[][] {
  return Object.entries(holder as Record<string, unknown>).flatMap(([name, value]) => {
    const own = [...path, name]
    if (typeof value === "number") return [own]
    return typeof value === "object" && value !== null ? weightsOf(value, own) : []
  })
}

const factor = fc.constantFrom(0, 0.1, 0.5, 0.8, 0.95, 1.05, 1.2, 2, 5, 20)

const changedDocument = fc.constantFrom(document10, document11).chain((document) => {
  const change = fc.record({ at: fc.constantFrom(...weightsOf(document)), factor })
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) => withChanges(document, changes))
})

function withChanges(
  document: object,
  changes: readonly { readonly at: string[]; readonly factor: number }[],
): unknown {
  const copy = structuredClone(document)
  for (const { at, factor } of changes) {
    let holder = copy as unknown as Record<string, unknown>
    for (const name of at.slice(0, -1)) holder = holder[name] as Record<string, unknown>
    const name = at.at(-1) ?? ""
    const was = holder[name] as number
    holder[name] = Number.isInteger(was) ? Math.round(was * factor) : was * factor
  }
  return copy
}

function accepted(changed: unknown): EmailModel | null {
  try {
    return loadEmailModel(changed)
  } catch (error) {
    assert.ok(error instanceof ModelFault)
    return null
  }
}

test("a model that was accepted keeps the invariants, whatever its numbers", () => {
  let models = 0
  const property = fc.property(
    changedDocument,
    anyEmail,
    exposure,
    signal,
    fc.integer({ min: 1, max: 900 }),
    (changed, input, exposed, told, days) => {
      const model = accepted(changed)
      if (model === null) return
      models++
      const outcome = (of: EmailInput) => {
        const { p, risk } = emailPass(of, model)
        return { p, stage: risk.stage }
      }
      const now = outcome(input)
      const higher = (other: EmailInput, why: string) => {
        const after = outcome(other)
        assert.ok(after.p >= now.p - SLACK && after.stage >= now.stage, why)
      }
      const lower = (other: EmailInput, why: string) => {
        const after = outcome(other)
        assert.ok(after.p <= now.p + SLACK && after.stage <= now.stage, why)
      }
      const {
        exposures = [],
        signals = [],
        trust = {},
      } = input as {
        exposures?: NonNullable<EmailInput["exposures"]>
        signals?: NonNullable<EmailInput["signals"]>
        trust?: NonNullable<EmailInput["trust"]>
      }

      const { risk_score, confidence, recommended_action, risk_reasons } = assessEmail(input, model)
      assert.ok(Number.isInteger(risk_score) && risk_score >= 0 && risk_score <= 100)
      assert.ok(now.p > 0 && now.p < 1)
      assert.ok(risk_score >= (emailPass(input, model).risk.floor ?? 0))
      assert.equal(recommended_action === "allow", bandOf(risk_score) === "low")
      if (confidence === "low") assert.notEqual(recommended_action, "block")
      const unchecked = uncheckedExposure(input, model) === null ? 0 : 1
      assert.ok(risk_reasons.length >= 1 && risk_reasons.length <= 4 + unchecked)

      higher({ ...input, exposures: [...exposures, exposed] }, "an exposure more")
      higher({ ...input, signals: [...signals, told] }, "a signal more")
      higher(
        {
          ...input,
          exposures: exposures.map((was) => ({
            ...was,
            secret: SECRETS[SECRETS.indexOf(was.secret ?? "unknown") + 1] ?? "plaintext",
          })),
        },
        "stronger secrets",
      )
      // Written out here rather than shared with the ageing of the summary, so that a mistake there
      // does not hide in this check.
      const later = <T extends { readonly age: number }>(was: T): T => ({
        ...was,
        age: was.age + days,
      })
      const grown = (age: number | null | undefined) => (age == null ? null : age + days)
      lower(
        {
          ...input,
          exposures: exposures.map(later),
          signals: signals.map(later),
          rotatedAge: grown(input.rotatedAge),
          trust: {
            ...trust,
            emailAge: grown(trust.emailAge),
            domainAge: grown(trust.domainAge),
            disposableDomainAge: grown(trust.disposableDomainAge),
            confirmedFraudAge: grown(trust.confirmedFraudAge),
            goodHistoryDays: grown(trust.goodHistoryDays),
          },
        },
        "waiting",
      )
      if (input.rotatedAge == null) lower({ ...input, rotatedAge: days }, "a rotation")
      if (trust.traces != null)
        lower({ ...input, trust: { ...trust, traces: trust.traces + 1 } }, "a trace more")
      for (const more of [
        { velocity24h: (trust.velocity24h ?? 0) + 1 },
        { clusterSize: (trust.clusterSize ?? 0) + 4 },
        { anomaly: Math.min(1, (trust.anomaly ?? 0) + 0.2) },
      ])
        higher({ ...input, trust: { ...trust, ...more } }, "more automation")
    },
  )
  fc.assert(property, { ...PROPERTY, numRuns: PROPERTY.numRuns * 4 })
  assert.ok(models > PROPERTY.numRuns / 2, `only ${models} of the documents were accepted`)
})
