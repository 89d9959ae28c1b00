import assert from "node:assert/strict"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { suite, test } from "node:test"
import fc from "fast-check"
import {
  anyEmail,
  anyPhone,
  emailInput,
  phoneInput,
  PROPERTY,
} from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail, explainEmail } from "./assess-email.ts"
import { assessPhone, explainPhone } from "./assess-phone.ts"
import type { EmailInput, Trust } from "./email-input.ts"
import { emailModels, phoneModels } from "./models.ts"
import type { PhoneInput } from "./phone-input.ts"

const model = emailModels["1.1"]
const COVERED = { credential: 1, darkweb: 1, trust: 1, bot: 1 }
const assess = (known: Partial<EmailInput>) =>
  assessEmail(emailInput({ coverage: COVERED, ...known }), model)
const told = (trust: Trust): readonly string[] => assess({ trust }).risk_reasons

suite("model 1.0 beside 1.1", () => {
  test("is the document that it was, to the byte", () => {
    const sha256 = (file: string) =>
      hash("sha256", readFileSync(new URL(file, import.meta.url), "utf8"))
    assert.equal(
      sha256("./email-1.0.json"),
      "754caa7e9aad349591f35474702d356d37a256695b358886935799a450e05fd7",
    )
    assert.equal(
      sha256("./phone-1.0.json"),
      "41ff5859a49046e0a4f907ec0a8f924a4839ae4aa603915bdc706143c2ee1c14",
    )
  })

  test("answers the same whether or not an input has the members that 1.1 reads", () => {
    const emailOld = emailModels["1.0"]
    const phoneOld = phoneModels["1.0"]
    const asBefore = (known: EmailInput): EmailInput => ({
      ...known,
      trust: {
        ...known.trust,
        homograph: undefined,
        imitates: undefined,
        disposableLikely: undefined,
        localLength: undefined,
        blocklist: known.trust?.blocklist?.map(({ conf, age }) => ({ conf, age })),
      },
    })
    const numberAsBefore = (known: PhoneInput): PhoneInput => ({
      ...known,
      reserved: undefined,
      simChangeAgeMin: undefined,
      simChangeAgeMax: undefined,
      blocklistedForFraud: undefined,
      confirmedFraudAge: undefined,
      verifiedIndependently: undefined,
    })
    fc.assert(
      fc.property(anyEmail, anyPhone, (email, phone) => {
        const same = (one: unknown, other: unknown) =>
          assert.equal(JSON.stringify(one), JSON.stringify(other))
        same(assessEmail(email, emailOld), assessEmail(asBefore(email), emailOld))
        same(assessPhone(phone, phoneOld), assessPhone(numberAsBefore(phone), phoneOld))
        const explained = { ...explainEmail(email, emailOld), input: null }
        same(explained, { ...explainEmail(asBefore(email), emailOld), input: null })
        const number = { ...explainPhone(phone, phoneOld), input: null }
        same(number, { ...explainPhone(numberAsBefore(phone), phoneOld), input: null })
      }),
      PROPERTY,
    )
  })
})

suite("an exposure that is fresh and usable", () => {
  const leak = { kind: "combolist", source: "list", age: 1, secret: "plaintext" } as const

  test("of yesterday is elevated and asks for a second factor", () => {
    const trust = { free: true, mx: true, emailAge: 2_500, traces: 2, handle: -0.3 }
    const { risk_score, recommended_action } = assess({ exposures: [leak], trust })
    assert.deepEqual([risk_score, recommended_action], [26, "step_up_auth"])
    const before = assessEmail(emailInput({ exposures: [leak], trust }), emailModels["1.0"])
    assert.deepEqual([before.risk_score, before.recommended_action], [23, "allow"])
  })

  test("is not let through by a tenant whose costs say so, and is by model 1.0", () => {
    const settings = { costs: { challenge: 50 } }
    const exposures = [leak]
    assert.equal(assess({ exposures, settings }).recommended_action, "review")
    const input = emailInput({ exposures, settings })
    assert.equal(assessEmail(input, emailModels["1.0"]).recommended_action, "allow")
    assert.equal(assess({ settings }).recommended_action, "allow")
  })

  test("keeps its floor after a calibration", () => {
    const settings = { calibration: { A: 1, B: -5 } }
    assert.equal(assess({ exposures: [leak], settings }).risk_score, 25)
  })

  test("is shown in the explanation until it no longer is", () => {
    const notes = (age: number) =>
      explainEmail(emailInput({ exposures: [{ ...leak, age }] }), model).notes
    const isNote = (note: string) => note.includes("leaked in the last 30 days")
    assert.ok(notes(30).some(isNote))
    assert.ok(!notes(31).some(isNote))
  })
})

