import assert from "node:assert/strict"
import { test } from "node:test"
import { parsePhone, type ParsedPhone } from "./phone.ts"

function parsed(text: string): ParsedPhone {
  const result = parsePhone(text)
  assert.ok(!("fault" in result), `${text} was refused`)
  return result
}

/** First and last of each published range, and the numbers just outside. */
const FICTIONAL = {
  "ATIS 555-01XX": [
    ["+12025550100", "+12025550199", "+14165550123", "+18765550150"],
    ["+12025550099", "+12025550200", "+12025560100"],
  ],
  "ARCEP, by region and mobile": [
    [
      "+33199000000",
      "+33261919999",
      "+33353010000",
      "+33465719999",
      "+33536490000",
      "+33639989999",
    ],
    ["+33199010000", "+33261920000", "+33353009999", "+33639979999", "+33639990000"],
  ],
  "Ofcom, cities": [
    [
      ...["113", "114", "115", "116", "117", "118", "121", "131", "141", "151", "161"].flatMap(
        (area) => [`+44${area}4960000`, `+44${area}4960999`],
      ),
      ...["+441914980000", "+442079460999", "+442920180000", "+442896496999", "+442890180000"],
    ],
    ["+441134961000", "+441194960000", "+441714960000", "+441914960000", "+442079461000"],
  ],
  "Ofcom, no area, mobile, freephone, premium and UK-wide": [
    ["+441632960000", "+447700900999", "+448081570000", "+449098790999", "+443069990000"],
    ["+441632961000", "+447700899999", "+447700901000", "+448081571000", "+449098791000"],
  ],
  PTS: [
    [
      "+46701740605",
      "+46701740699",
      "+46313900600",
      "+46406280499",
      "+46846500400",
      "+46980319299",
    ],
    [
      "+46701740604",
      "+46701740700",
      "+46313900700",
      "+46406280399",
      "+46846500500",
      "+46980319300",
    ],
  ],
  "Bundesnetzagentur, cities": [
    ["+493023125000", "+494066969999", "+496990009000", "+498999998999", "+492214710000"],
    ["+493023126000", "+494066968999", "+492214711000"],
  ],
  "Bundesnetzagentur, mobile": [
    [
      ...["+491713920000", "+491713920099", "+4917604069000", "+4917604069099"],
      ...["+4915228817386", "+4915228895456", "+4915254599371", "+491729925904", "+491729968532"],
      ...["+491729973185", "+491729973186", "+491729980752", "+491749091317", "+491749464308"],
    ],
    ["+491713920100", "+4917604069100", "+4915228817387", "+491729973187"],
  ],
  "ACMA, geographic, freephone, local rate and premium": [
    [
      ...["+61255500000", "+61370109999", "+61755504321", "+61870100000"],
      ...["+611800160401", "+611800975707", "+611300975711", "+611900654321"],
    ],
    ["+61255510000", "+61270110000", "+611800975706", "+611300975712", "+611800160402"],
  ],
  "ACMA, mobile": [
    [
      ...["006", "110", "156", "157", "158", "159", "313", "737"].map((n) => `+61491570${n}`),
      ...["+61491571266", "+61491572983", "+61491573087", "+61491574632", "+61491575254"],
      ...["+61491576801", "+61491577644", "+61491578888", "+61491579455"],
    ],
    ["+61491570155", "+61491570160", "+61491570000", "+61491571156", "+61491580006"],
  ],
  ComReg: [
    ["+353209100000", "+353209199999"],
    ["+353209000000", "+353209200000"],
  ],
} as const

for (const [published, [inside, outside]] of Object.entries(FICTIONAL)) {
  test(`numbers kept for film and print are told, and their neighbours are not: ${published}`, () => {
    for (const text of inside) assert.equal(parsed(text).special, "fictional", text)
    for (const text of outside) assert.notEqual(parsed(text).special, "fictional", text)
  })
}

test("a longer or shorter number is not the reserved one it begins with", () => {
  for (const text of ["+4477009000000", "+44770090000", "+3363998000", "+614915701560"])
    assert.notEqual(parsed(text).special, "fictional", text)
})

test("codes that do not keep 555-01XX free are what their plan says", () => {
  assert.equal(parsed("+18005550123").special, "toll_free")
  assert.equal(parsed("+19005550123").special, "premium")
  assert.equal(parsed("+15005550123").special, null)
})

test("a vendor's test numbers and the trial code of E.164 are told as test", () => {
  assert.equal(parsed("+15005550000").special, "test")
  assert.equal(parsed("+15005550009").special, "test")
  assert.equal(parsed("+15005550010").special, null)
  assert.deepEqual(parsed("+9910012345"), {
    e164: "+9910012345",
    valid: false,
    numberType: "invalid",
    region: "ZZ",
    special: "test",
  })
  // Reserved for a later service, and once for disaster relief: kept for no test.
  assert.equal(parsed("+9990012345").special, null)
  assert.equal(parsed("+88812345678").special, null)
})

test("what a number is kept for changes neither its type nor whether a plan allows it", () => {
  assert.deepEqual(
    ["+447700900123", "+46701740605", "+449098790123", "+611300975707", "+15005550006"].map(
      (text) => {
        const { valid, numberType, region } = parsed(text)
        return [valid, numberType, region]
      },
    ),
    [
      // The plan of the United Kingdom leaves the drama block out, and its code has four regions.
      [false, "invalid", "ZZ"],
      [true, "mobile", "SE"],
      [true, "premium_rate", "GB"],
      [true, "shared_cost", "AU"],
      [true, "personal", "US"],
    ],
  )
})
