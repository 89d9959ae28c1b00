import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { DAY_MS } from "@assay/runtime/time"
import { SignalFailure } from "../signal-failure.ts"
import type { Inquiry } from "./inquiry.ts"
import { askWindows, CHECKS_MAX, openLookBack, readLastChange } from "./last-change.ts"
import type { Members } from "./members.ts"

const NOW_MS = Date.parse("2026-03-01T12:00:00Z")
const CHECK = { url: "https://carrier.example/sim-swap/v2/check", scopes: "sim-swap:check" }

function read(members: Members): ReturnType<typeof readLastChange> {
  return readLastChange(members, "latestSimChange", NOW_MS)
}

function failsAs(status: string, code: string): (error: unknown) => boolean {
  return (error) => error instanceof SignalFailure && error.status === status && error.code === code
}

test("a date is given in UTC, as exactly as the carrier gives it", () => {
  for (const [latestSimChange, at, precision] of [
    ["2026-02-28T14:27:08.312+02:00", "2026-02-28T12:27:08.312Z", "instant"],
    ["2026-02-28T07:37:53.471829447Z", "2026-02-28T07:37:53.471Z", "instant"],
    ["2026-02-28T07:00:00Z", "2026-02-28T07:00:00.000Z", "hour"],
    ["2026-02-28T00:00:00.000+01:00", "2026-02-27T23:00:00.000Z", "day"],
  ])
    assert.deepEqual(read({ latestSimChange }), { status: "ok", value: { at }, precision })
})

test("a date a little ahead of the clock is now; one further ahead, or of old, is no date", () => {
  const ahead = read({ latestSimChange: "2026-03-01T12:59:00Z" })
  assert.deepEqual(ahead.value, { at: "2026-03-01T12:00:00.000Z" })
  for (const latestSimChange of [
    "2026-03-01T13:01:00Z",
    "1900-01-01T00:00:00Z",
    "1989-12-31T23:59:59Z",
    "9999-12-31T23:59:59Z",
    "2026-02-30T10:00:00Z",
    "2026-02-28",
    "2026-02-28T10:00:00",
    "yesterday",
    "",
  ])
    assert.throws(() => read({ latestSimChange }), failsAs("error", "invalid_date"))
})

test("no date but a period says that nothing changed in it, and no more", () => {
  assert.deepEqual(read({ latestSimChange: null, monitoredPeriod: 120 }), {
    status: "partial",
    value: { none: true },
    precision: "boolean",
    coveredWindow: "120d",
  })
})

test("no date and no period says nothing, and never that nothing changed", () => {
  for (const monitoredPeriod of [undefined, null, 0])
    assert.throws(
      () => read({ latestSimChange: null, monitoredPeriod }),
      failsAs("no_coverage", "no_period"),
    )
})

test("an answer of another form is none", () => {
  for (const members of [
    {},
    { latestSimChange: 1_772_000_000 },
    { latestSimChange: false },
    { latestDeviceChange: "2026-02-28T07:37:53Z" },
    { latestSimChange: null, monitoredPeriod: -1 },
    { latestSimChange: null, monitoredPeriod: 1.5 },
    { latestSimChange: null, monitoredPeriod: "120" },
    { latestSimChange: null, monitoredPeriod: 1e9 },
  ])
    assert.throws(() => read(members), failsAs("error", "malformed"))
})

interface Carrier extends Inquiry {
  /** The windows it was asked about. */
  readonly asked: number[]
}

/** A carrier whose line had a SIM change `changedHoursAgo`, and that may look back `hoursMax`. */
function carrier(changedHoursAgo: number, hoursMax = 2400): Carrier {
  const asked: number[] = []
  return {
    asked,
    async post(_operation, body) {
      const { maxAge } = body as { maxAge: number }
      asked.push(maxAge)
      if (maxAge > hoursMax) throw new SignalFailure("no_coverage", "OUT_OF_RANGE")
      return { swapped: changedHoursAgo <= maxAge }
    },
    billable: () => true,
  }
}

async function asking(
  inquiry: Inquiry,
  { lookBack = openLookBack(), outerHours = 240 } = {},
): ReturnType<typeof askWindows> {
  return askWindows({
    inquiry,
    check: CHECK,
    e164: "+61491570156",
    lookBack,
    outerHours,
    nowMs: NOW_MS,
  })
}

test("without a change in the longest window there is one check, and the answer names the window", async () => {
  const one = carrier(1000)
  assert.deepEqual(await asking(one), {
    status: "partial",
    value: { none: true },
    precision: "boolean",
    coveredWindow: "240h",
  })
  assert.deepEqual(one.asked, [240])
})

