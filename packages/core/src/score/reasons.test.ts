import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { emailInput, emailModel } from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import type { EmailInput, Trust } from "./email-input.ts"
import golden from "./golden.json" with { type: "json" }

function goldenInput(number: number): EmailInput {
  const found = golden.email.find(({ name }) => name.startsWith(`${number} `))
  assert.ok(found)
  return emailInput(found.input as Partial<EmailInput>)
}

function reasonsOf(known: Partial<EmailInput>): readonly string[] {
  return assessEmail(emailInput(known), emailModel).risk_reasons
}

// The golden identity, its baseline and score unrounded, and the unrounded points of every factor:
// first those returned as reasons, in the order of their rounded points, then the others.
const table: [number, number, number, [string, number][], string[]][] = [
  [
    5,
    0,
    33.2257,
    [
      ["CRED_BREACH", 29.2179],
      ["CRED_PASSWORD_REUSE", 4.0078],
    ],
    [],
  ],
  [
    9,
    0,
    45.7337,
    [
      ["CRED_STEALER_LOG", 22.4202],
      ["DW_LISTED", 22.3379],
    ],
    ["DW_MENTIONED 0.9755"],
  ],
  [
    11,
    0,
    60.0924,
    [
      ["DW_READY_TO_USE", 17.9884],
      ["DW_TESTED", 17.9884],
      ["CRED_STEALER_LOG", 12.0578],
      ["DW_LISTED", 12.0578],
    ],
    [],
  ],
  [
    12,
    0,
    80.0517,
    [
      ["ATO_CONFIRMED", 70.5357],
      ["CRED_COMBOLIST", 9.5159],
    ],
    [],
  ],
  [
    15,
    0,
    12.9049,
    [
      ["CRED_STEALER_LOG", 3.338],
      ["DW_LISTED", 3.0014],
      ["DW_READY_TO_USE", 3.2275],
      ["DW_TESTED", 3.338],
    ],
    [],
  ],
  [
    17,
    7.2806,
    69.8491,
    [
      ["ID_DISPOSABLE", 28.302],
      ["ID_NEW_EMAIL", 20.6182],
      ["BOT_HANDLE", 9.9374],
      ["ID_NO_FOOTPRINT", 3.7108],
    ],
    [],
  ],
  [
    18,
    7.2806,
    96.3815,
    [
      ["ID_DISPOSABLE", 20.9452],
      ["BOT_VELOCITY", 20.9452],
      ["ID_NEW_EMAIL", 14.8936],
      ["BOT_INSTANT_ACTION", 13.1439],
    ],
    ["BOT_CLUSTER 9.2598", "BOT_HANDLE 7.1589", "ID_NO_FOOTPRINT 2.7542"],
  ],
  [
    21,
    7.2806,
    52.6442,
    [
      ["ID_NEW_EMAIL", 20.1564],
      ["ID_NEW_DOMAIN", 13.6857],
      ["ID_TYPOSQUAT", 6.072],
      ["ID_NO_FOOTPRINT", 3.4747],
    ],
    ["ID_ROLE 1.9748"],
  ],
]

suite("reasons of the golden identities", () => {
  for (const [number, baseline, reached, told, untold] of table) {
    test(`identity ${number} is told by ${told.map(([code]) => code).join(", ")}`, () => {
      const input = goldenInput(number)
      const { risk_reasons, risk_score } = assessEmail(input, emailModel)
      const explanation = explainEmail(input, emailModel)
      const by = new Map<string, (typeof explanation.contributions)[number]>(
        explanation.contributions.map((contribution) => [contribution.code, contribution]),
      )
      near(explanation.baseline, baseline)
      near(risk_score - explanation.rounding, reached)
      for (const [code, points] of told) {
        near(by.get(code)?.points ?? NaN, points)
        assert.equal(by.get(code)?.rounded, Math.floor(points + 0.5))
      }
      for (const line of untold) {
        const [code = "", points] = line.split(" ")
        near(by.get(code)?.points ?? NaN, Number(points))
      }
      assert.equal(by.size, told.length + untold.length)
      assert.deepEqual(
        risk_reasons,
        told.map(([code]) => by.get(code)?.text),
      )
    })
  }

  function near(actual: number, expected: number): void {
    assert.ok(Math.abs(actual - expected) <= 5.1e-5, `${actual}, expected ${expected}`)
  }
})

