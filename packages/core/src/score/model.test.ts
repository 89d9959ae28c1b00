import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { emailInput, emailModel, phoneModel } from "../../testing/score/arbitrary-inputs-suite.ts"
import { assessEmail } from "./assess-email.ts"
import emailDocument from "./email-1.0.json" with { type: "json" }
import { ModelFault } from "./model-document.ts"
import { emailModels, loadEmailModel, loadPhoneModel, phoneModels } from "./models.ts"
import phoneDocument from "./phone-1.0.json" with { type: "json" }
import { lineOf } from "./phone-input.ts"

/** A copy of the document with one member changed; undefined takes it away. */
function changed(document: object, path: string, value: unknown): unknown {
  const copy = structuredClone(document)
  const names = path.split("/").slice(1)
  const last = names.pop() ?? ""
  let holder = copy as Record<string, unknown>
  for (const name of names) holder = holder[name] as Record<string, unknown>
  if (value === undefined) Reflect.deleteProperty(holder, last)
  else holder[last] = value
  return copy
}

function assertFault(
  load: (document: unknown) => unknown,
  document: unknown,
  path: string,
  reason: RegExp,
) {
  assert.throws(
    () => load(document),
    (error) => {
      assert.ok(error instanceof ModelFault)
      assert.equal(error.path, path)
      assert.match(error.message, reason)
      assert.ok(error.message.includes(path === "" ? "document" : path))
      return true
    },
  )
}

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return
  assert.ok(Object.isFrozen(value))
  for (const member of Object.values(value)) assertFrozen(member)
}

suite("a malformed e-mail model is refused", () => {
  // Where several members make the fault together, the last word is the path that names them all.
  const faults: [string, unknown, RegExp, string?][] = [
    ["/priors/credential", undefined, /is missing/],
    ["/priors/credential", 1, /must be < 1/],
    ["/priors/abuse", "0.01", /must be number/],
    ["/exposure/kinds/breach/oddsRatio", 0.5, /must be >= 1/],
    ["/exposure/kinds/breach/oddsRadio", 10, /is not a member of the model/],
    ["/exposure/secrets/plaintext", 1.2, /must be <= 1/],
    ["/market/tested/halfLifeDays", 0, /must be > 0/],
    ["/abuse/ownershipVerified", 0.7, /must be <= 0/],
    ["/abuse/disposable", -2.8, /must be >= 0/],
    ["/abuse/emailAge/2/0", 5, /must be greater than the one before it/],
    ["/abuse/emailAge/2/1", null, /must be number/],
    ["/abuse/emailAge/6/1", -0.3, /must not be more than the one before it/],
    ["/abuse/domainAge/1/1", 1.7, /must not be more than the one before it/],
    ["/abuse/instantAction/1/1", 2.1, /must not be more than the one before it/],
    ["/abuse/goodHistory/1/1", -0.4, /must not be more than the one before it/],
    ["/abuse/velocity24h/2/1", 2.1, /must not be less than the one before it/],
    [
      "/abuse/cluster",
      [
        [5, 1.5],
        [9, 1],
      ],
      /must not be less/,
      "/abuse/cluster/1/1",
    ],
    ["/abuse/traces/3", -0.6, /must not be more than for one fewer/],
    ["/abuse/handle/max", 2, /takes an address out of the low band by itself/],
    ["/abuse/masked", 2, /takes an address out of the low band by itself/],
    ["/exposure/secrets/unknown", 0.05, /must not be less than slow_hash/],
    ["/exposure/secrets/plaintext", 0.8, /must not be less than weak_hash/],
    ["/trend/rising", 0.1, /must not be less than falling/],
    ["/confidence/highFrom", 0.3, /must not be less than mediumFrom/],
    ["/confidence/coverage/bot", 0.3, /must add up to 1/, "/confidence/coverage"],
    ["/calibration/slopeMin", 4, /must not be less than slopeMin/, "/calibration/slopeMax"],
    ["/costs/loss", 40, /break even at 16 and 71 points; they must at 25 and 80/, "/costs"],
    ["/scale/anchorPoints", 20, /break even at 20 and 75 points/, "/costs"],
    ["/reasons/countMax", 5, /must be <= 4/],
    ["/stages/native/attack", "STOLEN", /./],
    ["/stages/native/breach", null, /is below that of an exposure without a secret/],
    ["/stages/addressOnly", "REPOSTED", /must be CLEAN or LEAKED/],
    ["/stages/rotated", "TRADED", /must be CLEAN or LEAKED/],
    ["/stages/limits/LEAKED/floor", 8.5, /must be integer/],
    ["/stages/limits/TRADED/floor", 10, /is below that of the stage before/],
    ["/stages/limits/TESTED/cap", 50, /is below that of the stage before/],
    ["/stages/limits/LEAKED/floor", 35, /is above the cap/],
    ["/stages/freshRepost/floor", 41, /between the floors of REPOSTED and TRADED/],
    ["/texts/reuse", "Same password by {sources}", /must match pattern/],
    ["/texts/exposures/CRED_BREACH/one", "{secret in one", /must match pattern/],
    ["/texts/signals/DW_LISTED/many", "", /must match pattern/],
    ["/version", "1", /must match pattern/],
    ["/name", "phone", /./],
    ["/surplus", 1, /is not a member of the model/],
  ]
  for (const [path, value, reason, named = path] of faults) {
    test(`${path} as ${value === undefined ? "nothing" : JSON.stringify(value)}`, () => {
      assertFault(loadEmailModel, changed(emailDocument, path, value), named, reason)
    })
  }

  test("a document that is no object", () => {
    for (const document of [null, undefined, [], "email", 1]) {
      assertFault(loadEmailModel, document, "", /must be object/)
    }
  })
})

