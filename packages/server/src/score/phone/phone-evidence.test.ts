import assert from "node:assert/strict"
import { test } from "node:test"
import { assessPhone, type PhoneInput } from "@assay/core/score"
import type { Caller } from "../../accounts/callers.ts"
import { currentModels } from "../models.ts"
import { HOUR_MS } from "@assay/runtime/time"
import {
  caller,
  NOW_MS,
  phoneInputOf,
  type Seen,
} from "../../../testing/score/phone/findings-suite.ts"

const input = (seen: readonly Seen[], phone?: string, by?: Caller): PhoneInput =>
  phoneInputOf({ seen, phone, by })

test("the newest of each kind counts, in fractional days", () => {
  const { simChangeAge, portAge } = input([
    ["sim_change", 48],
    ["sim_change", 6],
    ["port", 36],
  ])
  assert.equal(simChangeAge, 0.25)
  assert.equal(portAge, 1.5)
})

test("where SMS is the only challenge, a number that must not get codes says so to the scorer", () => {
  const smsOnly = { ...caller, smsOnlyStepUp: true }
  assert.deepEqual(input([["sim_change", 6]], undefined, smsOnly).ctx, { stepUpEff: 0.3 })
  assert.equal(input([["sim_change", 6]]).ctx, undefined)
  assert.equal(input([["sim_change", 24 * 60]], undefined, smsOnly).ctx, undefined)
})

test("settings of the tenant go into the input", () => {
  const phoneSettings = { confirmedBeforeBlock: true }
  assert.equal(input([], undefined, { ...caller, phoneSettings }).settings, phoneSettings)
  assert.equal(input([]).settings, undefined)
})

test("nothing known stays unknown: no member is made up", () => {
  const {
    simChangeAge,
    portAge,
    active,
    tenureDays,
    callForwarding,
    recycledSinceVerified,
    blocklisted,
    coverage,
  } = input([])
  assert.deepEqual(
    [simChangeAge, portAge, active, tenureDays, callForwarding, recycledSinceVerified, blocklisted],
    Array(7).fill(undefined),
  )
  assert.deepEqual(coverage, { number: 1, sim: 0, device: 0, network: 0, context: 0 })
})

test("a handset changed with the SIM only when both changed within a day", () => {
  assert.equal(
    input([
      ["sim_change", 10],
      ["device_change", 12],
    ]).deviceChangedWithSim,
    true,
  )
  assert.equal(
    input([
      ["sim_change", 10],
      ["device_change", 200],
    ]).deviceChangedWithSim,
    false,
  )
  assert.equal(input([["sim_change", 10]]).deviceChangedWithSim, undefined)
})

test("a number given away matters until its holder proves it again", () => {
  assert.equal(input([["recycled", 100]]).recycledSinceVerified, true)
  assert.equal(
    input([
      ["recycled", 100],
      ["ownership_verified", 50],
    ]).recycledSinceVerified,
    false,
  )
  assert.equal(
    input([
      ["recycled", 100],
      ["ownership_verified", 200],
    ]).recycledSinceVerified,
    true,
  )
})

test("an affirmed period without a change counts while it is fresh and is never an age", () => {
  const fresh = input([["sim_unchanged", 2, 240]])
  assert.deepEqual([fresh.noSimChangeDays, fresh.simChangeAge], [240, undefined])
  assert.equal(input([["sim_unchanged", 100, 240]]).noSimChangeDays, undefined)
})

test("line status, tenure, subscription, forwarding, routes and failed codes are read by their values and dates", () => {
  assert.equal(input([["line_status", 1, 1]]).active, true)
  assert.equal(input([["line_status", 1, 0]]).active, false)
  assert.equal(input([["tenure", 48, 100]]).tenureDays, 102)
  assert.equal(input([["subscription", 1, 1]]).line, "mobile_prepaid")
  assert.equal(input([["subscription", 1, 2]]).line, "mobile_postpaid")
  assert.equal(input([["subscription", 1, 1]], "+61255501234").line, "fixed")
  assert.equal(
    input([
      ["call_forwarding", 30, 1],
      ["call_forwarding", 3, 0],
    ]).callForwarding,
    false,
  )
  assert.equal(
    input([
      ["route_change", 24],
      ["route_change", 48],
      ["route_change", 24 * 91],
    ]).routeChanges90d,
    2,
  )
  assert.equal(input([["otp_failures", 2]]).otpFailureBurst, true)
  assert.equal(input([["otp_failures", 30]]).otpFailureBurst, undefined)
  assert.equal(input([["fraud_report", 1000]]).blocklisted, true)
})