suite("the sentences", () => {
  test("count sources and name the newest day", () => {
    const leak = { kind: "breach", secret: "plaintext" } as const
    const exposures = [
      { ...leak, source: "a", age: 400 },
      { ...leak, source: "b", age: 20 },
    ]
    assert.deepEqual(reasonsOf({ exposures }), [
      "Plaintext password in 2 breach sources, newest 20 days ago",
    ])
    assert.deepEqual(reasonsOf({ exposures: exposures.slice(1) }), [
      "Plaintext password in 1 breach source, 20 days ago",
    ])
  })

  test("a source that tells several items is one source", () => {
    const leak = { kind: "stealer", source: "shop", secret: "plaintext" } as const
    const exposures = [
      { ...leak, item: "log 1", age: 0 },
      { ...leak, item: "log 2", age: 9 },
    ]
    assert.deepEqual(reasonsOf({ exposures }), [
      "Plaintext password in 1 stealer log source, today",
    ])
  })

  test("a plaintext password is claimed only for the sources that leaked one", () => {
    const exposures = [
      { kind: "breach", source: "a", age: 1, secret: "plaintext" },
      { kind: "breach", source: "b", age: 5, secret: "slow_hash" },
      { kind: "breach", source: "c", age: 7, secret: "none" },
    ] as const
    assert.deepEqual(reasonsOf({ exposures }), [
      "Plaintext password in 1 of 3 breach sources, newest 1 day ago",
    ])
  })

  test("trust findings say what was seen", () => {
    const told = (trust: Trust): string => reasonsOf({ trust })[0] ?? ""
    assert.equal(told({ emailAge: 1 }), "Address first seen 1 day ago")
    assert.equal(told({ disposable: true }), "Disposable mail domain")
    assert.equal(
      told({ disposable: true, disposableDomainAge: 12 }),
      "Disposable mail domain first seen 12 days ago",
    )
    assert.equal(told({ mx: false }), "Domain has no mail server")
    assert.equal(told({ deliverable: false }), "Mailbox does not accept mail")
    assert.equal(told({ velocity24h: 4 }), "4 sign-ups from the same device or network in 24 hours")
    assert.equal(told({ signupToActionSec: 1 }), "First action 1 second after sign-up")
    assert.equal(told({ signupToActionSec: 5 }), "First action 5 seconds after sign-up")
    assert.equal(told({ anomaly: 0.7 }), "Behaviour reported as anomalous: 0.70 of 1")
    assert.equal(told({ blocklist: [{ age: 3 }] }), "On 1 block list, 3 days ago")
    assert.equal(told({ blocklist: [{ age: 3 }, { age: 0 }] }), "On 2 block lists, newest today")
    assert.equal(told({ confirmedFraudAge: 30 }), "Fraud by this identity confirmed 30 days ago")
  })

  test("no sentence is left with an unfilled value", () => {
    for (const { input } of golden.email) {
      const { contributions } = explainEmail(emailInput(input as Partial<EmailInput>), emailModel)
      for (const { text } of contributions) assert.doesNotMatch(text, /[{}]|undefined|NaN|Infinity/)
    }
  })
})

suite("when nothing is found", () => {
  test("the answer says how much was searched", () => {
    assert.deepEqual(reasonsOf({}), ["No exposure in 14 sources, newest import 2026-11-02"])
    assert.deepEqual(reasonsOf({ checked: { sources: 1, newestImport: "2026-11-02" } }), [
      "No exposure in 1 source, newest import 2026-11-02",
    ])
    assert.deepEqual(reasonsOf({ checked: { sources: 3 } }), ["No exposure in 3 sources"])
  })

  test("the answer does not claim a search when no source is loaded", () => {
    const [sentence, ...others] = reasonsOf({ checked: { sources: 0, newestImport: null } })
    assert.equal(sentence, "No exposure source is loaded, so exposure was not checked")
    assert.deepEqual(others, [])
  })

  test("an exposure too weak for a point is not called no exposure", () => {
    const faint = { kind: "breach", source: "a", age: 3_000, secret: "none", conf: 0.1 } as const
    const assessment = assessEmail(emailInput({ exposures: [faint] }), emailModel)
    assert.equal(assessment.exposed, true)
    assert.deepEqual(assessment.risk_reasons, [
      "Exposure in 1 source adds less than 1 point, 3000 days ago",
    ])
  })

  test("the baseline of an identity with reasons is not mixed with the search sentence", () => {
    const reasons = reasonsOf({ trust: { disposable: true } })
    assert.ok(reasons.every((reason) => !reason.startsWith("No exposure")))
  })
})
