import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  emailInput,
  emailModel,
  PROPERTY,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { explainEmail } from "./assess-email.ts"
import { definedStage } from "../../testing/score/definition-suite.ts"
import type { EmailInput } from "./email-input.ts"
import { STAGES } from "./vocabulary.ts"

function stageOf(known: Partial<EmailInput>) {
  return explainEmail(emailInput(known), emailModel).stage
}

suite("the stage", () => {
  test("needs a trusted source, or several that agree", () => {
    const told = (source: string) => ({ type: "tested", source, age: 1, conf: 0.3 }) as const
    assert.equal(stageOf({ signals: [told("a")] }).name, "CLEAN")
    assert.equal(stageOf({ signals: [told("a"), { ...told("a"), item: "again" }] }).name, "CLEAN")
    assert.equal(stageOf({ signals: [told("a"), told("b")] }).name, "TESTED")
  })

  test("is never set by talk", () => {
    const signals = ["a", "b", "c"].map(
      (source) => ({ type: "mention", source, age: 0, conf: 1 }) as const,
    )
    assert.equal(stageOf({ signals }).name, "CLEAN")
  })

  test("of a repost starts at 16, and at 25 when two sources are fresh", () => {
    const told = (source: string, age: number) => ({ type: "repost", source, age }) as const
    assert.equal(stageOf({ signals: [told("a", 1)] }).floor, 16)
    assert.equal(stageOf({ signals: [told("a", 1), told("a", 2)] }).floor, 16)
    assert.equal(stageOf({ signals: [told("a", 1), told("b", 91)] }).floor, 16)
    assert.equal(stageOf({ signals: [told("a", 1), told("b", 90)] }).floor, 25)
  })

  test("tells what holds the credential points", () => {
    const held = (type: "attack" | "listing") =>
      stageOf({ signals: [{ type, source: "a", age: 1 }] }).held_by
    assert.equal(held("attack"), "floor")
    const phished = { kind: "phish", source: "a", age: 0, secret: "plaintext", conf: 1 } as const
    assert.equal(stageOf({ exposures: [phished] }).held_by, "none")
    const rich = ["phone", "dob", "address", "gov_id", "payment", "session"]
    const many = ["a", "b", "c"].map((source) => ({
      ...phished,
      source,
      classes: rich,
      pwFp: "a1f",
    }))
    assert.equal(stageOf({ exposures: many }).held_by, "cap")
  })

  test("names the fewest items that carry it, most trusted first", () => {
    const { name, marker, evidence } = stageOf({
      exposures: [{ kind: "breach", source: "old", age: 10 }],
      signals: [
        { type: "listing", source: "weak", age: 5, conf: 0.4 },
        { type: "sale", source: "weaker", age: 6, conf: 0.3 },
        { type: "sale", source: "weakest", age: 7, conf: 0.1 },
      ],
    })
    assert.deepEqual([name, marker], ["TRADED", 55])
    assert.deepEqual(evidence, [
      { kind: "listing", source: "weak", date: "2026-11-10", conf: 0.4 },
      { kind: "sale", source: "weaker", date: "2026-11-09", conf: 0.3 },
    ])
  })
})

suite("the next step down", () => {
  test("is the day the window of the evidence ends", () => {
    const { next_step_down } = stageOf({ signals: [{ type: "attack", source: "a", age: 3 }] })
    assert.deepEqual(next_step_down, { date: "2027-03-12", stage: "TESTED" })
  })

  test("is none for a leak, which never ends, nor for nothing", () => {
    assert.equal(
      stageOf({ exposures: [{ kind: "breach", source: "a", age: 3 }] }).next_step_down,
      null,
    )
    assert.equal(stageOf({}).next_step_down, null)
  })

  test("is the first day on which the stage is lower, and the stage of that day", () => {
    let stepped = 0
    const later = (input: EmailInput, by: number): EmailInput => ({
      ...input,
      exposures: (input.exposures ?? []).map((told) => ({ ...told, age: told.age + by })),
      signals: (input.signals ?? []).map((told) => ({ ...told, age: told.age + by })),
      rotatedAge: input.rotatedAge == null ? null : input.rotatedAge + by,
    })
    fc.assert(
      fc.property(anyEmail, (input) => {
        const { name, next_step_down } = explainEmail(input, emailModel).stage
        if (next_step_down === null) {
          assert.equal(definedStage(later(input, 5_000)), definedStage(input))
          return
        }
        stepped++
        const left = (Date.parse(next_step_down.date) - Date.parse(input.as_of)) / 86_400_000
        assert.equal(STAGES[definedStage(later(input, left - 1))]?.name, name)
        const after = STAGES[definedStage(later(input, left))]?.name
        assert.equal(after, next_step_down.stage)
        assert.notEqual(after, name)
      }),
      PROPERTY,
    )
    assert.ok(stepped > 50)
  })
})
