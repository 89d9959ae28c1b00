import assert from "node:assert/strict"
import { test } from "node:test"
import type { RequestContext } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import fc from "fast-check"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import {
  CONTEXT_NAMES,
  type ContextName,
  NAME_BYTES,
  NAMES_BYTES,
  type ContextEvent,
} from "@assay/stores/counters"
import { DAY_MS } from "@assay/runtime/time"
import { readContext } from "./context.ts"
import { type ContextIdentity, handleSkeleton, openContextNames } from "./context-names.ts"

const NOON = Date.UTC(2026, 10, 14, 12)
const { subkeys } = deriveSecrets(new Uint8Array(32).fill(7))
const nameContext = openContextNames(subkeys.context)
const FULL: RequestContext = {
  event: "sign-up",
  ip: "203.0.113.7",
  device_id: "device-1",
  account_id: "account-1",
}

function identity(email: string): ContextIdentity {
  const parsed = parseEmail(email)
  assert.ok(!("fault" in parsed))
  const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
  return { parsed, key }
}

function named(given: RequestContext, email = "anna.k1@mail.example", tenantId = 1, nowMs = NOON) {
  return nameContext(identity(email), readContext(given, nowMs), tenantId)
}

function today({ names }: ContextEvent, name: ContextName): string {
  const at = CONTEXT_NAMES.indexOf(name) * NAME_BYTES
  return Buffer.from(names.subarray(at, at + NAME_BYTES)).toString("hex")
}

function yesterday({ names }: ContextEvent, name: ContextName): string {
  return today({ names: names.subarray(NAMES_BYTES) } as ContextEvent, name)
}

const NONE = "0".repeat(2 * NAME_BYTES)

test("a value has one name a day, another the day before, and one that the next day still knows", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 256 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 0, max: DAY_MS - 1 }),
      fc.integer({ min: 0, max: DAY_MS - 1 }),
      (device_id, tenantId, early, late) => {
        const midnight = Math.floor(NOON / DAY_MS) * DAY_MS
        const at = (ms: number): ContextEvent =>
          named({ device_id }, "a@mail.example", tenantId, midnight + ms)
        const first = at(early)
        assert.equal(today(at(late), "device"), today(first, "device"))
        assert.notEqual(yesterday(first, "device"), today(first, "device"))
        assert.equal(yesterday(at(DAY_MS + late), "device"), today(first, "device"))
        const third = at(2 * DAY_MS + late)
        assert.notEqual(today(third, "device"), today(first, "device"))
        assert.notEqual(yesterday(third, "device"), today(first, "device"))
      },
    ),
    { numRuns: 500, seed: 24 },
  )
})

test("the day of the event counts, not the day it arrived", () => {
  const late = named({ ...FULL, occurred_at: "2026-11-13T23:59:59Z" })
  assert.equal(today(late, "device"), yesterday(named(FULL), "device"))
})

test("another tenant and another secret have other names for everything", () => {
  const one = named(FULL)
  const elsewhere = openContextNames(deriveSecrets(new Uint8Array(32).fill(8)).subkeys.context)
  const others = [
    named(FULL, undefined, 2),
    elsewhere(identity("anna.k1@mail.example"), readContext(FULL, NOON), 1),
  ]
  for (const other of others)
    for (const name of CONTEXT_NAMES) {
      assert.notEqual(today(other, name), today(one, name), name)
      assert.notEqual(yesterday(other, name), yesterday(one, name), name)
    }
})

test("equal texts of different kinds have different names", () => {
  const same = named({ device_id: "x", account_id: "x", ip: "203.0.113.7" }, "x@mail.example")
  const names = CONTEXT_NAMES.filter((name) => name !== "signup").map((name) => today(same, name))
  assert.equal(new Set(names).size, names.length)
})

test("a sign-up is known by its account, or else by the exact address", () => {
  assert.equal(today(named(FULL), "signup"), today(named(FULL), "account"))
  const form = (email: string): string => today(named({}, email), "signup")
  assert.equal(form("anna@mail.example"), form("ANNA@mail.example"))
  assert.notEqual(form("anna@mail.example"), form("anna+1@mail.example"))
  assert.equal(today(named({}), "account"), NONE)
})

