import assert from "node:assert/strict"
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { parseEmail } from "@assay/core/identity"
import { type OwnDomains, ownDomains } from "./lists/own-domains.ts"
import { domainTrust, type ExplainedTrust } from "./domain-trust.ts"
import { openLists } from "./lists.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-trust-"))
after(() => rmSync(directory, { recursive: true }))
writeFileSync(join(directory, "mine.csv"), "bad.example,toxic,\ndenied.gnail.com,deny,\n")
const lists = openLists(directory)
const nowMs = Date.UTC(2026, 10, 15, 9)

function trust(email: string, atMs = nowMs, own: OwnDomains | null = null): ExplainedTrust {
  const parsed = parseEmail(email)
  if ("fault" in parsed) assert.fail(parsed.detail)
  return domainTrust(parsed, lists, own, atMs)
}

test("a plain address at a mainstream provider is free and nothing else", () => {
  const { handle, explained, ...flags } = trust("john.smith@gmail.com")
  assert.deepEqual(flags, {
    masked: undefined,
    disposable: undefined,
    disposableDomainAge: undefined,
    disposableLikely: undefined,
    isOpen: false,
    free: true,
    toxicDomain: undefined,
    typosquat: undefined,
    homograph: undefined,
    imitates: undefined,
    role: undefined,
    localLength: 10,
    blocklist: [],
  })
  assert.equal(handle?.toFixed(2), "-0.35")
  assert.equal(explained.category, "free")
})

test("a domain on no list is not free, and its handle counts", () => {
  const { free, handle, explained } = trust("qwrtzxcv@firm.example")
  assert.equal(free, false)
  assert.equal(handle?.toFixed(2), "0.80")
  assert.deepEqual(explained.origins, [])
})

test("a relay is masked, never disposable, and the name it made up says nothing", () => {
  const { masked, disposable, free, handle } = trust("x7k2q9zz81@privaterelay.appleid.com")
  assert.deepEqual([masked, disposable, free, handle], [true, undefined, false, undefined])
})

test("the age of a disposable host is whole days since it was first seen, where that is known", () => {
  const seen = Date.UTC(2025, 10, 3)
  assert.equal(trust("a@webxio.pro", seen + 5 * 86_400_000 + 1).disposableDomainAge, 5)
  assert.equal(trust("a@webxio.pro", seen - 86_400_000).disposableDomainAge, 0)
  assert.equal(trust("a@webxio.pro").disposable, true)
  assert.equal(trust("a@10minutemail.de").disposable, true)
  assert.equal(trust("a@10minutemail.de").disposableDomainAge, undefined)
})

test("a toxic domain is one an operator's list names, a typo keeps its own name", () => {
  assert.equal(trust("a@bad.example").toxicDomain, true)
  assert.deepEqual(trust("a@bad.example").explained.origins, ["mine.csv"])
  const typo = trust("a@gmail.con")
  assert.deepEqual([typo.typosquat, typo.free, typo.explained.imitates], [true, false, "gmail.com"])
})

test("the Unicode and the xn-- spelling of a domain give the same result", () => {
  assert.deepEqual(trust("anna@gmаil.com"), trust("anna@xn--gmil-63d.com"))
  assert.equal(trust("anna@gmаil.com").typosquat, true)
})

test("look-alike letters name the domain they imitate, a slip names it without them", () => {
  const cyrillic = trust("john@gmаil.com")
  assert.deepEqual([cyrillic.homograph, cyrillic.imitates], [true, "gmail.com"])
  assert.deepEqual([cyrillic.explained.homograph, cyrillic.explained.imitates], [true, "gmail.com"])
  const slip = trust("john@gmial.com")
  assert.deepEqual([slip.homograph, slip.typosquat, slip.imitates], [undefined, true, "gmail.com"])
  // For a site that is no provider only look-alike letters count: 1.0 reads typosquat as it always
  // was.
  const site = trust("john@раураl.com")
  assert.deepEqual([site.homograph, site.typosquat, site.imitates], [true, undefined, "paypal.com"])
  const mixed = trust("john@firмa.example")
  assert.deepEqual([mixed.homograph, mixed.imitates], [true, undefined])
  const honest = trust("john@bücher.example")
  assert.deepEqual([honest.homograph, honest.imitates], [undefined, undefined])
})

test("an imitation of a tenant's own domains is shown to that tenant only", () => {
  const own = ownDomains(["acme.com", "acme.de"])
  const letters = trust("ceo@аcme.com", nowMs, own)
  assert.deepEqual([letters.homograph, letters.typosquat], [true, true])
  assert.deepEqual([letters.imitates, letters.explained.imitates], ["acme.com", "acme.com"])
  const slip = trust("ceo@acrne.com", nowMs, own)
  assert.deepEqual([slip.homograph, slip.typosquat], [undefined, true])
  assert.deepEqual([slip.imitates, slip.explained.imitates], ["acme.com", "acme.com"])

  const others = trust("ceo@acrne.com")
  assert.deepEqual(
    [others.typosquat, others.imitates, others.explained.imitates],
    [undefined, undefined, null],
  )
  assert.deepEqual(trust("ceo@аcme.com").imitates, undefined)
  for (const address of ["ceo@acme.com", "ceo@mail.acme.de"]) {
    const { typosquat, homograph, imitates } = trust(address, nowMs, own)
    assert.deepEqual([typosquat, homograph, imitates], [undefined, undefined, undefined], address)
  }
})

test("one bulk list alone makes a host likely disposable, two make it disposable and no longer likely so", () => {
  const likely = trust("anna@gnail.com")
  assert.deepEqual([likely.disposable, likely.disposableLikely], [undefined, true])
  assert.equal(likely.explained.disposable_likely, true)
  const disposable = trust("anna@mailinator.com")
  assert.deepEqual([disposable.disposable, disposable.disposableLikely], [true, undefined])
})

test("a host that is denied and on one bulk list is likely disposable too", () => {
  const { blocklist, disposableLikely } = trust("anna@denied.gnail.com")
  assert.deepEqual([blocklist.length, disposableLikely], [1, true])
})

test("the length of a local part is given with its handle, a tag aside", () => {
  assert.equal(trust("li@firm.example").localLength, 2)
  assert.equal(trust("li+newsletter@firm.example").localLength, 2)
  const { handle, localLength } = trust("x7k2q9zz81@privaterelay.appleid.com")
  assert.deepEqual([handle, localLength], [undefined, undefined])
})

test("a role belongs to the address and is not remembered for the domain", () => {
  assert.equal(trust("info+x@gmail.com").role, true)
  assert.equal(trust("info@gmail.com").explained.role, true)
  assert.equal(trust("anna@gmail.com").role, undefined)
  assert.equal(trust("anna@gmail.com").explained.role, false)
})

test("a refusal has the name of its list and the age of its last change, and weighs as one in force", () => {
  const denied = mkdtempSync(join(tmpdir(), "assay-denied-"))
  try {
    const file = join(denied, "deny.csv")
    writeFileSync(file, "refused.example,deny,\n")
    const changed = new Date(nowMs - 400 * 86_400_000)
    utimesSync(file, changed, changed)
    const parsed = parseEmail("a@refused.example")
    assert.ok(!("fault" in parsed))
    const { blocklist } = domainTrust(parsed, openLists(denied), null, nowMs)
    assert.deepEqual(blocklist, [{ conf: 1, age: 0, name: "deny.csv", listedAge: 400 }])
  } finally {
    rmSync(denied, { recursive: true })
  }
})
