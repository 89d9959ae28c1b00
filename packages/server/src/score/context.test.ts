import assert from "node:assert/strict"
import { test } from "node:test"
import type { RequestContext } from "@assay/core/contract"
import fc from "fast-check"
import { Problem } from "../base/problem.ts"
import { readContext } from "./context.ts"

const NOW = Date.UTC(2026, 10, 14, 12)

function network(ip: string): string {
  return Buffer.from(readContext({ ip }, NOW).network ?? []).toString("hex")
}

test("what is not given, or null, is null; the event is now and something else", () => {
  const nothing = {
    event: "other",
    atMs: NOW,
    signupAtMs: null,
    network: null,
    deviceId: null,
    userAgent: null,
    accountId: null,
    anomaly: null,
  }
  assert.deepEqual(readContext({}, NOW), nothing)
  const nulls = {
    event: null,
    occurred_at: null,
    signup_at: null,
    ip: null,
    device_id: null,
    user_agent: null,
    account_id: null,
    anomaly: null,
  }
  assert.deepEqual(readContext(nulls, NOW), nothing)
})

test("both spellings of a sign-up are one event", () => {
  for (const event of ["sign-up", "signup"] as const)
    assert.equal(readContext({ event }, NOW).event, "sign-up")
})

test("an address becomes its /24 or its /64, however it is spelled", () => {
  assert.equal(network("203.0.113.7"), "cb0071")
  assert.equal(network("203.0.113.255"), "cb0071")
  assert.notEqual(network("203.0.114.7"), "cb0071")
  for (const ip of ["::ffff:203.0.113.9", "::FFFF:cb00:7109"]) assert.equal(network(ip), "cb0071")
  assert.equal(network("2001:db8:1:2::1"), "20010db800010002")
  assert.equal(network("2001:0DB8:0001:0002:ffff:ffff:ffff:ffff"), "20010db800010002")
  assert.notEqual(network("2001:db8:1:3::1"), "20010db800010002")
})

test("any address lies in the network of its first bytes", () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      const bytes = ip.split(".").map(Number)
      assert.equal(network(ip), Buffer.from(bytes.slice(0, 3)).toString("hex"))
    }),
    { numRuns: 2000, seed: 4 },
  )
  fc.assert(
    fc.property(fc.ipV6(), (ip) => assert.ok([6, 16].includes(network(ip).length))),
    { numRuns: 2000, seed: 6 },
  )
})

test("a member that cannot be right is refused by its pointer, without its value", () => {
  const cases: [string, RequestContext][] = [
    ["#/context/ip", { ip: "999.0.113.7" }],
    ["#/context/ip", { ip: "203.0.113" }],
    ["#/context/ip", { ip: "203.0.113.7/24" }],
    ["#/context/ip", { ip: "not an address" }],
    ["#/context/occurred_at", { occurred_at: "2026-11-14T11:59:60Z" }],
    ["#/context/occurred_at", { occurred_at: "2026-11-14T12:05:01Z" }],
    ["#/context/occurred_at", { occurred_at: "2026-11-12T11:59:59Z" }],
    ["#/context/signup_at", { signup_at: "2026-11-14T12:00:01Z" }],
    [
      "#/context/signup_at",
      { occurred_at: "2026-11-14T10:00:00Z", signup_at: "2026-11-14T10:00:01Z" },
    ],
  ]
  for (const [pointer, given] of cases) {
    assert.throws(
      () => readContext(given, NOW),
      (error: unknown) => {
        assert.ok(error instanceof Problem)
        assert.equal(error.code, "invalid-request")
        assert.equal(error.errors?.[0]?.pointer, pointer)
        for (const value of Object.values(given))
          assert.ok(!JSON.stringify([error.message, error.errors]).includes(String(value)))
        return true
      },
    )
  }
})

test("times at the very edge are taken", () => {
  for (const occurred_at of ["2026-11-14T12:05:00Z", "2026-11-12T12:00:00Z"])
    assert.equal(readContext({ occurred_at }, NOW).atMs, Date.parse(occurred_at))
  const at = "2026-11-14T10:00:00+02:00"
  const { atMs, signupAtMs } = readContext({ occurred_at: at, signup_at: at }, NOW)
  assert.equal(atMs, Date.UTC(2026, 10, 14, 8))
  assert.equal(signupAtMs, atMs)
})
