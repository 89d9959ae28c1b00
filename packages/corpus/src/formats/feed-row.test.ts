import assert from "node:assert/strict"
import { test } from "node:test"
import { ENTRY_KINDS } from "@assay/stores/entry"
import { FEED_KINDS, feedRow } from "./feed-row.ts"
import type { ParsedRow } from "./parsed-row.ts"
import { observedHours } from "./written-day.ts"

const email = "ann@example.com"
const phone = "+4915112345678"

function rowOf(fields: Parameters<typeof feedRow>[0]): ParsedRow {
  const row = feedRow(fields)
  if (typeof row === "string") assert.fail(`refused as ${row}`)
  return row
}

test("a row that says nothing but who leaves all else to the import", () => {
  assert.deepEqual(feedRow({ email }), {
    identityType: "email",
    identity: email,
    secret: null,
    secretClass: null,
    secretIsHash: false,
    kind: null,
    hours: null,
    item: null,
    confidence: null,
    classes: [],
    value: null,
  })
})

test("a row with an address and a number is about the address", () => {
  assert.equal(rowOf({ email, phone }).identityType, "email")
  assert.equal(rowOf({ email: "", phone }).identityType, "phone")
  assert.equal(rowOf({ email: "NULL", phone }).identity, phone)
  assert.equal(feedRow({ email: "\\N", phone: null }), "no-identity")
})

test("the kinds a file may name are all but those only a tenant can know", () => {
  const own = ENTRY_KINDS.filter((kind) => !FEED_KINDS.has(kind))
  assert.deepEqual(own, [
    "fraud_confirmed",
    "credential_rotated",
    "ownership_verified",
    "not_fraud",
    "takeover_confirmed",
    "good_history",
    "decided",
  ])
  for (const kind of own) assert.equal(feedRow({ email, kind }), "unknown-kind")
  assert.equal(rowOf({ email, kind: "Catch-All" }).kind, "catch_all")
  assert.equal(feedRow({ email, kind: "toString" }), "unknown-kind")
})

test("what is said of a line is said of a phone number, with the value it needs", () => {
  assert.equal(feedRow({ email, kind: "sim_change" }), "bad-value")
  assert.equal(rowOf({ phone, kind: "sim_change" }).kind, "sim_change")
  for (const kind of [
    "line_status",
    "call_forwarding",
    "subscription",
    "tenure",
    "sim_unchanged",
  ]) {
    assert.equal(feedRow({ phone, kind }), "bad-value", kind)
    assert.equal(rowOf({ phone, kind, value: "1" }).value, 1)
    assert.equal(feedRow({ phone, kind, value: 0.5 }), "bad-value")
  }
  assert.equal(rowOf({ phone, kind: "line_status", value: -1 }).value, -1)
  assert.equal(feedRow({ phone, kind: "tenure", value: -1 }), "bad-value")
  // As in the evidence API: 1 is prepaid and 2 postpaid.
  assert.equal(rowOf({ phone, kind: "subscription", value: 2 }).value, 2)
  assert.equal(feedRow({ phone, kind: "subscription", value: 0 }), "bad-value")
})

test("a hash column never becomes a password, and a salt beside it makes a fast hash a salted one", () => {
  const md5 = "5f4dcc3b5aa765d61d8327deb882cf99"
  const bare = rowOf({ email, hash: md5 })
  assert.deepEqual([bare.secret, bare.secretIsHash, bare.secretClass], [md5, true, null])
  assert.equal(rowOf({ email, hash: md5, salt: "x" }).secretClass, "salted_hash")
  assert.equal(rowOf({ email, hash: md5, salt: "\\N" }).secretClass, null)
  assert.equal(rowOf({ email, hash: "", salt: "x" }).secretClass, "none")
  assert.equal(
    rowOf({ email, hash: `$2b$10$${"a".repeat(53)}`, salt: "x" }).secretClass,
    "slow_hash",
  )
  const broken = rowOf({ email, hash: md5, password: "password" })
  assert.deepEqual([broken.secret, broken.secretIsHash], ["password", false])
})

test("a secret is kept to the last space, and what is no text or number is none", () => {
  assert.equal(rowOf({ email, password: "  x " }).secret, "  x ")
  assert.equal(rowOf({ email, password: 12 }).secret, "12")
  for (const password of [true, ["x"], { a: 1 }]) {
    assert.equal(feedRow({ email, password }), "bad-value")
  }
})

test("values out of their range are refused and not bent", () => {
  const faulty = [
    { confidence: 1.01 },
    { confidence: -0.1 },
    { confidence: "much" },
    { confidence: "0x1" },
    { classes: "blood" },
    { classes: [1] },
    { classes: { phone: true } },
    { secret: "clear" },
    { item: "x".repeat(65) },
    { item: "ä".repeat(33) },
    { item: "\ud800" },
    { value: 2 ** 53 },
    { value: "1e400" },
  ]
  for (const fields of faulty) {
    assert.equal(feedRow({ email, ...fields }), "bad-value", JSON.stringify(fields))
  }
  assert.equal(rowOf({ email, item: "ä".repeat(32) }).item, "ä".repeat(32))
  assert.deepEqual(rowOf({ email, classes: "session, phone|dob" }).classes, [
    "phone",
    "dob",
    "session",
  ])
})

test("dates are read in the forms that files have, and no other", () => {
  const may = Date.UTC(2024, 4, 1, 10) / 3_600_000
  for (const date of [
    "2024-05-01T10:00:00Z",
    "2024-05-01T12:59:59.123+02:00",
    "2024-05-01 10:30:00",
    "2024-05-01 12:00:00+02",
    "2024-05-01 08:00:00 -0200",
    "2024-05-01 10:00:00 UTC",
    "1714557600",
    "1714557600000",
    1714557600,
  ]) {
    assert.equal(observedHours(date), may, String(date))
  }
  assert.equal(observedHours("2024-05-01"), may - 10)
  for (const date of [
    "2024-13-01",
    "2023-02-29",
    "01/05/2024",
    "May 2024",
    "20240501",
    "-1",
    "1.5",
    "",
  ]) {
    assert.equal(observedHours(date), null, date)
  }
  assert.equal(feedRow({ email, date: "soon" }), "bad-date")
  assert.equal(rowOf({ email, date: "0000-00-00 00:00:00" }).hours, null)
})
