import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parsePhoneNumberFromString, PhoneNumber } from "libphonenumber-js/max"
import metadata from "libphonenumber-js/max/metadata"
import { callingCodeOf, plannedNumber } from "./numbering-plans.ts"
import { parsePhone, type ParsedPhone } from "./phone.ts"

const seed = 20_260_101
const soak = process.env["ASSAY_SOAK"] !== undefined
const ARBITRARY_NUMBERS = soak ? 200_000 : 1_500
/** Of each type of each plan of each calling code. */
const NUMBERS_OF_A_TYPE = soak ? 100 : 3

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

/**
 * Checks that we and the library agree on the number as it stands. True if the library reads the
 * same number.
 */
function agreesWithLibrary(code: string, national: string): boolean {
  const text = `+${code}${national}`
  const callingCode = callingCodeOf(text.slice(1))
  assert.equal(callingCode?.code, code)
  const planned = plannedNumber(callingCode, national)
  const library = parsePhoneNumberFromString(text)
  if (library?.number !== text) {
    // The library removed what it takes for a national prefix. That is another number, so only the
    // type of the literal one is compared.
    const literal = new PhoneNumber(text)
    if (planned?.country) literal.country = planned.country
    assert.equal(planned?.type, literal.getType(), text)
    return false
  }
  assert.equal(planned !== null, library.isValid(), text)
  assert.equal(planned?.type, library.getType(), text)
  if (planned !== null) assert.equal(planned.country ?? undefined, library.country, text)
  // Some plans allow numbers that are longer or shorter than E.164 does; those are refused.
  if (/^\+\d{7,15}$/.test(text)) {
    const { valid, region } = accepted(text)
    assert.equal(valid, library.isValid(), text)
    if (valid) assert.equal(region, library.country ?? "ZZ", text)
  }
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
  // Two countries share +7, so an invalid number with it has no region.
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
    "+80812345678",
    "+979123456789",
  ]
  assert.deepEqual(
    numbers.map((text) => [accepted(text).numberType, accepted(text).region]),
    [
      ["satellite", "ZZ"],
      ["satellite", "ZZ"],
      ["voip", "ZZ"],
      ["voip", "ZZ"],
      ["toll_free", "ZZ"],
      ["shared_cost", "ZZ"],
      ["premium_rate", "ZZ"],
    ],
  )
})

test("numbers that cost their caller or their owner are told from ordinary lines", () => {
  const special = {
    "+19005551234": "premium",
    "+979123456789": "premium",
    "+18005551234": "toll_free",
    "+80012345678": "toll_free",
    "+611300123456": "shared_cost",
    "+80812345678": "shared_cost",
  }
  for (const [text, word] of Object.entries(special))
    assert.equal(accepted(text).special, word, text)
  for (const text of ["+4915112345678", "+61255512345", "+5215512345678"])
    assert.equal(accepted(text).special, null, text)
})

test("a number has the region it belongs to, also where regions share a calling code", () => {
  const regions = {
    US: ["+12125551234", "+19075551234"],
    CA: ["+14165551234", "+16045551234"],
    JM: ["+18765123456", "+16585123456"],
    PR: ["+17875551234", "+19395551234"],
    DO: ["+18095551234", "+18495551234"],
    BS: ["+12423591234"],
    BM: ["+14412345678"],
    GU: ["+16714801234"],
    GB: ["+447400123456", "+442079811234"],
    JE: ["+441534456789", "+447797712345"],
    GG: ["+441481256789", "+447781123456"],
    IM: ["+441624756789", "+447624012345"],
    RU: ["+79123456789"],
    KZ: ["+77710009998"],
    IT: ["+393123456789"],
    VA: ["+390669812345"],
    NO: ["+4740612345"],
    SJ: ["+4779123456"],
    AU: ["+61412345678"],
    CX: ["+61891641234"],
    CC: ["+61891621234"],
    RE: ["+262692123456"],
    YT: ["+262639012345"],
    FI: ["+358412345678"],
    AX: ["+358181234567"],
    GP: ["+590690001234", "+590590201234"],
    BL: ["+590590271234"],
    CW: ["+59995181234"],
    BQ: ["+5993181234"],
    MA: ["+212650123456"],
  }
  for (const [region, numbers] of Object.entries(regions)) {
    for (const text of numbers) {
      assert.deepEqual([accepted(text).valid, accepted(text).region], [true, region], text)
    }
  }
})

test("a territory whose ranges the plans give to a neighbour has the neighbour's region", () => {
  // Saint-Martin shares its ranges with Saint-Barthélemy, Western Sahara with Morocco, and mobile
  // numbers of Christmas Island, Svalbard and the Vatican are those of the mainland.
  assert.equal(accepted("+590590511234").region, "BL")
  assert.equal(accepted("+212528812345").region, "MA")
  assert.deepEqual(
    ["+61412345678", "+4741234567", "+393123456789"].map((text) => accepted(text).region),
    ["AU", "NO", "IT"],
  )
})

test("every reason to refuse a text has its own word", () => {
  const refused = {
    empty: [""],
    "no-plus": ["61491570156", "0491570156", " +61491570156", "0061491570156", "＋61491570156"],
    "not-digits": [
      "+61 491 570 156",
      "+61-491-570-156",
      "+61(0)491570156",
      "+61491570156 ",
      "+61491570156\n",
      "+614915701\u00a056",
      "+614915701\u200b56",
      "+1800FLOWERS",
      "+61491570156x12",
      "++61491570156",
      "+٦١٤٩١٥٧٠١٥٦",
      "+６１491570156",
    ],
    "leading-zero": ["+0491570156", "+061491570156"],
    "too-short": ["+", "+491570"],
    "too-long": ["+4915701564915701", `+${"1".repeat(10_000)}`],
  }
  for (const [word, texts] of Object.entries(refused)) {
    for (const text of texts) {
      const result = parsePhone(text)
      assert.equal("fault" in result ? result.fault : "accepted", word, JSON.stringify(text))
    }
  }
})

test("the shortest and the longest number that E.164 allows are read", () => {
  assert.equal(accepted("+4915701").valid, false)
  assert.equal(accepted("+491570156491570").e164, "+491570156491570")
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
    { seed, numRuns: soak ? 30_000 : 800 },
  )
})

test("every type of every numbering plan is read as the library reads it", () => {
  let same = 0
  for (const code of allCodes) {
    const callingCode = callingCodeOf(code)
    assert.ok(callingCode !== null)
    for (const { types } of callingCode.plans) {
      for (const { pattern } of types) {
        for (const national of fc.sample(fc.stringMatching(pattern), {
          seed,
          numRuns: NUMBERS_OF_A_TYPE,
        })) {
          if (agreesWithLibrary(code, national)) same++
        }
      }
    }
  }
  assert.ok(same > 1_000 * NUMBERS_OF_A_TYPE, `only ${same} were read as the same number`)
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
    { seed, numRuns: ARBITRARY_NUMBERS },
  )
  assert.ok(same > ARBITRARY_NUMBERS * 0.7, `only ${same} were read as the same number`)
})
