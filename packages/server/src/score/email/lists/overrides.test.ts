import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import {
  applyEdit,
  type Override,
  overrideId,
  readOverrides,
  withOverride,
  withoutOverride,
} from "./overrides.ts"
import { type OwnLine, readOwnLists } from "./own-lists.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-overrides-"))
after(() => rmSync(temporary, { recursive: true }))

const BY_HAND = [
  "# Ours, kept by the desk.",
  "shop.example, allow, a customer, since 2024",
  "",
  "bad.example,deny",
  "bad.example,toxic,",
  "bad.example,deny,seen twice",
  "",
].join("\n")

function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(temporary, "lists-"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

const said = (directory: string): string[][] =>
  readOverrides(directory)
    .flatMap(({ overrides }) => overrides)
    .map(({ file, domain, category, note }) => [file, domain, category, note])

function add(directory: string, line: OwnLine): Override {
  const edit = withOverride(directory, line, 7)
  applyEdit(directory, edit)
  return edit.override
}

test("a note is all behind the second comma, and a line that stands twice is one override", () => {
  const directory = directoryWith({ "mine.csv": BY_HAND })
  assert.deepEqual(said(directory), [
    ["mine.csv", "shop.example", "allow", "a customer, since 2024"],
    ["mine.csv", "bad.example", "deny", "seen twice"],
    ["mine.csv", "bad.example", "toxic", ""],
  ])
})

test("one is added to a file of its own, said again it gets another note, and files by hand stay", () => {
  const directory = directoryWith({ "mine.csv": BY_HAND })
  const line = { domain: "new.example", category: "free", note: "first" } as const
  const added = add(directory, line)
  assert.deepEqual(added, { ...line, file: "console.csv", changedAtMs: 7 })
  const file = join(directory, "console.csv")
  assert.equal(readFileSync(file, "utf8"), "new.example,free,first\n")
  assert.equal(withOverride(directory, line, 8).text, null)
  add(directory, { domain: "other.example", category: "deny", note: "" })
  add(directory, { ...line, category: "toxic" })
  assert.equal(overrideId(add(directory, { ...line, note: "second, third" })), overrideId(added))
  assert.deepEqual(
    said(directory).filter(([list]) => list === "console.csv"),
    [
      ["console.csv", "other.example", "deny", ""],
      ["console.csv", "new.example", "toxic", "first"],
      ["console.csv", "new.example", "free", "second, third"],
    ],
  )
  assert.equal(readFileSync(join(directory, "mine.csv"), "utf8"), BY_HAND)
})

test("one is removed with all its lines; comments and other lines stay, and an empty file goes", () => {
  const directory = directoryWith({ "mine.csv": BY_HAND, "one.csv": "one.example,free,x" })
  const found = (domain: string, category: OwnLine["category"]): Override => {
    const all = readOverrides(directory).flatMap(({ overrides }) => overrides)
    const override = all.find((each) => each.domain === domain && each.category === category)
    assert.ok(override !== undefined)
    return override
  }
  const remove = (override: Override): void => {
    const edit = withoutOverride(directory, override)
    assert.ok(edit !== null)
    applyEdit(directory, edit)
  }
  remove(found("bad.example", "deny"))
  assert.equal(
    readFileSync(join(directory, "mine.csv"), "utf8"),
    "# Ours, kept by the desk.\nshop.example, allow, a customer, since 2024\n\nbad.example,toxic,\n",
  )
  const one = found("one.example", "free")
  remove(one)
  assert.equal(existsSync(join(directory, "one.csv")), false)
  assert.equal(withoutOverride(directory, one), null)
  assert.deepEqual(
    readOwnLists(directory).map(({ file, table }) => [file, table.size]),
    [["mine.csv", 2]],
  )
})

test("a domain is found however it is spelled, and what was read before changes no answer", () => {
  const text =
    "# MÜLLER.example,free\nMÜLLER.example,free,a\nxn--mller-kva.example,free,b\nShop.example,deny\n"
  const directory = directoryWith({ "mine.csv": text })
  const fresh = readOverrides(directory)
  const known = readOwnLists(directory)
  assert.deepEqual(readOverrides(directory, known), fresh)
  assert.deepEqual(said(directory), [
    ["mine.csv", "xn--mller-kva.example", "free", "b"],
    ["mine.csv", "shop.example", "deny", ""],
  ])
  for (const override of fresh.flatMap(({ overrides }) => overrides)) {
    const edit = withoutOverride(directory, override)
    assert.ok(edit !== null)
    applyEdit(directory, edit)
  }
  const file = join(directory, "mine.csv")
  assert.equal(readFileSync(file, "utf8"), "# MÜLLER.example,free\n")

  // A line that came since is looked at, although the list was read before.
  writeFileSync(file, "shop.example,deny\nno domain,deny\n")
  const fault = /mine\.csv, line 2: the first column/
  assert.throws(() => readOverrides(directory, known), fault)
  assert.throws(() => readOwnLists(directory, known), fault)
  writeFileSync(file, "shop.example,friend\n")
  assert.throws(() => readOverrides(directory, known), /mine\.csv, line 1: the category/)
})