suite("a malformed phone model is refused", () => {
  const faults: [string, unknown, RegExp, string?][] = [
    ["/takeover/prior", 0, /must be > 0/],
    ["/takeover/recycled/floor", 101, /must be <= 100/],
    ["/takeover/simChange/floor/1/0", 1, /must be greater than the one before it/],
    ["/takeover/simChange/delays/0/share", 0.6, /must add up to 1/, "/takeover/simChange/delays"],
    ["/takeover/simChange/floor/1/1", 61, /must not be more than the one before it/],
    ["/takeover/deviceContinuity/0/1", 0.8, /must be <= 0/],
    ["/quality/tenure/4/1", 0.1, /must not be more than the one before it/],
    ["/quality/accounts24h/2/1", 2, /must not be less than the one before it/],
    ["/fields/simSwapRisk/elevatedBelowDays", 2, /must not be less than highBelowDays/],
    ["/coverage/sim", 0.4, /must add up to 1/, "/coverage"],
    ["/calibration/slopeMax", 0.2, /must not be less than slopeMin/],
    ["/costs/challenge", 2, /they must at 25 and 80, as the bands do/, "/costs"],
    ["/quality/lines/mobile", undefined, /is missing/],
    ["/quality/active", 0.2, /must be <= 0/],
    ["/lineOfNumberType/mobile", "cellular", /./],
    ["/fields/smsWeakLines/0", "voip", /./],
    ["/texts/reasons/SIM_CHANGED", "SIM changed {when}", /must match pattern/],
  ]
  for (const [path, value, reason, named = path] of faults) {
    test(`${path} as ${value === undefined ? "nothing" : JSON.stringify(value)}`, () => {
      assertFault(loadPhoneModel, changed(phoneDocument, path, value), named, reason)
    })
  }
})

suite("models", () => {
  test("every one that comes with the program could be loaded, and no member of it can be set", () => {
    for (const model of Object.values(emailModels)) assert.deepEqual(loadEmailModel(model), model)
    for (const model of Object.values(phoneModels)) assert.deepEqual(loadPhoneModel(model), model)
    for (const model of [...Object.values(emailModels), ...Object.values(phoneModels)])
      assertFrozen(model)
  })

  test("are held by version, and no version is made up", () => {
    assert.equal(emailModels["1.0"].version, "1.0")
    assert.equal(phoneModels["1.0"].version, "1.0")
    assert.equal(emailModels["0.9"], undefined)
    assert.equal(emailModels.constructor, undefined)
  })

  test("cannot be changed after loading, by themselves or by their document", () => {
    const document = structuredClone(emailDocument)
    const model = loadEmailModel(document)
    document.priors.abuse = 0.5
    assert.equal(model.priors.abuse, 0.01)
    assert.ok(Object.isFrozen(model.abuse.emailAge[0]))
    assert.ok(!Object.isFrozen(document.priors))
  })

  test("another version scores by its own numbers and names itself", () => {
    const other = loadEmailModel({
      ...structuredClone(emailDocument),
      version: "1.9",
      priors: { credential: 0.0033, abuse: 0.1 },
    })
    const [now, then] = [other, emailModel].map((model) => assessEmail(emailInput(), model))
    assert.deepEqual([now?.model_version, now?.risk_score], ["1.9", 35])
    assert.deepEqual([then?.model_version, then?.risk_score], ["1.0", 7])
  })

  test("weights of coverage add up to the whole", () => {
    const sum = (weights: object) =>
      (Object.values(weights) as number[]).reduce((total, weight) => total + weight, 0)
    assert.ok(Math.abs(sum(emailModel.confidence.coverage) - 1) <= 1e-12)
    assert.ok(Math.abs(sum(phoneModel.coverage) - 1) <= 1e-12)
  })

  test("know the line of each number type, and unknown for any other", () => {
    assert.equal(lineOf("fixed_line_or_mobile", phoneModel), "mobile")
    assert.equal(lineOf("pager", phoneModel), "voip_nonfixed")
    assert.equal(lineOf("shared_cost", phoneModel), "fixed")
    assert.equal(lineOf("invalid", phoneModel), "unknown")
    assert.equal(lineOf("toString", phoneModel), "unknown")
  })
})
