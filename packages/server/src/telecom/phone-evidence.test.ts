import assert from "node:assert/strict"
import { test } from "node:test"
import { parsePhone } from "@assay/core/identity"
import type { PhoneInput } from "@assay/core/score"
import { plans } from "../accounts/plans.ts"
import type { Caller } from "../accounts/callers.ts"
import { DEFAULT_SCORING } from "../accounts/tenant-settings.ts"
import { currentModels } from "../score/models.ts"
import type { Entry, EvidenceKind, Found } from "../stores/exposure-index.ts"
import { HOUR_MS } from "../time.ts"
import { phoneEvidence } from "./phone-evidence.ts"

const nowMs = Date.UTC(2026, 10, 14, 15)
const caller: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.enterprise,
  scopes: new Set<string>(),
  ...DEFAULT_SCORING,
}

type Seen = readonly [kind: EvidenceKind, hoursAgo: number, value?: number]

function input(seen: readonly Seen[], phone = "+61491570156", by: Caller = caller): PhoneInput {
  const parsed = parsePhone(phone)
  if ("fault" in parsed) assert.fail(parsed.detail)
  const flags = { spamList: false, fabricated: false, sensitive: false, verified: true }
  const source = {
    id: 1,
    owner: "shared" as const,
    name: "s",
    title: "",
    kind: "sim_change" as const,
    confidence: 1,
    classes: [],
    flags,
    eventDate: null,
    circulates: false,
    importedAt: nowMs,
  }
  const batch = {
    id: 1,
    sourceId: 1,
    owner: "shared" as const,
    state: "live" as const,
    fingerprint: "",
    rows: 1,
    identities: 1,
    createdAt: 0,
    liveAt: 0,
    removedAt: null,
  }
  const entries = seen.map(([kind, hoursAgo, value = null]): Entry & { owner: "shared" } => ({
    kind,
    value,
    secret: "none",
    hours: nowMs / HOUR_MS - hoursAgo,
    fingerprint: null,
    aliasTag: 0,
    batchId: 1,
    item: null,
    confidence: null,
    classes: [],
    owner: "shared",
  }))
  const found: Found = {
    entries,
    cut: 0,
    erased: false,
    catalogue: { version: 1, sources: new Map([[1, source]]), batches: new Map([[1, batch]]) },
  }
  return phoneEvidence({ parsed, found, caller: by, model: currentModels.phone, nowMs })
}

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
  assert.equal(input([["line_status", 1, -1]]).active, false)
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
