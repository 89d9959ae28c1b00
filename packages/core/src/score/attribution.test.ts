import assert from "node:assert/strict"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  calibration,
  emailInput,
  emailModel,
  PROPERTY,
  VERSIONS,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { addCode, contributionsOf, leading } from "./attribution.ts"
import type { EmailInput, Trust } from "./email-input.ts"
import { emailPass } from "./email-pass.ts"
import type { EmailModel } from "./model-email.ts"
import { emailModels } from "./models.ts"
import { clip, logit, pointsOf, scaleOf } from "./scale.ts"
import {
  EMAIL_REASON_CODES,
  EXPOSURE_KINDS,
  SIGNAL_TYPES,
  type EmailReasonCode,
} from "./vocabulary.ts"

// The definition taken literally: take the factors out of the input and score what is left. The
// scorer itself keeps its terms from one walk; the two must agree on every identity.

const credentialCodes = [
  "CRED_BREACH",
  "CRED_PASTE",
  "CRED_COMBOLIST",
  "CRED_STEALER_LOG",
  "CRED_PHISHED",
] as const
const signalCodes = [
  "DW_REPOSTED",
  "DW_LISTED",
  "DW_SOLD",
  "DW_MENTIONED",
  "DW_READY_TO_USE",
  "DW_TESTED",
  "ATO_CONFIRMED",
  "FRAUD_MONETIZED",
] as const
const trustMembers: Partial<Record<EmailReasonCode, keyof Trust>> = {
  ID_NEW_EMAIL: "emailAge",
  ID_DISPOSABLE: "disposable",
  ID_MASKED: "masked",
  ID_NEW_DOMAIN: "domainAge",
  ID_TOXIC_DOMAIN: "toxicDomain",
  ID_TYPOSQUAT: "typosquat",
  ID_HOMOGRAPH: "homograph",
  ID_ROLE: "role",
  ID_CATCH_ALL: "catchAll",
  ID_NO_FOOTPRINT: "traces",
  BOT_HANDLE: "handle",
  BOT_VELOCITY: "velocity24h",
  BOT_INSTANT_ACTION: "signupToActionSec",
  BOT_BLOCKLIST: "blocklist",
  BOT_ANOMALY: "anomaly",
  BOT_CLUSTER: "clusterSize",
  BOT_MAILBOX_DIED: "mailboxDied",
  FRAUD_CONFIRMED: "confirmedFraudAge",
}

function reduced(input: EmailInput, gone: ReadonlySet<EmailReasonCode>): EmailInput {
  const keeps = (code: EmailReasonCode | undefined) => code !== undefined && !gone.has(code)
  const exposures = (input.exposures ?? [])
    .filter(({ kind }) => keeps(credentialCodes[EXPOSURE_KINDS.indexOf(kind)]))
    .map((told) => (keeps("CRED_PASSWORD_REUSE") ? told : { ...told, pwFp: null }))
  const signals = (input.signals ?? []).filter(({ type }) =>
    keeps(signalCodes[SIGNAL_TYPES.indexOf(type)]),
  )
  const trust: Record<string, unknown> = { ...input.trust }
  for (const code of gone) {
    const member = trustMembers[code]
    if (member !== undefined) trust[member] = null
    // Taken out of the input, the stronger finding would let the weaker one speak.
    if (code === "ID_HOMOGRAPH") trust.typosquat = null
    if (code === "ID_DISPOSABLE") trust.disposableLikely = null
    if (code === "ID_UNDELIVERABLE") {
      if (trust.mx === false) trust.mx = null
      if (trust.deliverable === false) trust.deliverable = null
    }
  }
  return { ...input, exposures, signals, trust }
}

function scoreOf(input: EmailInput, model: EmailModel): number {
  return clip(pointsOf(scaleOf(model.scale), logit(emailPass(input, model).p)), 0, 100)
}

// Without its masked or disposable domain, an address could count as corporate. Taking only the
// term out does not do that, so these identities are never one flag short of corporate.
const literal = anyEmail.map((input): EmailInput => ({
  ...input,
  trust: { ...input.trust, free: true },
}))

