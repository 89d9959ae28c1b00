import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parsePhoneNumberFromString, PhoneNumber } from "libphonenumber-js/max"
import metadata from "libphonenumber-js/max/metadata"
import { callingCodeOf, plannedNumber } from "./numbering-plans.ts"
import { parsePhone, type ParsedPhone } from "./phone.ts"

const seed = 20_260_101

/** The parsed number; fails the test where it is refused. */
function accepted(text: string): ParsedPhone {
  const result = parsePhone(text)
  assert.ok(!("fault" in result), `${text} was refused`)
  return result
}

const allCodes = [
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic),
]

/** Says what the library says of the number as it stands, or fails. True where it reads the same number. */
function agreesWithLibrary(code: string, national: string): boolean {
  const text = `+${code}${national}`
  const callingCode = callingCodeOf(text.slice(1))
  assert.equal(callingCode?.code, code)
  const planned = plannedNumber(callingCode, national)
  const library = parsePhoneNumberFromString(text)
  if (library?.number !== text) {
    // The library took off what it holds for a national prefix: another number, not ours to give.
    const literal = new PhoneNumber(text)
    if (planned?.country) literal.country = planned.country
    assert.equal(planned?.type, literal.getType(), text)
    return false
  }
  assert.equal(planned !== null, library.isValid(), text)
  assert.equal(planned?.type, library.getType(), text)
  if (planned !== null) assert.equal(planned.country ?? undefined, library.country, text)
  return true
}

test("a number comes with its validity, type and region", () => {
  assert.deepEqual(parsePhone("+4915112345678"), {
    e164: "+4915112345678",
    valid: true,
    numberType: "mobile",
    region: "DE",
    special: null,
  })
})

test("a well-formed number that no plan allows is read as invalid", () => {
  assert.deepEqual(parsePhone("+5215512345678"), {
    e164: "+5215512345678",
    valid: false,
    numberType: "invalid",
    region: "MX",
    special: null,
  })
  assert.equal(accepted("+999123456").region, "ZZ")
  // Two countries share +7, so an invalid number of it has none.
  assert.equal(accepted("+76001234567").region, "ZZ")
})

test("a number with a national prefix in it stays the number it is", () => {
  const spelled = accepted("+4407911123456")
  assert.equal(spelled.valid, false)
  assert.equal(spelled.e164, "+4407911123456")
  assert.equal(accepted("+447911123456").valid, true)
})

test("numbers of no country have the region ZZ, and satellite systems their own type", () => {
  const numbers = [
    "+881612345678",
    "+870773111632",
    "+88216123456",
    "+883510012345",
    "+80012345678",
  ]
  assert.deepEqual(
    numbers.map((text) => [accepted(text).numberType, accepted(text).region]),
    [
      ["satellite", "ZZ"],
      ["satellite", "ZZ"],
      ["voip", "ZZ"],
      ["voip", "ZZ"],
      ["toll_free", "ZZ"],
    ],
  )
})

test("numbers that cost or that nobody has are told from ordinary lines", () => {
  const special = {
    "+19005551234": "premium",
    "+18005551234": "toll_free",
    "+611300123456": "shared_cost",
    "+61491570006": "fictional",
    "+61491570156": "fictional",
    "+447700900000": "fictional",
    "+447700900999": "fictional",
    "+46701740605": "fictional",
    "+46701740699": "fictional",
    "+12025550100": "fictional",
    "+12025550199": "fictional",
  }
  for (const [text, word] of Object.entries(special))
    assert.equal(accepted(text).special, word, text)
  const ordinary = [
    "+61491571156",
    "+447700901000",
    "+447911123456",
    "+46701740604",
    "+46701740700",
    "+12025550099",
    "+12025550200",
  ]
  for (const text of ordinary) assert.equal(accepted(text).special, null, text)
  assert.equal(accepted("+18005550123").special, "toll_free")
})

test("a refusal explains itself without quoting what was refused", () => {
  for (const text of [
    "0491570156",
    "+61 491570156",
    "+0491570156",
    "+491570",
    "+4915701564915701",
  ]) {
    const result = parsePhone(text)
    assert.ok("fault" in result)
    assert.match(result.detail, /^[A-Z].*\.$/)
    assert.doesNotMatch(result.detail, /\d{3}/)
  }
})

test("no text makes the parser throw", () => {
  const units = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((codes) => String.fromCharCode(...codes))
  const digits = fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), maxLength: 18 })
  const text = fc.oneof(units, fc.string({ unit: "binary" }), digits)
  fc.assert(
    fc.property(text, (tail) => {
      for (const whole of [tail, `+${tail}`, `+1${tail}`]) {
        const result = parsePhone(whole)
        const wellFormed = /^\+[1-9][0-9]{6,14}$/.test(whole)
        assert.equal("fault" in result, !wellFormed)
        if (!("fault" in result)) assert.equal(result.e164, whole)
      }
    }),
    { seed, numRuns: 3000 },
  )
})

test("every type of every numbering plan is read as the library reads it", () => {
  let same = 0
  for (const code of allCodes) {
    const callingCode = callingCodeOf(code)
    assert.ok(callingCode !== null)
    for (const { types } of callingCode.plans) {
      for (const { pattern } of types) {
        for (const national of fc.sample(fc.stringMatching(pattern), { seed, numRuns: 3 })) {
          if (agreesWithLibrary(code, national)) same++
        }
      }
    }
  }
  assert.ok(same > 3000, `only ${same} were read as the same number`)
})

test("arbitrary digits after any calling code are read as the library reads them", () => {
  let same = 0
  const digits = fc.string({
    unit: fc.constantFrom(...Array.from("0123456789")),
    minLength: 6,
    maxLength: 11,
  })
  fc.assert(
    fc.property(fc.constantFrom(...allCodes), digits, (code, national) => {
      if (agreesWithLibrary(code, national)) same++
    }),
    { seed, numRuns: 5000 },
  )
  assert.ok(same > 3500, `only ${same} were read as the same number`)
})