test("a handset that is out of reach says nothing of the line, and the earlier status holds", () => {
  const absent = input([["line_status", 1, -1]])
  assert.deepEqual([absent.active, absent.coverage?.network], [undefined, 0])
  const before = input([
    ["line_status", 1, -1],
    ["line_status", 100, 0],
  ])
  assert.equal(before.active, false)
})

test("a period without a change affirms nothing where a change or port lies in it or after it", () => {
  const affirmed = (...changes: Seen[]) =>
    input([["sim_unchanged", 2, 10], ...changes]).noSimChangeDays
  assert.equal(affirmed(), 10)
  assert.equal(affirmed(["sim_change", 1]), undefined)
  assert.equal(affirmed(["sim_change", 9 * 24]), undefined)
  assert.equal(affirmed(["port", 9 * 24]), undefined)
  assert.equal(affirmed(["sim_change", 11 * 24]), 10)
  assert.equal(input([["sim_unchanged", 2, 0]]).noSimChangeDays, undefined)
  assert.equal(input([["sim_unchanged", 30, 10]]).coverage?.sim, 0)
})

test("an account that was taken over by the number doubts it until the number is proved", () => {
  assert.equal(input([["takeover_confirmed", 100]]).recycledSinceVerified, true)
  const proved = (hoursAgo: number) =>
    input([
      ["takeover_confirmed", 100],
      ["ownership_verified", hoursAgo],
    ]).recycledSinceVerified
  assert.deepEqual([99, 100, 101].map(proved), [false, true, true])
  assert.equal(
    input([
      ["takeover_confirmed", 10],
      ["recycled", 200],
      ["ownership_verified", 100],
    ]).recycledSinceVerified,
    true,
  )
})

test("of two words of the same hour the riskier one counts, in whatever order they come", () => {
  const pairs: [Seen, Seen][] = [
    [
      ["line_status", 5, 0],
      ["line_status", 5, 1],
    ],
    [
      ["call_forwarding", 5, 1],
      ["call_forwarding", 5, 0],
    ],
    [
      ["tenure", 5, 10],
      ["tenure", 5, 900],
    ],
    [
      ["subscription", 5, 1],
      ["subscription", 5, 2],
    ],
    [
      ["sim_unchanged", 5, 10],
      ["sim_unchanged", 5, 100],
    ],
  ]
  for (const [riskier, other] of pairs) {
    const alone = input([riskier])
    assert.notDeepEqual(input([other]), alone)
    assert.deepEqual(input([riskier, other]), alone)
    assert.deepEqual(input([other, riskier]), alone)
  }
})

test("what an account says of its own number: the newest proof counts, and enrolment is one", () => {
  const age = (seen: readonly Seen[], context: object): number | undefined =>
    phoneInputOf({ seen, context }).verifiedAge ?? undefined
  const ago = (hours: number): string => new Date(NOW_MS - hours * HOUR_MS).toISOString()
  assert.equal(age([], {}), undefined)
  assert.equal(age([], { enrolled_at: ago(240) }), 10)
  assert.equal(age([], { enrolled_at: ago(240), last_verified_at: ago(48) }), 2)
  assert.equal(age([], { enrolled_at: ago(24), last_verified_at: ago(48) }), 1)
  const proved: Seen[] = [["ownership_verified", 72]]
  assert.equal(age(proved, {}), 3)
  assert.equal(age(proved, { last_verified_at: ago(240) }), 3)
  assert.equal(age(proved, { last_verified_at: ago(24) }), 1)
})