suite("sentences of model 1.1", () => {
  test("name what a domain imitates", () => {
    const domain = { imitates: "gmail.com" }
    assert.deepEqual(told({ homograph: true, ...domain }), [
      "Domain imitates gmail.com with look-alike letters",
    ])
    assert.deepEqual(told({ homograph: true }), ["Domain mixes alphabets"])
    assert.deepEqual(told({ typosquat: true, ...domain }), ["Domain imitates gmail.com"])
    assert.deepEqual(told({ typosquat: true }), ["Domain imitates a major mail provider"])
    assert.deepEqual(told({ homograph: true, typosquat: true, ...domain }), [
      "Domain imitates gmail.com with look-alike letters",
    ])
  })

  test("a host on one list is likely disposable, once and not as a block list", () => {
    const entry = { conf: 0.3, age: 0, likelyDisposable: true }
    const likely = { disposableLikely: true, blocklist: [entry] }
    assert.deepEqual(told(likely), ["Domain is on a list of disposable hosts"])
    assert.deepEqual(told({ ...likely, disposable: true }), ["Disposable mail domain"])
    const old = emailInput({ trust: likely })
    assert.deepEqual(assessEmail(old, emailModels["1.0"]).risk_reasons, ["On 1 block list, today"])
  })

  test("block lists have the age of their entry or release, and a name where it may be told", () => {
    const entry = { conf: 1, age: 0, listedAge: 400 }
    assert.deepEqual(told({ blocklist: [entry] }), ["On 1 block list, 13 months ago"])
    const named = { ...entry, name: "deny.csv" }
    assert.deepEqual(told({ blocklist: [named] }), ["On 1 block list (deny.csv), 13 months ago"])
    assert.deepEqual(told({ blocklist: [named, { conf: 1, age: 3, name: "partners" }] }), [
      "On 2 block lists (deny.csv, partners), newest 3 days ago",
    ])
    assert.deepEqual(told({ blocklist: [named, { conf: 1, age: 3 }] }), [
      "On 2 block lists, newest 3 days ago",
    ])
    assert.equal(
      assess({ trust: { blocklist: [entry] } }).risk_score,
      assess({ trust: { blocklist: [{ conf: 1, age: 0 }] } }).risk_score,
    )
  })

  test("ages are told as people say them", () => {
    const ages = [0, 1, 2, 60, 61, 90, 745, 746, 3_800]
    const said = ages.map((confirmedFraudAge) => {
      const { contributions } = explainEmail(emailInput({ trust: { confirmedFraudAge } }), model)
      return contributions[0]?.text.replace("Fraud by this identity confirmed ", "")
    })
    assert.deepEqual(said, [
      "today",
      "yesterday",
      "2 days ago",
      "60 days ago",
      "2 months ago",
      "3 months ago",
      "24 months ago",
      "2 years ago",
      "10 years ago",
    ])
  })

  test("a local part is called machine-made only where that is likely, and never by a number", () => {
    const handle = (value: number) => told({ handle: value, disposable: true })
    assert.ok(handle(0.6).includes("Local part looks machine-made"))
    assert.ok(!handle(0.59).some((reason) => reason.startsWith("Local part")))
    const shown = explainEmail(emailInput({ trust: { handle: 0.4 } }), model).contributions
    assert.deepEqual(
      shown.map(({ code, text }) => [code, text]),
      [["BOT_HANDLE", "Local part looks machine-made"]],
    )
    const short = explainEmail(emailInput({ trust: { handle: 1.2, localLength: 3 } }), model)
    assert.deepEqual(short.contributions, [])
    const long = explainEmail(emailInput({ trust: { handle: 1.2, localLength: 4 } }), model)
    assert.equal(long.contributions.length, 1)
  })
})

