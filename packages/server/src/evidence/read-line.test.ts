import assert from "node:assert/strict"
import { test } from "node:test"
import {
  EMAIL_SENT_KINDS,
  EVIDENCE_CLASSES,
  PHONE_SENT_KINDS,
  type ProblemCode,
} from "@assay/core/contract"
import { SECRETS } from "@assay/core/score"
import fc from "fast-check"
import { Problem } from "../base/problem.ts"
import { deriveSecrets } from "@assay/runtime/secrets"
import { Cursor } from "@assay/stores/bytes"
import { DATA_CLASSES, type Entry, readEntry, SECRET_CLASSES } from "@assay/stores/entry"
import { readLine } from "./read-line.ts"

const secrets = deriveSecrets(new Uint8Array(32).fill(1))
const now = Date.UTC(2026, 10, 15, 12)
const HOURS_TODAY = Date.UTC(2026, 10, 15) / 3_600_000
const email = {
  email: "ana.silva@mail.example",
  kind: "breach",
  source: "soc",
  observed_at: "2026-11-15T11:59:59Z",
}
const phone = { ...email, email: undefined, phone_number: "+61491570156", kind: "sim_change" }

function entryOf(line: unknown): Entry {
  return readEntry(new Cursor(readLine(line, secrets, now).entry))
}

function refused(line: unknown): [ProblemCode, ...string[]] {
  try {
    readLine(line, secrets, now)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return [error.code, ...(error.errors ?? []).map(({ pointer }) => pointer)]
  }
  assert.fail("The line was taken")
}

test("the contract and the stored entry have the same words", () => {
  assert.deepEqual([...SECRET_CLASSES], [...SECRETS])
  assert.deepEqual([...DATA_CLASSES], [...EVIDENCE_CLASSES])
})

test("a line becomes an entry: of an address by day, of a number by hour", () => {
  assert.deepEqual(entryOf(email), {
    kind: "breach",
    secret: "unknown",
    hours: HOURS_TODAY,
    fingerprint: null,
    aliasTag: 0,
    batchId: 1,
    item: null,
    confidence: null,
    classes: [],
    value: null,
  })
  assert.equal(entryOf(phone).hours, HOURS_TODAY + 11)
  assert.equal(entryOf({ ...email, observed_at: "2026-11-14" }).hours, HOURS_TODAY - 24)
  assert.notEqual(entryOf({ ...email, email: "ana.silva+shop@mail.example" }).aliasTag, 0)
  const full = { item: "é".repeat(32), secret: "plaintext", confidence: 0.1234 }
  const { item, secret, confidence } = entryOf({ ...email, ...full })
  assert.deepEqual([item, secret, confidence], [full.item, "plaintext", 0.123])
})

test("an alias is about the mailbox's key, a number about another", () => {
  const key = (line: object): string =>
    Buffer.from(readLine(line, secrets, now).identityKey).toString("hex")
  assert.equal(key(email), key({ ...email, email: "Ana.Silva+shop@mail.example" }))
  assert.notEqual(key(email), key(phone))
})

test("every kind is taken with what it says, and refused about the other subject", () => {
  const values: Readonly<Record<string, readonly [unknown, number][]>> = {
    line_status: [
      ["active", 1],
      ["inactive", 0],
      ["absent", -1],
    ],
    subscription: [
      ["prepaid", 1],
      ["postpaid", 2],
    ],
    call_forwarding: [
      [true, 1],
      [false, 0],
    ],
    catch_all: [
      [true, 1],
      [false, 0],
    ],
    tenure: [[730, 730]],
    sim_unchanged: [[0, 0]],
  }
  for (const [line, kinds, other] of [
    [email, EMAIL_SENT_KINDS, phone],
    [phone, PHONE_SENT_KINDS, email],
  ] as const) {
    for (const kind of kinds) {
      const takes = values[kind]
      for (const [value, number] of takes ?? [[undefined, null]]) {
        const entry = entryOf({ ...line, kind, value })
        assert.deepEqual([entry.kind, entry.value], [kind, number])
      }
      for (const value of ["x", -1, 1.5, 36_526, null, {}, takes === undefined ? 0 : undefined])
        assert.deepEqual(refused({ ...line, kind, value }), ["invalid-request", "#/value"])
      if (kind !== "blocklisted")
        assert.equal(refused({ ...other, kind })[1], "#/kind", `${kind} of the other`)
    }
  }
})

