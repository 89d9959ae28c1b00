import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { parseDomain } from "@assay/core/identity"
import { type DomainFacts, type Lists, openLists } from "./lists.ts"
import { Explained } from "@assay/runtime/explained"

const temporary = mkdtempSync(join(tmpdir(), "assay-lists-"))
after(() => rmSync(temporary, { recursive: true }))

function directoryOf(...files: string[]): string {
  const directory = mkdtempSync(join(temporary, "lists-"))
  files.forEach((text, at) => writeFileSync(join(directory, `${at}.csv`), text))
  return directory
}

function about(lists: Lists, domain: string): DomainFacts {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) assert.fail(parsed.detail)
  return lists.about(parsed)
}

const shippedOnly = openLists(join(temporary, "nowhere"))

test("a domain is found by itself and by its parents, never by a name that only ends alike", () => {
  const lists = openLists(directoryOf("throwaway.example,disposable,\nbücher.example,free,\n"))
  assert.equal(about(lists, "throwaway.example").category, "disposable")
  assert.deepEqual(about(lists, "throwaway.example").explained.origins, ["0.csv"])
  assert.equal(about(lists, "a.b.throwaway.example").category, "disposable")
  assert.equal(about(lists, "xn--bcher-kva.example").category, "free")
  assert.equal(about(lists, "bücher.example").category, "free")
  assert.equal(about(lists, "notthrowaway.example").category, null)
})

test("a list that names a public suffix says nothing of the domains under it", () => {
  const lists = openLists(directoryOf("github.io,disposable,\nco.uk,toxic,\n"))
  assert.equal(about(lists, "github.io").category, "disposable")
  assert.equal(about(lists, "someone.github.io").category, null)
  assert.equal(about(lists, "shop.co.uk").toxic, false)
})

test("masked wins over disposable, disposable over free, whatever the order of lists", () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ]) {
    const files = ["x.example,masked,", "x.example,disposable,", "x.example,free,"]
    const lists = openLists(directoryOf(...order.map((at) => files[at] ?? "")))
    assert.equal(about(lists, "x.example").category, "masked")
  }
})

test("a list of toxic domains adds to what is known and takes nothing away", () => {
  const lists = openLists(directoryOf("mailinator.com,toxic,\nnew.example,toxic,"))
  const { category, toxic, explained } = about(lists, "mailinator.com")
  assert.deepEqual([category, toxic], ["disposable", true])
  assert.ok(explained.origins.includes("0.csv") && explained.origins.length > 1)
  assert.deepEqual(about(lists, "new.example").explained, {
    category: null,
    toxic: true,
    blocklisted: null,
    disposable_likely: false,
    origins: ["0.csv"],
    imitates: null,
    homograph: false,
    role: false,
  })
  assert.equal(about(shippedOnly, "new.example").toxic, false)
})

test("one curated list or two lists make a domain disposable; the verdict names them with versions", () => {
  const { category, explained, blocklist } = about(shippedOnly, "mailinator.com")
  assert.equal(category, "disposable")
  assert.deepEqual(blocklist, [])
  assert.ok(explained.origins.length >= 2)
  for (const origin of explained.origins)
    assert.match(origin, /^[a-z-]+ \d[\d.]* \(\d{4}-\d\d-\d\d\)$/)
  assert.equal(about(shippedOnly, "box.mailinator.com").category, "disposable")
})

test("one bulk list alone is a weak entry of a block list and no verdict", () => {
  const { category, blocklist, explained } = about(shippedOnly, "gnail.com")
  assert.equal(category, null)
  assert.deepEqual(blocklist, [{ conf: 0.3, age: 0, likelyDisposable: true }])
  assert.equal(explained.blocklisted, "weakly")
  assert.deepEqual(explained.origins, ["mailchecker 6.0.21 (2026-07-18)"])
})

test("a host knows the day it was first seen where a list does, and others know none", () => {
  assert.equal(about(shippedOnly, "webxio.pro").firstSeenMs, 1762130000 * 1000)
  assert.equal(about(shippedOnly, "gmail.com").firstSeenMs, null)
})

test("an operator's word wins over every shipped list", () => {
  const lists = openLists(
    directoryOf(
      "mailinator.com,allow,our test boxes\ngmail.com,disposable,\nduck.com,free,\nexample.org,deny,\nyopmail.com,free,\n",
    ),
  )
  const allowed = about(lists, "mailinator.com")
  assert.equal(allowed.category === "disposable", false)
  assert.deepEqual([allowed.toxic, allowed.blocklist, allowed.imitates], [false, [], null])
  assert.equal(about(lists, "gmail.com").category, "disposable")
  assert.equal(about(lists, "duck.com").category, "free")
  assert.equal(about(lists, "yopmail.com").category, "free")
  assert.deepEqual(about(lists, "yopmail.com").explained.origins, ["0.csv"])
  assert.deepEqual(about(lists, "example.org").blocklist, [{ conf: 1, age: 0 }])
  assert.equal(about(lists, "example.org").explained.blocklisted, "denied")
})

test("the nearest name that is listed decides: a subdomain can be allowed under a refused parent", () => {
  const lists = openLists(directoryOf("corp.example,deny,\nmail.corp.example,allow,\n"))
  assert.deepEqual(about(lists, "mail.corp.example").blocklist, [])
  assert.deepEqual(about(lists, "old.corp.example").blocklist, [{ conf: 1, age: 0 }])
})

test("comments, blank lines and Windows line ends are read; a line that cannot be used is named", () => {
  const lists = openLists(directoryOf("# note\r\n\r\nx.example,free,a note, with a comma\r\n"))
  assert.equal(lists.size(), shippedOnly.size() + 1)
  assert.throws(
    () => openLists(directoryOf("x.example,free,\nnot a domain,free,\n")),
    (error) =>
      error instanceof Explained && error.code === "lists" && /0\.csv, line 2/.test(error.message),
  )
  assert.throws(() => openLists(directoryOf("x.example,nonsense,")), { code: "lists" })
})

test("a change is seen after a reload, and a broken file leaves the old lists in place", () => {
  const directory = directoryOf("x.example,disposable,\n")
  const lists = openLists(directory)
  assert.equal(about(lists, "x.example").category, "disposable")
  writeFileSync(join(directory, "0.csv"), "x.example,free,\n")
  assert.equal(about(lists, "x.example").category, "disposable")
  lists.reload()
  assert.equal(about(lists, "x.example").category, "free")
  writeFileSync(join(directory, "0.csv"), "x.example,masked,\n")
  writeFileSync(join(directory, "1.csv"), "broken\n")
  assert.throws(() => lists.reload(), /1\.csv, line 1/)
  assert.equal(about(lists, "x.example").category, "free")
  assert.equal(about(lists, "new.example").category, null)
})

test("without a directory of their own there are the shipped lists", () => {
  assert.ok(shippedOnly.size() > 100_000)
  assert.deepEqual(shippedOnly.own(), [])
  assert.equal(Number.isFinite(shippedOnly.newestAtMs()), true)
})
