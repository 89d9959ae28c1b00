import assert from "node:assert/strict"
import { test } from "node:test"
import { isPlain, readTarget } from "./target.ts"

const plain = (target: string, method = "POST"): boolean => isPlain(method, readTarget(target))

test("what carries a text or a code is known by its path alone, in every language and way to write it", () => {
  for (const name of ["form", "confirm", "replies", "replies/delete", "withdraw", "presealed"]) {
    for (const locale of ["", "fr/", "es/", "de/", "ar/"]) {
      assert.ok(plain(`/drop/${locale}${name}`))
      assert.ok(plain(`/drop/${locale}${name}?x=1`))
      assert.ok(plain(`http://${"a".repeat(56)}.onion/drop/${locale}${name}`))
    }
  }
})

test("nothing else is handed to a sealer", () => {
  for (const target of [
    "/drop",
    "/drop/",
    "/drop/sealed",
    "/drop/mailbox",
    "/drop/en/form",
    "/drop/form/",
    "/drop//form",
    "/drop/./form",
    "/drops/form",
    "/form",
    "*",
    "",
  ])
    assert.ok(!plain(target), target)
  for (const method of ["GET", "HEAD", "PUT", "post", ""]) assert.ok(!plain("/drop/form", method))
})

test("the language is part of the path, and English is the path without one", () => {
  assert.deepEqual(
    ["/drop", "/drop/fr", "/drop/ar/replies", "/drop/xx"].map((target) => {
      const { locale, name } = readTarget(target) ?? {}
      return [locale, name]
    }),
    [
      ["en", ""],
      ["fr", ""],
      ["ar", "replies"],
      ["en", "xx"],
    ],
  )
  assert.equal(readTarget("/elsewhere"), null)
  assert.equal(readTarget("/drop/challenge?effort=2")?.query.get("effort"), "2")
})
