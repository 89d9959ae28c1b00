import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { parseEmail } from "@assay/core/identity"
import { type DomainTrust, domainTrust } from "./domain-trust.ts"
import { openLists } from "./lists.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-trust-"))
after(() => rmSync(directory, { recursive: true }))
writeFileSync(join(directory, "mine.csv"), "bad.example,toxic,\n")
const lists = openLists(directory)
const nowMs = Date.UTC(2026, 10, 15, 9)

function trust(email: string, atMs = nowMs): DomainTrust {
  const parsed = parseEmail(email)
  if ("fault" in parsed) assert.fail(parsed.detail)
  return domainTrust(parsed, lists, atMs)
}

test("a plain address at a mainstream provider is free and nothing else", () => {
  const { handle, told, ...flags } = trust("john.smith@gmail.com")
  assert.deepEqual(flags, {
    masked: undefined,
    disposable: undefined,
    disposableDomainAge: undefined,
    free: true,
    toxicDomain: undefined,
    typosquat: undefined,
    role: undefined,
    blocklist: [],
  })
  assert.equal(handle?.toFixed(2), "-0.35")
  assert.equal(told.category, "free")
})

test("a domain on no list is not free, and its handle counts", () => {
  const { free, handle, told } = trust("qwrtzxcv@firm.example")
  assert.equal(free, false)
  assert.equal(handle?.toFixed(2), "0.80")
  assert.deepEqual(told.origins, [])
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
  assert.deepEqual(trust("a@bad.example").told.origins, ["mine.csv"])
  const typo = trust("a@gmail.con")
  assert.deepEqual([typo.typosquat, typo.free, typo.told.imitates], [true, false, "gmail.com"])
})

test("the Unicode and the xn-- spelling of a domain tell the same", () => {
  assert.deepEqual(trust("anna@gmаil.com"), trust("anna@xn--gmil-63d.com"))
  assert.equal(trust("anna@gmаil.com").typosquat, true)
})

test("a role is told of the address and not remembered of the domain", () => {
  assert.equal(trust("info+x@gmail.com").role, true)
  assert.equal(trust("info@gmail.com").told.role, true)
  assert.equal(trust("anna@gmail.com").role, undefined)
  assert.equal(trust("anna@gmail.com").told.role, false)
})
