import assert from "node:assert/strict"
import { test } from "node:test"
import { parseDomain } from "@assay/core/identity"
import { readDataFile } from "./data-file.ts"
import type { Homograph } from "./homographs.ts"
import { judgeDomain } from "./judgement.ts"

function homograph(domain: string): Homograph | null {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) assert.fail(domain)
  return judgeDomain(parsed, []).homograph
}

test("letters of another alphabet that read as a well-known domain name it, in either spelling", () => {
  for (const [twin, known] of [
    ["gmаil.com", "gmail.com"],
    ["gmαil.com", "gmail.com"],
    ["оutlооk.com", "outlook.com"],
    ["раураl.com", "paypal.com"],
    ["аррlе.com", "apple.com"],
    ["mail.gmаil.com", "gmail.com"],
    ["gmail.соm", "gmail.com"],
    ["góogle.com", "google.com"],
  ] as const) {
    const parsed = parseDomain(twin)
    if ("fault" in parsed) assert.fail(twin)
    assert.deepEqual(homograph(twin), { imitates: known }, twin)
    assert.deepEqual(homograph(parsed.domain), { imitates: known }, parsed.domain)
  }
})

test("a label of Latin and look-alike letters that reads as no known domain is reported without a name", () => {
  for (const mixed of ["firмa.example", "fιrma.example", "shop.nаme.example"])
    assert.deepEqual(homograph(mixed), { imitates: null }, mixed)
})

test("names in one alphabet, accents and plain letters are nobody's homographs", () => {
  for (const honest of [
    "почта.рф",
    "яндекс.рф",
    "bücher.example",
    "münchen.de",
    "παράδειγμα.gr",
    "例え.jp",
    "gmial.com",
    "grnail.com",
    "gmail.com",
  ])
    assert.equal(homograph(honest), null, honest)
})

test("no real domain of the lists is a look-alike of another", () => {
  for (const file of [
    "./popular-domains.csv",
    "./mainstream-providers.csv",
    "./universities.csv",
  ]) {
    for (const [domain = ""] of readDataFile(new URL(file, import.meta.url))) {
      const parsed = parseDomain(domain)
      if ("fault" in parsed) assert.fail(domain)
      const { homograph, imitates } = judgeDomain(parsed, [])
      assert.deepEqual([homograph, imitates], [null, null], domain)
    }
  }
})
