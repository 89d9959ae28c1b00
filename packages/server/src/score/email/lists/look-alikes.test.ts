import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parseDomain } from "@assay/core/identity"
import { readDataFile } from "./data-file.ts"
import { looksOf } from "./domain-looks.ts"
import { judgeDomain } from "./judgement.ts"
import { imitatedProvider, isOneSlipApart } from "./look-alikes.ts"
import { registrableDomain } from "./registrable-domain.ts"
import { shippedPackages } from "./shipped-packages.ts"
import { skeletonOf } from "./skeleton.ts"

/** What a domain imitates once everything known about it counts. */
function imitated(domain: string): string | null {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) assert.fail(domain)
  return judgeDomain(parsed, []).imitates
}

/** The same for its looks alone. */
function looksLike(domain: string): string | null {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) return null
  return imitatedProvider(parsed.domain, looksOf(parsed, registrableDomain(parsed.domain)))
}

function firstColumn(file: string): string[] {
  return readDataFile(new URL(file, import.meta.url)).map(([domain = ""]) => domain)
}

test("slips of the keyboard are found, with the provider they were meant for", () => {
  for (const [slip, provider] of [
    ["gmial.com", "gmail.com"],
    ["gmai.com", "gmail.com"],
    ["gmaill.com", "gmail.com"],
    ["hotmial.com", "hotmail.com"],
    ["outlok.com", "outlook.com"],
    ["yaho.com", "yahoo.com"],
    ["iclould.com", "icloud.com"],
    ["gmail.co", "gmail.com"],
    ["gmail.con", "gmail.com"],
    ["gmail.com.co", "gmail.com"],
    ["yahoo.cm", "yahoo.com"],
    ["hotmail.com.com", "hotmail.com"],
    ["gmail.com.login.example", "gmail.com"],
    ["mail.gmial.com", "gmail.com"],
  ] as const)
    assert.equal(imitated(slip), provider, slip)
})

test("letters that look alike are found in Cyrillic, Greek, Latin and digits, in either spelling", () => {
  for (const [twin, provider] of [
    ["gmаil.com", "gmail.com"],
    ["gмail.com", "gmail.com"],
    ["gmαil.com", "gmail.com"],
    ["gmaıl.com", "gmail.com"],
    ["gmáil.com", "gmail.com"],
    ["gmaıl.net", "gmail.com"],
    ["оutlооk.com", "outlook.com"],
    ["gmail.соm", "gmail.com"],
    ["gmх.de", "gmx.de"],
    ["gmai1.com", "gmail.com"],
    ["0utlook.com", "outlook.com"],
    ["grnail.com", "gmail.com"],
    ["hotrnail.com", "hotmail.com"],
    ["rnozmail.com", "mozmail.com"],
  ] as const) {
    const parsed = parseDomain(twin)
    if ("fault" in parsed) assert.fail(twin)
    assert.equal(imitated(twin), provider, twin)
    assert.equal(imitated(parsed.domain), provider, parsed.domain)
  }
})

test("honest names near a provider's are left alone", () => {
  for (const honest of [
    "email.com",
    "mail.com",
    "ymail.com",
    "hotmail.fr",
    "aim.com",
    "mac.com",
    "me.com",
    "gmx.net",
    "live.co.uk",
    "cloud.com",
    "never.com",
    "orage.fr",
    "rne.com",
    "comcast.com",
    "yahoo.com.pe",
    "my-gmail-tips.com",
    "bücher.example",
    "почта.рф",
    "example.org",
  ])
    assert.equal(imitated(honest), null, honest)
})

test("nobody in the list of free providers is called a slip, but for names taken out of it by hand", () => {
  const slips = new Set(firstColumn("./mistyped-providers.csv"))
  const read = shippedPackages.find(({ kind }) => kind === "free")
  const names: string[] = []
  read?.read(
    (bytes, start, end) => names.push(Buffer.from(bytes.subarray(start, end)).toString()),
    () => undefined,
  )
  assert.ok(names.length > 8000)
  const domains = names
    .map((name) => parseDomain(name))
    .flatMap((parsed) => ("fault" in parsed ? [] : [parsed]))
  const called = domains.filter((domain) => judgeDomain(domain, []).imitates !== null)
  assert.deepEqual(new Set(called.map(({ domain }) => domain)), slips)
})

test("every name taken out of the list of free providers does imitate the provider it is put down to", () => {
  for (const [slip = "", provider] of readDataFile(
    new URL("./mistyped-providers.csv", import.meta.url),
  ))
    assert.equal(looksLike(slip), provider, slip)
})

test("no mainstream provider, relay, major or popular domain is called an imitation of another", () => {
  for (const domain of [
    ...firstColumn("./mainstream-providers.csv"),
    ...firstColumn("./masked-relays.csv"),
    ...firstColumn("./major-providers.csv"),
    ...firstColumn("./popular-domains.csv"),
    ...firstColumn("./guarded.csv"),
  ])
    assert.equal(imitated(domain), null, domain)
})

test("every major is a mainstream provider, so that its own domain is never a slip", () => {
  const mainstream = new Set(firstColumn("./mainstream-providers.csv"))
  const missing = firstColumn("./major-providers.csv").filter((domain) => !mainstream.has(domain))
  assert.deepEqual(missing, [])
})

test("a skeleton is the same for names that look the same and another for names that do not", () => {
  assert.equal(skeletonOf("раураl.com"), skeletonOf("paypal.com"))
  assert.equal(skeletonOf("vvorld.example"), skeletonOf("world.example"))
  assert.notEqual(skeletonOf("gmail.com"), skeletonOf("gmall.com"))
})

/** Every text one slip makes of another, spelled out. */
function slips(text: string, alphabet: string): Set<string> {
  const made = new Set<string>()
  for (let at = 0; at <= text.length; at++) {
    const [head, tail] = [text.slice(0, at), text.slice(at)]
    for (const letter of alphabet) {
      made.add(head + letter + tail)
      if (tail !== "") made.add(head + letter + tail.slice(1))
    }
    if (tail !== "") made.add(head + tail.slice(1))
    if (tail.length > 1) made.add(head + tail.charAt(1) + tail.charAt(0) + tail.slice(2))
  }
  made.delete(text)
  return made
}

test("one slip is what adding, dropping, replacing or swapping one letter makes, and nothing else", () => {
  const word = fc.stringMatching(/^[abc]{0,6}$/)
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.equal(isOneSlipApart(a, b), slips(a, "abc").has(b))
      assert.equal(isOneSlipApart(b, a), isOneSlipApart(a, b))
    }),
    { seed: 20261115, numRuns: 5000 },
  )
})

test("known slips of provider names are found", () => {
  for (const slip of ["gmial", "gmai", "gmaill", "gnail"])
    assert.equal(isOneSlipApart("gmail", slip), true, slip)
  for (const other of ["gmail", "gmx", "gmiall", "hotmail"])
    assert.equal(isOneSlipApart("gmail", other), false, other)
})
