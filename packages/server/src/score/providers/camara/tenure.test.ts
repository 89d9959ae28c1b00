import assert from "node:assert/strict"
import { test } from "node:test"
import { DAY_MS } from "@assay/runtime/time"
import { SignalFailure } from "../signal-failure.ts"
import type { Inquiry } from "./inquiry.ts"
import { askTenure } from "./tenure.ts"

const NOW_MS = Date.parse("2026-03-01T12:00:00Z")
const CHECK = { url: "https://carrier.example/check-tenure", scopes: "kyc-tenure:check-tenure" }

interface Carrier extends Inquiry {
  readonly dates: string[]
}

function carrier(heldDays: number, answer: (days: number) => void = () => undefined): Carrier {
  const dates: string[] = []
  return {
    dates,
    async post(_operation, body) {
      const { tenureDate } = body as { tenureDate: string }
      dates.push(tenureDate)
      const days = Math.round((NOW_MS - Date.parse(tenureDate)) / DAY_MS)
      answer(days)
      return { tenureDateCheck: heldDays >= days, contractType: "PAYG" }
    },
    billable: () => true,
  }
}

function asking(inquiry: Inquiry): ReturnType<typeof askTenure> {
  return askTenure({ inquiry, check: CHECK, e164: "+61491570156", nowMs: NOW_MS })
}

test("two years are asked for first, and ninety days only after a no", async () => {
  const [settled, known, fresh] = [carrier(2000), carrier(400), carrier(10)]
  assert.deepEqual((await asking(settled)).value, {
    atLeastDays: 730,
    lessThanDays: null,
    contract: "prepaid",
  })
  assert.deepEqual(settled.dates, ["2024-03-01"])
  assert.deepEqual((await asking(known)).value, {
    atLeastDays: 90,
    lessThanDays: 730,
    contract: "prepaid",
  })
  assert.deepEqual(known.dates, ["2024-03-01", "2025-12-01"])
  const { value, status, precision } = await asking(fresh)
  assert.deepEqual(value, { atLeastDays: null, lessThanDays: 90, contract: "prepaid" })
  assert.deepEqual([status, precision], ["ok", "band"])
})

test("a carrier that may not look back two years answers for ninety days alone", async () => {
  const short = carrier(2000, (days) => {
    if (days > 365) throw new SignalFailure("no_coverage", "OUT_OF_RANGE")
  })
  assert.deepEqual((await asking(short)).value, {
    atLeastDays: 90,
    lessThanDays: null,
    contract: "prepaid",
  })
})

test("where the second question fails, less than two years stays known", async () => {
  const failing = carrier(400, (days) => {
    if (days < 100) throw new SignalFailure("rate_limited", "TOO_MANY_REQUESTS")
  })
  const { value, status, providerCode } = await asking(failing)
  assert.deepEqual(value, { atLeastDays: null, lessThanDays: 730, contract: "prepaid" })
  assert.deepEqual([status, providerCode], ["partial", "TOO_MANY_REQUESTS"])
})

test("where the first question fails, nothing is known", async () => {
  const failing = carrier(400, () => {
    throw new SignalFailure("not_found", "IDENTIFIER_NOT_FOUND")
  })
  await assert.rejects(asking(failing), SignalFailure)
  assert.equal(failing.dates.length, 1)
})
