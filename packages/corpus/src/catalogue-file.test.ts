import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { DATA_CLASSES } from "@assay/stores/entry"
import { classesByCatalogueName, readSourceFile } from "./catalogue-file.ts"
import { InputError } from "./inputs/member.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-catalogue-"))
after(() => rmSync(folder, { recursive: true }))
const path = join(folder, "source.json")
const write = (document: unknown): void =>
  writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document))

const entry = {
  Name: "Forum",
  Title: "The Forum",
  Domain: "forum.example",
  BreachDate: "2019-03-04",
  AddedDate: "2020-01-02T23:30:00Z",
  ModifiedDate: "2020-01-03T00:00:00Z",
  PwnCount: 12_345,
  Description: "In <em>2019</em> the forum lost its data.",
  DataClasses: ["Email addresses", "Passwords", "IP addresses", "Dates of birth", "Phone numbers"],
  IsVerified: true,
  IsFabricated: false,
  IsSensitive: true,
  IsRetired: false,
  IsSpamList: false,
  IsMalware: false,
  IsStealerLog: false,
  IsSubscriptionFree: false,
}

test("an entry of the catalogue describes a source", () => {
  write(entry)
  assert.deepEqual(readSourceFile(path, "forum-2019"), {
    name: "forum-2019",
    title: "The Forum",
    kind: "breach",
    confidence: 0.95,
    classes: ["phone", "dob", "ip_geo"],
    flags: {
      spamList: false,
      fabricated: false,
      sensitive: true,
      verified: true,
      stealerLog: false,
    },
    eventDate: "2019-03-04",
    acquiredDate: null,
    publishedDate: "2020-01-02",
    circulates: false,
  })
})

test("of a list the entry of the name is taken, and no other", () => {
  write([{ ...entry, Name: "Other", Title: "Other" }, entry, "noise", null])
  assert.equal(readSourceFile(path, "Forum").title, "The Forum")
  assert.throws(() => readSourceFile(path, "forums"), InputError)
})

test("case and punctuation do not matter: a source is found by its name, else its title, else its domain", () => {
  const adobe = { Name: "Adobe", Title: "Adobe", Domain: "adobe.com", BreachDate: "2013-10-04" }
  const list = {
    name: "000webhost",
    title: "000 Web-Host!",
    domain: "000webhost.com",
    breach_date: "2015-03-01",
  }
  const cafe = { Name: "CaféForum", Title: "The Café", BreachDate: "2018-01-01" }
  write([adobe, list, cafe, { ...entry, Name: "Adobe Forum", Title: "Another" }])
  for (const [name, date] of [
    ["adobe", "2013-10-04"],
    ["adobe.com", "2013-10-04"],
    ["000-web-host", "2015-03-01"],
    ["000webhost.com", "2015-03-01"],
    ["cafe-forum", "2018-01-01"],
    ["the_cafe", "2018-01-01"],
    ["adobe-forum", "2019-03-04"],
    ["another", "2019-03-04"],
  ] as const) {
    assert.equal(readSourceFile(path, name).eventDate, date, name)
  }
  for (const name of ["ado", "-", "forum"]) {
    assert.throws(() => readSourceFile(path, name), /has no entry with the name, title or domain/)
  }
})

test("a name is meant before a title, and of two that may be meant none is taken", () => {
  write([
    { Name: "One", Title: "Forum", BreachDate: "2001-01-01" },
    { Name: "FORUM", BreachDate: "2002-02-02" },
  ])
  assert.equal(readSourceFile(path, "forum").eventDate, "2002-02-02")
  write([{ Name: "FORUM" }, { Name: "For-um" }])
  assert.throws(
    () => readSourceFile(path, "forum"),
    /has 2 entries that forum may mean: "FORUM", "For-um"/,
  )
  assert.equal(readSourceFile(path, "FORUM").title, "FORUM")
})

test("what nobody verified is believed less, and what is made up least", () => {
  const confidence = (change: object): number => {
    write({ ...entry, ...change })
    return readSourceFile(path, "x").confidence
  }
  assert.equal(confidence({ IsVerified: false }), 0.8)
  assert.equal(confidence({ IsVerified: undefined }), 0.8)
  assert.ok(confidence({ IsFabricated: true }) < 0.5)
})

test("what malware took is of the stealer kind, and only a stealer log is flagged as one", () => {
  write({ ...entry, IsStealerLog: true, IsMalware: true })
  const log = readSourceFile(path, "x")
  assert.deepEqual([log.kind, log.flags.stealerLog], ["stealer", true])
  write({ ...entry, IsMalware: true })
  const malware = readSourceFile(path, "x")
  assert.deepEqual([malware.kind, malware.flags.stealerLog], ["stealer", false])
})

test("a spam list is flagged, and an entry of nothing but a name is enough", () => {
  write({ Name: "List", IsSpamList: true, BreachDate: null })
  const { title, flags, eventDate, classes } = readSourceFile(path, "list")
  assert.deepEqual([title, flags.spamList, eventDate, classes], ["List", true, null, []])
})

test("files that are no catalogue are refused without being quoted", () => {
  const refusals: [unknown, RegExp][] = [
    ['{"Name": canary', /is not JSON$/],
    [{ Title: "canary" }, /is no entry of a breach catalogue/],
    [{ ...entry, DataClasses: "canary" }, /is no entry of a breach catalogue \/DataClasses$/],
    [{ ...entry, BreachDate: "canary" }, /BreachDate is no date$/],
    [{ ...entry, BreachDate: "2019-02-30" }, /BreachDate is no date$/],
    [17, /is no entry of a breach catalogue/],
  ]
  for (const [document, words] of refusals) {
    write(document)
    assert.throws(
      () => readSourceFile(path, "x"),
      (error) => {
        assert.ok(error instanceof InputError)
        assert.match(error.message, words)
        assert.ok(!error.message.includes("canary") && error.cause === undefined)
        return true
      },
    )
  }
  assert.throws(() => readSourceFile(join(folder, "absent.json"), "x"), /cannot be read/)
})

test("names of the catalogue mean the data class they say, whatever their case, and most mean none", () => {
  const cases: [string, string | null][] = [
    ["Phone numbers", "phone"],
    ["dates of birth", "dob"],
    ["Physical addresses", "address"],
    ["Social security numbers", "gov_id"],
    ["Passport numbers", "gov_id"],
    ["Security questions and answers", "security_qa"],
    ["IP addresses", "ip_geo"],
    ["Geographic locations", "ip_geo"],
    ["Device information", "device"],
    ["Credit cards", "payment"],
    ["Bank account numbers", "payment"],
    ["Auth tokens", "session"],
    ["Email addresses", null],
    ["Passwords", null],
    ["Email messages", null],
    ["", null],
  ]
  for (const [name, dataClass] of cases) {
    assert.deepEqual(classesByCatalogueName([name]), dataClass === null ? [] : [dataClass], name)
  }
  assert.deepEqual(
    classesByCatalogueName(cases.map(([name]) => name)),
    [...DATA_CLASSES],
    "every class has a name, and the order is that of the classes",
  )
})