test("a change is narrowed down with as few checks as it takes", async () => {
  for (const [hoursAgo, withinHours, notWithinHours, asked] of [
    [3, 24, null, [240, 72, 24]],
    [48, 72, 24, [240, 72, 24]],
    [200, 240, 72, [240, 72]],
  ] as const) {
    const one = carrier(hoursAgo)
    const { value, status, precision } = await asking(one)
    assert.deepEqual(value, { withinHours, notWithinHours })
    assert.deepEqual([status, precision], ["partial", "boolean"])
    assert.deepEqual(one.asked, asked)
  }
})

test("a carrier that may not look back so far is asked for less, and its limit is remembered", async () => {
  const lookBack = openLookBack()
  const first = carrier(3, 100)
  assert.deepEqual((await asking(first, { lookBack })).value, {
    withinHours: 72,
    notWithinHours: null,
  })
  assert.deepEqual(first.asked, [240, 168, 72])
  const next = carrier(3, 100)
  assert.deepEqual((await asking(next, { lookBack })).value, {
    withinHours: 24,
    notWithinHours: null,
  })
  assert.deepEqual(next.asked, [72, 24])
})

test("a carrier that takes no window says nothing", async () => {
  await assert.rejects(asking(carrier(3, 1)), failsAs("no_coverage", "OUT_OF_RANGE"))
})

test("if narrowing fails, the answer for the longer window stays, with the reason", async () => {
  const one = carrier(3)
  const failing: Inquiry = {
    ...one,
    post: (operation, body) => {
      if (one.asked.length === 1) throw new SignalFailure("timeout", null)
      return one.post(operation, body)
    },
  }
  const { status, value, providerCode } = await asking(failing)
  assert.deepEqual(value, { withinHours: 240, notWithinHours: null })
  assert.deepEqual([status, providerCode], ["partial", "timeout"])
})

test("where the first check fails nothing is known", async () => {
  const failing = { ...carrier(3), post: () => Promise.resolve({ swapped: "true" }) }
  await assert.rejects(asking(failing), failsAs("error", "malformed"))
})

test("whatever happened and however far a carrier looks, the answer is true and the checks are few", async () => {
  const hours = fc.integer({ min: 1, max: 3000 })
  await fc.assert(
    fc.asyncProperty(hours, hours, hours, async (hoursAgo, hoursMax, outerHours) => {
      const lookBack = openLookBack()
      // The second question knows what the first one learned.
      for (let n = 0; n < 2; n++) {
        const one = carrier(hoursAgo, hoursMax)
        try {
          const { value, coveredWindow } = await asking(one, { lookBack, outerHours })
          assert.ok(!("at" in value))
          if ("none" in value) assert.ok(hoursAgo > Number.parseInt(coveredWindow ?? "", 10))
          else {
            assert.ok(hoursAgo <= value.withinHours)
            assert.ok(value.notWithinHours === null || hoursAgo > value.notWithinHours)
          }
        } catch (error) {
          assert.ok(failsAs("no_coverage", "OUT_OF_RANGE")(error))
        }
        assert.ok(one.asked.length >= 1 && one.asked.length <= CHECKS_MAX)
        assert.ok(one.asked.every((each) => each >= 1 && each <= Math.min(outerHours, 2400)))
      }
    }),
    { seed: 30, numRuns: 1000 },
  )
})

test("the window is what is wanted, as far as the settings and the definition allow it", () => {
  assert.equal(openLookBack().windowHours(240, 0), 240)
  assert.equal(openLookBack(100).windowHours(240, 0), 100)
  assert.equal(openLookBack().windowHours(9999, 0), 2400)
  assert.equal(openLookBack().windowHours(0.5, 0), 1)
})

test("a window that was too long is not asked for again, for a day", () => {
  const lookBack = openLookBack()
  assert.equal(lookBack.shorten(240, 0), 168)
  assert.equal(lookBack.windowHours(240, DAY_MS - 1), 168)
  assert.equal(lookBack.shorten(168, 0), 72)
  assert.equal(lookBack.windowHours(240, DAY_MS - 1), 72)
  assert.equal(lookBack.windowHours(48, DAY_MS - 1), 48)
  assert.equal(lookBack.windowHours(240, DAY_MS), 240)
})

test("below a day there is no shorter window, and nothing is learned", () => {
  const lookBack = openLookBack()
  assert.equal(lookBack.shorten(24, 0), null)
  assert.equal(lookBack.windowHours(240, 1), 240)
})

test("of what two questions learned at the same time the less counts", () => {
  const lookBack = openLookBack()
  lookBack.shorten(240, 0)
  lookBack.shorten(168, 1)
  assert.equal(lookBack.shorten(240, 2), 72)
  assert.equal(lookBack.windowHours(240, 3), 72)
})