test("a member that does not fit is named, and every one of them at once", () => {
  const faults: [object, ...string[]][] = [
    [{ email: undefined }, "#/email"],
    [{ phone_number: "+61491570156", kind: "blocklisted" }, "#/email"],
    [{ email: 7 }, "#/email"],
    [{ kind: undefined }, "#/kind"],
    [{ kind: "fraud_confirmed" }, "#/kind"],
    [{ kind: ["breach"] }, "#/kind"],
    [{ source: undefined }, "#/source"],
    [{ source: "" }, "#/source"],
    [{ source: "ana@mail.example" }, "#/source"],
    [{ source: "x".repeat(65) }, "#/source"],
    [{ source: "decisions" }, "#/source"],
    [{ observed_at: undefined }, "#/observed_at"],
    [{ observed_at: 1_700_000_000 }, "#/observed_at"],
    [{ observed_at: "2026-02-30" }, "#/observed_at"],
    [{ observed_at: "1989-12-31T23:59:59Z" }, "#/observed_at"],
    [{ observed_at: "2026-11-16T12:00:01Z" }, "#/observed_at"],
    [{ item: "" }, "#/item"],
    [{ item: "é".repeat(33) }, "#/item"],
    [{ item: "a\u0000b" }, "#/item"],
    [{ item: "\ud800" }, "#/item"],
    [{ item: "of ana.silva@mail.example" }, "#/item"],
    [{ item: "+61 491 570 156" }, "#/item"],
    [{ secret: "hunter2" }, "#/secret"],
    [{ kind: "attack", secret: "plaintext" }, "#/secret"],
    [{ confidence: 0 }, "#/confidence"],
    [{ confidence: 1.1 }, "#/confidence"],
    [{ confidence: Number.NaN }, "#/confidence"],
    [{ classes: "dob" }, "#/classes"],
    [{ classes: ["dob", "shoe_size"] }, "#/classes"],
    [{ kind: "mention", classes: ["dob"] }, "#/classes"],
    [
      { email: 7, kind: "x", source: 1, item: 2, confidence: "a", secret: 3, classes: 4 },
      "#/email",
      "#/kind",
      "#/item",
      "#/confidence",
      "#/secret",
      "#/classes",
      "#/source",
    ],
  ]
  for (const [change, ...pointers] of faults)
    assert.deepEqual(refused({ ...email, ...change }), ["invalid-request", ...pointers])
  assert.deepEqual(refused({ ...phone, observed_at: "2026-11-14" })[1], "#/observed_at")
  assert.deepEqual(refused({ ...email, email: "nobody" }), ["not-an-email"])
  assert.deepEqual(refused({ ...phone, phone_number: "0491570156" }), ["not-a-phone-number"])
  for (const line of [null, 7, "breach", [email]])
    assert.deepEqual(refused(line), ["invalid-request", "#"])
})

test("a day ahead is taken, and so is the first day of 1990", () => {
  assert.equal(entryOf({ ...email, observed_at: "2026-11-16T12:00:00Z" }).hours, HOURS_TODAY + 24)
  assert.equal(entryOf({ ...email, observed_at: "1990-01-01" }).hours, 7305 * 24)
})

test("a password is refused whatever else the line says, also an empty one", () => {
  for (const password of ["hunter2", "", null, undefined])
    assert.deepEqual(refused({ ...email, password }), ["password-refused"])
  assert.deepEqual(refused({ password: "hunter2" }), ["password-refused"])
})

test("whatever JSON a line is, it is taken or refused with a problem that quotes none of it", () => {
  const canary = "qzvwx"
  const text = fc.constantFrom(canary, `${canary}@mail.example`, "breach", "soc", "2026-01-02")
  const any = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.constant([canary]))
  const line = fc.record(
    Object.fromEntries(
      ["email", "phone_number", "kind", "source", "observed_at", "item", "secret", "confidence"]
        .concat(["classes", "value", "password", "__proto__", canary])
        .map((name) => [name, any]),
    ),
    { requiredKeys: [] },
  )
  const property = fc.property(fc.oneof(line, any), (value) => {
    try {
      readLine(value, secrets, now)
    } catch (error) {
      assert.ok(error instanceof Problem, String(error))
      assert.doesNotMatch(JSON.stringify([error.message, error.errors]), /qzvwx/)
    }
  })
  fc.assert(property, { seed: 20_261_115, numRuns: 2_000 })
})