suite("the points of a factor", () => {
  const agreeUnder = (input: EmailInput, model: EmailModel): void => {
    const { contributions: placed, baseline } = emailPass(input, model)
    const contributions = placed.map(({ code, points }) => ({
      code: EMAIL_REASON_CODES[code] as EmailReasonCode,
      points,
    }))
    const codes = contributions.map(({ code }) => code)
    const score = (of: EmailInput) => scoreOf(of, model)
    const none = score(reduced(input, new Set(codes)))
    const all = score(input)
    assert.ok(Math.abs(none - baseline) <= 1e-9)
    const shares = codes.map((code) => {
      const alone = score(reduced(input, new Set(codes.filter((other) => other !== code))))
      const without = score(reduced(input, new Set([code])))
      return (alone - none + all - without) / 2
    })
    const sum = shares.reduce((total, share) => total + share, 0)
    if (sum < 1e-6) return
    contributions.forEach(({ code, points }, i) => {
      const expected = ((shares[i] ?? NaN) * (all - none)) / sum
      assert.ok(Math.abs(points - expected) <= 1e-6, `${code}: ${points}, expected ${expected}`)
    })
  }
  const agree = (input: EmailInput): void => {
    for (const version of VERSIONS) agreeUnder(input, emailModels[version])
  }

  test("are those of scoring the identity again with and without it", () => {
    fc.assert(fc.property(literal, agree), PROPERTY)
  })

  test("are so after calibration too", () => {
    const calibrated = fc
      .tuple(literal, calibration)
      .map(([input, fit]): EmailInput => ({ ...input, settings: { calibration: fit } }))
    fc.assert(fc.property(calibrated, agree), PROPERTY)
  })

  test("reuse goes with the exposures that show it", () => {
    const leak = { secret: "plaintext", pwFp: "a1f", conf: 1 } as const
    const input = emailInput({
      exposures: [
        { ...leak, kind: "breach", source: "a", age: 10 },
        { ...leak, kind: "stealer", source: "b", age: 10 },
      ],
    })
    agree(input)
    const { contributions } = explainEmail(input, emailModel)
    const reuse = contributions.find(({ code }) => code === "CRED_PASSWORD_REUSE")
    assert.ok((reuse?.points ?? 0) > 1)
    assert.match(reuse?.text ?? "", /^Same password leaked by 2 sources/)
  })

  test("one password under two items of one source is no reuse", () => {
    const leak = { kind: "breach", source: "a", secret: "plaintext", pwFp: "a1f", age: 10 } as const
    const exposures = [
      { ...leak, item: "1" },
      { ...leak, item: "2" },
    ]
    const { contributions } = explainEmail(emailInput({ exposures }), emailModel)
    assert.deepEqual(
      contributions.map(({ code }) => code),
      ["CRED_BREACH"],
    )
  })
})

suite("contributions", () => {
  test("add up to what the evidence adds", () => {
    const factors = [
      { code: 0, alone: 12, without: 30 },
      { code: 4, alone: 9, without: 38 },
    ]
    const points = contributionsOf(factors, 5, 40).map((contribution) => contribution.points)
    assert.equal(points.length, 2)
    assert.ok(Math.abs((points[0] ?? 0) + (points[1] ?? 0) - 35) <= 1e-12)
    assert.ok((points[0] ?? 0) > (points[1] ?? 0))
  })

  test("are shared equally where no factor makes a difference by itself", () => {
    const factors = [1, 2, 3, 4].map((code) => ({ code, alone: 0, without: 40 }))
    const points = contributionsOf(factors, 0, 40).map((contribution) => contribution.points)
    assert.deepEqual(points, [10, 10, 10, 10])
  })

  test("a score raised by evidence that is redundant throughout still has reasons", () => {
    const told = (type: "listing" | "sale" | "ready" | "tested", source: string) => ({
      type,
      source,
      age: 0,
      conf: 0.2,
    })
    const input = emailInput({
      trust: { emailAge: 4_000, traces: 3, ownershipVerified: true, deliverable: true },
      exposures: [{ kind: "stealer", source: "a", age: 0, conf: 0.2, secret: "slow_hash" }],
      signals: [told("listing", "b"), told("sale", "c"), told("ready", "d"), told("tested", "e")],
    })
    const { risk_score, risk_reasons } = assessEmail(input, emailModel)
    assert.equal(risk_score, 40)
    assert.equal(risk_reasons.length, 4)
  })

  test("are told of the right factor also beyond the thirty-second code", () => {
    const last = EMAIL_REASON_CODES.indexOf("FRAUD_CONFIRMED")
    assert.ok(last >= 32)
    for (const version of VERSIONS) {
      const { contributions } = explainEmail(
        emailInput({ trust: { confirmedFraudAge: 5 } }),
        emailModels[version],
      )
      assert.deepEqual(
        contributions.map(({ code }) => code),
        ["FRAUD_CONFIRMED"],
      )
    }
    const present: number[] = []
    for (const code of [100, 33, 100, 33, 64]) addCode(present, code)
    assert.deepEqual(present, [33, 64, 100])
  })

  test("are nothing where there is no factor or no rise", () => {
    assert.deepEqual(contributionsOf([], 7, 7), [])
    const [flat] = contributionsOf([{ code: 3, alone: 7, without: 7 }], 7, 7)
    assert.deepEqual(flat, { code: 3, points: 0 })
  })

  test("are told by rounded points, ties by the order of codes, from one point up, at most four", () => {
    const points = [0.99, 2.4, 2.6, 3.4, 1, 2.5]
    const told = leading(
      points.map((value, code) => ({ code, points: value })),
      { pointsMin: 1, countMax: 4 },
    )
    assert.deepEqual(
      told.map(({ code }) => code),
      [2, 3, 5, 1],
    )
  })
})
