import assert from "node:assert/strict"
import { test } from "node:test"
import { serializeList } from "structured-headers"
import { limitFields } from "./limit-refusals.ts"
import { plans } from "./plans.ts"

test("the limit fields are what a serialiser of structured fields writes", () => {
  const now = Date.UTC(2026, 10, 14, 12)
  const { limits } = plans.free
  for (const [requests, lookups] of [
    [0, 0],
    [-3, 20],
    [9, 1],
  ] as const) {
    const fields = limitFields({ requests, lookups, rateLeft: 5, quotaLeft: 900 }, limits, now)
    const list = (name: "q" | "r", after: "w" | "t", values: [string, number, number][]): string =>
      serializeList(
        values.map(([item, value, second]) => [
          item,
          new Map([
            [name, value],
            [after, second],
          ]),
        ]),
      )
    assert.deepEqual(fields, {
      "ratelimit-policy": list("q", "w", [
        ["second", limits.requestsPerSecond, 1],
        ["month", limits.lookupsPerMonth, 2_592_000],
      ]),
      ratelimit: list("r", "t", [
        ["second", 5 + Math.max(0, requests), 1],
        ["month", 900 + lookups, (Date.UTC(2026, 11, 1) - now) / 1000],
      ]),
    })
  }
})
