import assert from "node:assert/strict"
import { test } from "node:test"
import type { PhoneContext as GivenContext } from "@assay/core/contract"
import { Problem } from "../../base/problem.ts"
import { DAY_MS } from "@assay/runtime/time"
import { readPhoneContext } from "./phone-context.ts"

const NOW = Date.UTC(2026, 10, 14, 12)
const at = (ms: number): string => new Date(NOW + ms).toISOString()

test("what was not given is null, and the moment is now", () => {
  const empty = {
    event: "other",
    atMs: NOW,
    accountId: null,
    deviceId: null,
    verifiedAtMs: null,
    verifiedIndependently: false,
  }
  assert.deepEqual(readPhoneContext({}, NOW), empty)
  const nulls = {
    event: null,
    occurred_at: null,
    account_id: null,
    ip: null,
    device_id: null,
    enrolled_at: null,
    last_verified_at: null,
    verified_by: null,
  }
  assert.deepEqual(readPhoneContext(nulls, NOW), empty)
})

test("everything that was given is read, the address of the network only checked", () => {
  const given: GivenContext = {
    event: "signup",
    occurred_at: at(-DAY_MS),
    account_id: "a",
    device_id: "d",
    ip: "2001:db8::1",
    enrolled_at: at(-9 * DAY_MS),
    last_verified_at: at(-3 * DAY_MS),
    verified_by: "other",
  }
  assert.deepEqual(readPhoneContext(given, NOW), {
    event: "sign-up",
    atMs: NOW - DAY_MS,
    accountId: "a",
    deviceId: "d",
    verifiedAtMs: NOW - 3 * DAY_MS,
    verifiedIndependently: true,
  })
  const byCode = readPhoneContext({ ...given, verified_by: "phone" }, NOW)
  assert.equal(byCode.verifiedIndependently, false)
})

test("a member that cannot be right is refused by its pointer and never quoted", () => {
  const cases: [GivenContext, string, RegExp][] = [
    [{ occurred_at: at(6 * 60_000) }, "occurred_at", /future/],
    [{ occurred_at: at(-49 * 3_600_000) }, "occurred_at", /48 hours/],
    [{ occurred_at: "2026-11-14T11:59:60Z" }, "occurred_at", /leap second/],
    [{ ip: "203.0.113.700" }, "ip", /IPv4 or IPv6/],
    [{ ip: "1" }, "ip", /IPv4 or IPv6/],
    [{ enrolled_at: at(6 * 60_000) }, "enrolled_at", /future/],
    [{ enrolled_at: "1989-12-31T23:59:59Z" }, "enrolled_at", /1990/],
    [{ last_verified_at: at(6 * 60_000) }, "last_verified_at", /future/],
    [{ last_verified_at: "1970-01-21T10:00:00Z" }, "last_verified_at", /1990/],
  ]
  for (const [given, member, detail] of cases) {
    assert.throws(
      () => readPhoneContext(given, NOW),
      (error) => {
        assert.ok(error instanceof Problem)
        assert.equal(error.code, "invalid-request")
        assert.equal(error.errors?.[0]?.pointer, `#/context/${member}`)
        assert.match(error.errors[0].detail, detail)
        assert.doesNotMatch(error.errors[0].detail, /113\.700|1970|1989/)
        return true
      },
    )
  }
  assert.equal(readPhoneContext({ last_verified_at: at(60_000) }, NOW).verifiedAtMs, NOW + 60_000)
})