suite("that exposure was not looked at", () => {
  const blind = { coverage: { ...COVERED, credential: 0 }, checked: { sources: 0 } }
  const unloaded = "No exposure source is loaded, so exposure was not checked"

  test("is said whatever else there is to say", () => {
    assert.deepEqual(assess(blind).risk_reasons, [unloaded])
    const many = {
      disposable: true,
      emailAge: 0,
      velocity24h: 8,
      signupToActionSec: 5,
      clusterSize: 9,
    }
    const { risk_reasons } = assess({ ...blind, trust: many })
    assert.equal(risk_reasons.length, 5)
    assert.equal(risk_reasons.at(-1), unloaded)
    assert.ok(!assess({ trust: many }).risk_reasons.includes(unloaded))
  })

  test("is said of what may not be used, without saying why", () => {
    const checked = { sources: 0, newestImport: null, withheld: true }
    const { risk_reasons } = assess({ ...blind, checked, trust: { disposable: true } })
    assert.deepEqual(risk_reasons, [
      "Disposable mail domain",
      "Exposure data is not available for this identity, so exposure was not checked",
    ])
  })

  test("is never said beside a claim that a search found nothing", () => {
    const { risk_reasons } = assess({ coverage: { trust: 1 } })
    assert.deepEqual(risk_reasons, ["Exposure was not checked"])
  })
})

suite("the summary of an explanation", () => {
  const summary = (known: Partial<EmailInput>) =>
    explainEmail(emailInput({ coverage: COVERED, ...known }), model).summary
  const known = { mx: true, free: true, deliverable: true, traces: 2 }

  test("says what holds the stage, what comes next and what was not looked at", () => {
    const listing = { type: "listing", source: "market", age: 10 } as const
    assert.deepEqual(summary({ signals: [listing], trust: known }), {
      stage: "TRADED rests on an offer on a market of 5 November 2026 (market)",
      next_change:
        "If nothing new arrives, the stage falls to REPOSTED and the band to low on 4 May 2027",
      not_looked_at: "Everything the model asks for was looked at",
    })
    const attack = { type: "attack", source: "own", age: 0 } as const
    assert.equal(
      summary({ signals: [attack], trust: known })?.next_change,
      "If nothing new arrives, the stage falls to TESTED and the band to high on 15 March 2027",
    )
  })

  test("of a clean identity says so, and names each look-up that is missing", () => {
    assert.deepEqual(summary({ coverage: {} }), {
      stage: "Nothing that was looked at sets a stage above CLEAN",
      next_change: "If nothing new arrives, stage and band stay as they are for 10 years",
      not_looked_at:
        "Not looked at: exposed credentials, criminal markets, mail servers of the domain, " +
        "registration of the domain, ownership and deliverability of the mailbox, " +
        "passive traces, request context and history with you",
    })
  })

  test("a list that is in force does not run out by waiting, an observation does", () => {
    const trust = { disposable: true, blocklist: [{ conf: 1, age: 0, listedAge: 9 }] }
    assert.match(summary({ trust })?.next_change ?? "", /stay as they are/)
    const observed = { disposable: true, blocklist: [{ conf: 1, age: 0 }] }
    assert.match(summary({ trust: observed })?.next_change ?? "", /the band falls to/)
  })

  test("is not there for model 1.0", () => {
    assert.ok(!("summary" in explainEmail(emailInput(), emailModels["1.0"])))
  })
})

test("fraud that the tenant confirmed is critical in both models", () => {
  const trust = { free: true, confirmedFraudAge: 5 }
  assert.equal(assess({ trust }).recommended_action, "block")
  assert.ok(assess({ trust }).risk_score >= 80)
  const line = { line: "mobile", valid: true, active: true, confirmedFraudAge: 5 } as const
  const phone = assessPhone(phoneInput(line), phoneModels["1.1"])
  assert.deepEqual([phone.risk_level, phone.recommendation], ["CRITICAL", "block"])
})
