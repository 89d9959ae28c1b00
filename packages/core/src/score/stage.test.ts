import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import { anyEmail, emailInput, emailModel, PROPERTY } from "./arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import type { EmailInput, Exposure, Signal } from "./email-input.ts"
import { SECRETS, STAGES, type EvidenceKind } from "./vocabulary.ts"

const native: Record<EvidenceKind, number> = {
  monetized: 6,
  attack: 5,
  tested: 4,
  ready: 4,
  phish: 4,
  listing: 3,
  sale: 3,
  stealer: 3,
  repost: 2,
  combolist: 2,
  breach: 1,
  paste: 1,
  mention: 0,
}
const windows = [Infinity, Infinity, 365, 180, 120, 120, 180]

interface Fact {
  kind: EvidenceKind
  source: string
  age: number
  conf: number
  secret: number
}

/** The definition read aloud, over whole sets, without anything kept between questions. */
function stageByDefinition(input: EmailInput): number {
  const merged = new Map<string, Fact>()
  const merge = (told: Exposure | Signal, kind: EvidenceKind, secret: number) => {
    const key = JSON.stringify([kind, told.source, told.item ?? ""])
    const known = merged.get(key)
    merged.set(key, {
      kind,
      source: told.source,
      age: Math.min(known?.age ?? Infinity, told.age),
      conf: Math.max(known?.conf ?? 0, told.conf ?? 0.8),
      secret: Math.max(known?.secret ?? -1, secret),
    })
  }
  for (const told of input.exposures ?? []) {
    merge(told, told.kind, SECRETS.indexOf(told.secret ?? "unknown"))
  }
  for (const told of input.signals ?? []) merge(told, told.type, 9)
  const staged = [...merged.values()].map((fact) => ({ ...fact, stage: effective(fact) }))
  for (let stage = 6; stage >= 1; stage--) {
    const bySource = new Map<string, number>()
    for (const fact of staged) {
      if (fact.stage < stage) continue
      bySource.set(fact.source, Math.max(bySource.get(fact.source) ?? 0, fact.conf))
    }
    const doubt = [...bySource.values()].reduce((product, conf) => product * (1 - conf), 1)
    if (1 - doubt >= 0.5 - 1e-12) return stage
  }
  return 0

  function effective({ kind, age, secret }: Fact): number {
    const place = secret === 0 ? 1 : native[kind]
    if (place === 0) return 0
    const rotated = input.rotatedAge != null && age > input.rotatedAge
    if (rotated && kind !== "attack" && kind !== "monetized") return 1
    return Math.max(1, place - Math.floor(age / (windows[place] ?? Infinity)))
  }
}

function stageOf(known: Partial<EmailInput>) {
  return explainEmail(emailInput(known), emailModel).stage
}

suite("the stage", () => {
  test("is the one of its definition", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyEmail, (input) => {
        const { threat_stage } = assessEmail(input, emailModel)
        seen.add(threat_stage)
        assert.equal(threat_stage, STAGES[stageByDefinition(input)]?.name)
      }),
      PROPERTY,
    )
    assert.equal(seen.size, STAGES.length, "every stage should have been met")
  })

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
          assert.equal(stageByDefinition(later(input, 5_000)), stageByDefinition(input))
          return
        }
        stepped++
        const left = (Date.parse(next_step_down.date) - Date.parse(input.as_of)) / 86_400_000
        assert.equal(STAGES[stageByDefinition(later(input, left - 1))]?.name, name)
        const after = STAGES[stageByDefinition(later(input, left))]?.name
        assert.equal(after, next_step_down.stage)
        assert.notEqual(after, name)
      }),
      PROPERTY,
    )
    assert.ok(stepped > 50)
  })
})
