import assert from "node:assert/strict"
import { test } from "node:test"
import { SignalFailure } from "../signal-failure.ts"
import type { Members } from "./members.ts"
import {
  contractOf,
  readForwarding,
  readReachable,
  readRecycled,
  readRoaming,
  readSubscription,
} from "./readings.ts"

const TIME = "2026-02-20T10:41:38.657Z"

function isMalformed(error: unknown): boolean {
  return error instanceof SignalFailure && error.status === "error" && error.code === "malformed"
}

test("an answer is read with all it says", () => {
  assert.equal(readRecycled({ phoneNumberRecycled: true }).value, true)
  assert.equal(readForwarding({ active: false }).value, false)
  const reachable = readReachable({ reachable: false, lastStatusTime: TIME })
  assert.deepEqual(reachable, { status: "ok", value: false, asOf: TIME, precision: "boolean" })
  const roaming = readRoaming({
    roaming: true,
    lastStatusTime: "2026-02-20T11:41:38.657123456+01:00",
    countryCode: 262,
    countryName: ["DE"],
  })
  assert.deepEqual(roaming.value, { roaming: true, country: "DE" })
  assert.equal(roaming.asOf, TIME)
})

test("where a network code stands for several countries or none, no country is named", () => {
  for (const countryName of [undefined, [], ["BL", "GF", "GP"]])
    assert.deepEqual(readRoaming({ roaming: true, lastStatusTime: TIME, countryName }).value, {
      roaming: true,
      country: null,
    })
})

test("a line is active as long as calls and messages reach it", () => {
  const active = { voiceSmsIn: "active", voiceSmsOut: "active", dataService: "active" }
  assert.equal(readSubscription(active).value, true)
  assert.equal(
    readSubscription({ ...active, voiceSmsOut: "suspended", dataService: "throttled" }).value,
    true,
  )
  assert.equal(readSubscription({ ...active, voiceSmsIn: "suspended" }).value, false)
})

test("a contract is prepaid or billed, and unknown where the carrier has another word or none", () => {
  const words = ["PAYG", "PAYM", "Business", "Hybrid", undefined]
  assert.deepEqual(
    words.map((contractType) => contractOf({ contractType })),
    ["prepaid", "postpaid", "postpaid", null, null],
  )
  assert.throws(() => contractOf({ contractType: 1 }), isMalformed)
})

test("what is missing or of another type is never read as yes or no", () => {
  const readers: [(members: Members) => unknown, Members, string][] = [
    [readRecycled, { phoneNumberRecycled: true }, "phoneNumberRecycled"],
    [readForwarding, { active: true }, "active"],
    [readReachable, { reachable: true, lastStatusTime: TIME }, "reachable"],
    [readReachable, { reachable: true, lastStatusTime: TIME }, "lastStatusTime"],
    [readRoaming, { roaming: true, lastStatusTime: TIME }, "roaming"],
    [
      readSubscription,
      { voiceSmsIn: "active", voiceSmsOut: "active", dataService: "active" },
      "voiceSmsIn",
    ],
  ]
  for (const [read, members, name] of readers) {
    read(members)
    for (const wrong of [undefined, null, "true", "false", 0, 1, {}, []])
      assert.throws(() => read({ ...members, [name]: wrong }), isMalformed, name)
  }
  for (const countryName of ["DE", [7], ["Germany"], {}])
    assert.throws(
      () => readRoaming({ roaming: true, lastStatusTime: TIME, countryName }),
      isMalformed,
    )
})