test("aliases are one mailbox and one cluster; generated addresses one cluster and many mailboxes", () => {
  const [one, alias, other] = ["anna.k1@x.example", "anna.k1+a@x.example", "anna.k2@x.example"].map(
    (email) => named({}, email),
  ) as [ContextEvent, ContextEvent, ContextEvent]
  assert.equal(today(one, "mailbox"), today(alias, "mailbox"))
  assert.equal(today(one, "cluster"), today(alias, "cluster"))
  assert.notEqual(today(one, "mailbox"), today(other, "mailbox"))
  assert.equal(today(one, "cluster"), today(other, "cluster"))
  assert.notEqual(today(one, "cluster"), today(named({}, "anna.k2@y.example"), "cluster"))
})

test("a user agent stands in for a device only together with a network, and never beside a device", () => {
  const agent = { user_agent: "Browser/1" }
  assert.equal(today(named(agent), "device"), NONE)
  assert.equal(today(named({ ip: "203.0.113.7" }), "device"), NONE)
  const both = today(named({ ...agent, ip: "203.0.113.7" }), "device")
  assert.notEqual(both, NONE)
  assert.equal(today(named({ ...agent, ip: "203.0.113.200" }), "device"), both)
  assert.notEqual(today(named({ ...agent, ip: "198.51.100.7" }), "device"), both)
  assert.notEqual(today(named({ user_agent: "Browser/2", ip: "203.0.113.7" }), "device"), both)
  assert.equal(today(named({ ...FULL, ...agent }), "device"), today(named(FULL), "device"))
})

test("nothing that was given is in what is handed on", () => {
  const event = named({ ...FULL, user_agent: "canary-agent" }, "canary@mail.example")
  const text = JSON.stringify(event) + Buffer.from(event.names).toString("latin1")
  for (const canary of ["canary", "device-1", "account-1", "203.0.113", "mail.example"])
    assert.ok(!text.includes(canary), canary)
  assert.deepEqual(Object.keys(event).sort(), ["atSeconds", "isRecorded", "names", "tenantId"])
})

const runs = { numRuns: 2000, seed: 815 }

test("generated handles of one pattern share a skeleton, names do not", () => {
  for (const [skeleton, ...handles] of [
    ["anna.k0", "anna.k8371", "anna.k2213", "anna.k7"],
    ["user0", "user83749201", "user1234567"],
    ["0_shop.0", "7_shop.11", "12345_shop.9"],
    ["~6", "x7k2p9", "q3m8z1"],
    ["8374000", "8374123", "8374999"],
    ["анна0", "анна7", "анна٣٤"],
  ] as const) {
    for (const handle of handles) assert.equal(handleSkeleton(handle), skeleton, handle)
  }
  const apart = ["anna.k", "anna.k0.", "annak1", "anna_k1", "anna.l1", "anna", "ann.a1", "a1b2c"]
  assert.equal(new Set(apart.map(handleSkeleton)).size, apart.length)
})

const name = fc.stringMatching(/^[a-z]{1,12}([._-][a-z]{1,8})?$/)
const digits = fc.stringMatching(/^[0-9]{1,12}$/)

test("a name is its own skeleton, and any number behind it changes nothing", () => {
  fc.assert(
    fc.property(name, digits, digits, (letters, one, other) => {
      assert.equal(handleSkeleton(letters), letters)
      assert.equal(handleSkeleton(letters + one), handleSkeleton(letters + other))
      assert.notEqual(handleSkeleton(letters + one), letters)
    }),
    runs,
  )
})

test("different names stay different whatever numbers they carry", () => {
  fc.assert(
    fc.property(name, name, digits, (one, other, number) => {
      fc.pre(one !== other)
      assert.notEqual(handleSkeleton(one + number), handleSkeleton(other + number))
    }),
    runs,
  )
})

test("numbers alone are one family only with the same length and the same first half", () => {
  fc.assert(
    fc.property(digits, digits, (one, other) => {
      const half = Math.ceil(one.length / 2)
      const family = one.length === other.length && one.slice(0, half) === other.slice(0, half)
      assert.equal(handleSkeleton(one) === handleSkeleton(other), family)
    }),
    runs,
  )
  assert.notEqual(handleSkeleton("12345678"), handleSkeleton("1234567"))
  assert.equal(handleSkeleton("10000007"), handleSkeleton("10000008"))
})

test("no text has an empty skeleton, or one that depends on when it is asked for", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
      assert.notEqual(handleSkeleton(text), "")
      assert.equal(handleSkeleton(text), handleSkeleton(text))
    }),
    runs,
  )
})