test("a SIM change before the account's last proof is no risk to it, a number given away after it is", () => {
  const ago = (hours: number): string => new Date(NOW_MS - hours * HOUR_MS).toISOString()
  const scored = (
    seen: readonly Seen[],
    last_verified_at: string | null,
    verified_by: "phone" | "other" | null = "other",
  ) =>
    assessPhone(
      phoneInputOf({ seen, context: { last_verified_at, verified_by } }),
      currentModels.phone,
    )
  const changed: Seen[] = [["sim_change", 30]]
  assert.ok(scored(changed, null).risk_score > 40)
  assert.ok(scored(changed, ago(40)).risk_score > 40)
  // In the same hour the proof may have come first.
  assert.ok(scored(changed, ago(30)).risk_score > 40)
  assert.ok(scored(changed, ago(20)).risk_score < 25)
  assert.equal(scored(changed, ago(20)).sim_swap_risk, "high")
  // By a code to the number, the default for a verification.
  assert.ok(scored(changed, ago(20), "phone").risk_score > 40)
  assert.ok(scored(changed, ago(20), null).risk_score > 40)
  const recycled: Seen[] = [["recycled", 30]]
  assert.equal(scored(recycled, ago(40)).risk_level, "HIGH")
  assert.equal(scored(recycled, ago(20)).risk_level, "LOW")
})

test("velocity that could not be counted is unknown, and none is not", () => {
  const { accounts24h, coverage } = phoneInputOf({ context: {}, accounts24h: null })
  assert.deepEqual([accounts24h, coverage?.context], [undefined, 0])
  const none = phoneInputOf({ context: {}, accounts24h: 0 })
  assert.deepEqual([none.accounts24h, none.coverage?.context], [0, 1])
})

test("how the last proof was made is known of the request's own alone", () => {
  const ago = (hours: number): string => new Date(NOW_MS - hours * HOUR_MS).toISOString()
  const independent = (last_verified_at: string, ...seen: Seen[]) =>
    phoneInputOf({ seen, context: { last_verified_at, verified_by: "other" } })
      .verifiedIndependently
  assert.equal(independent(ago(24)), true)
  assert.equal(independent(ago(24), ["ownership_verified", 48]), true)
  assert.equal(independent(ago(48), ["ownership_verified", 24]), undefined)
  assert.equal(phoneInputOf({ context: { verified_by: "other" } }).verifiedIndependently, undefined)
})

test("a number kept for fiction or tests is reserved until some source reports a line behind it", () => {
  const reserved = (phone: string, ...seen: Seen[]) => phoneInputOf({ phone, seen }).reserved
  for (const phone of ["+61491570156", "+46701740605", "+12125550123", "+15005550006"]) {
    assert.equal(reserved(phone), true, phone)
    for (const kind of ["line_status", "tenure", "subscription"] as const)
      assert.equal(reserved(phone, [kind, 1, 1]), undefined, kind)
    const kinds = ["sim_change", "port", "device_change", "recycled", "ownership_verified"] as const
    for (const kind of kinds) assert.equal(reserved(phone, [kind, 1]), undefined, kind)
    assert.equal(reserved(phone, ["blocklisted", 1]), true)
  }
  assert.equal(reserved("+447911123456"), undefined)
})

test("numbers set aside for fiction get the same answer, whether or not a plan allows them", () => {
  const SET_ASIDE = "Number is set aside for fiction, tests or documentation"
  const numbers = ["+61491570156", "+12125550123", "+442079460123", "+447700900123", "+33639980012"]
  for (const phone of numbers) {
    const { risk_level, recommendation, ownership_confidence, network_continuity, risk_reasons } =
      assessPhone(phoneInputOf({ phone }), currentModels.phone)
    assert.deepEqual(
      [risk_level, recommendation, ownership_confidence, network_continuity],
      ["CRITICAL", "block", "low", "unstable"],
      phone,
    )
    assert.ok(risk_reasons.includes(SET_ASIDE), phone)
  }
})

test("fraud that the tenant confirmed is its label, and on a list only for models before 1.1", () => {
  const labels = ({ blocklisted, blocklistedForFraud, confirmedFraudAge }: PhoneInput) => [
    blocklisted,
    blocklistedForFraud,
    confirmedFraudAge,
  ]
  const own = { own: true } as const
  assert.deepEqual(labels(phoneInputOf({ seen: [["fraud_report", 48]], ...own })), [true, true, 2])
  const listed: Seen[] = [
    ["fraud_report", 48],
    ["blocklisted", 5],
  ]
  assert.deepEqual(labels(phoneInputOf({ seen: listed, ...own })), [true, undefined, 2])
  assert.deepEqual(labels(phoneInputOf({ seen: [["fraud_report", 48]] })), [
    true,
    undefined,
    undefined,
  ])
})
