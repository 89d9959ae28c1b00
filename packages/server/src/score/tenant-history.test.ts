import assert from "node:assert/strict"
import { test } from "node:test"
import { plainEntry } from "@assay/stores/entry"
import type { EntryKind, Owner } from "@assay/stores/exposure-index"
import { MailboxState } from "./mailbox-state.ts"
import type { Observation } from "./observations.ts"
import { NO_HISTORY, type TenantHistory, tenantHistory } from "./tenant-history.ts"

const today = 20_000

function observation(
  kind: EntryKind,
  daysAgo: number,
  owner: Owner = 7,
  name = "feedback",
): Observation {
  return {
    entry: { ...plainEntry(kind, (today - daysAgo) * 24, 1), owner },
    source: {
      id: 1,
      owner,
      name,
      title: "",
      kind: "fraud_confirmed",
      confidence: 0.95,
      classes: [],
      flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
      eventDate: null,
      circulates: false,
      importedAt: 0,
    },
  }
}

function history(
  seen: readonly (readonly [EntryKind, daysAgo: number, owner?: Owner, name?: string])[],
  bouncedDaysAgo?: number,
): TenantHistory {
  const mailbox = new MailboxState()
  if (bouncedDaysAgo !== undefined) mailbox.take("bounced", bouncedDaysAgo, null)
  return tenantHistory(
    seen.map((each) => observation(...each)),
    today,
    mailbox,
  )
}

test("nothing of the tenant's own is no history, whatever everyone knows", () => {
  assert.deepEqual(history([]), NO_HISTORY)
  assert.deepEqual(
    history([
      ["fraud_confirmed", 3, "shared"],
      ["ownership_verified", 400, "shared"],
      ["breach", 900, "shared"],
    ]),
    NO_HISTORY,
  )
})

test("of a label the newest counts, of good history the beginning", () => {
  const known = history([
    ["fraud_confirmed", 9],
    ["fraud_confirmed", 4],
    ["credential_rotated", 8],
    ["credential_rotated", 20],
    ["good_history", 30],
    ["good_history", 200],
  ])
  assert.deepEqual([known.confirmedFraudAge, known.rotatedAge, known.goodHistoryDays], [4, 8, 200])
})

test("ownership counts for the score until mail comes back, for coverage a year", () => {
  const ownership = (daysAgo: number, bounced?: number): unknown[] => {
    const known = history([["ownership_verified", daysAgo]], bounced)
    return [known.ownershipVerified, known.ownershipIsRecent, known.ownershipVerifiedAge]
  }
  assert.deepEqual(ownership(0), [true, true, 0])
  assert.deepEqual(ownership(365), [true, true, 365])
  assert.deepEqual(ownership(366), [true, false, 366])
  assert.deepEqual(ownership(10, 9), [undefined, false, 10])
  assert.deepEqual(ownership(10, 10), [undefined, false, 10])
  assert.deepEqual(ownership(10, 11), [true, true, 10])
  const again = history(
    [
      ["ownership_verified", 10],
      ["ownership_verified", 2],
    ],
    5,
  )
  assert.equal(again.ownershipVerified, true)
})

test("the oldest word of the tenant's own says since when it knows the identity, a mark included", () => {
  const known = history([
    ["fraud_confirmed", 4],
    ["decided", 90],
    ["breach", 500, "shared"],
  ])
  assert.deepEqual([known.firstKnownDays, known.hasHistory], [90, true])
  assert.equal(known.confirmedFraudAge, 4)
})

test("evidence the tenant has from elsewhere is no history of its own", () => {
  assert.deepEqual(history([["breach", 4000, 7, "soc"]]), NO_HISTORY)
  const known = history([
    ["breach", 4000, 7, "soc"],
    ["decided", 9, 7, "decisions"],
  ])
  assert.deepEqual([known.firstKnownDays, known.hasHistory], [9, true])
})

test("history is older than a day, and a date ahead is today", () => {
  assert.equal(history([["decided", 0]]).hasHistory, false)
  assert.equal(history([["decided", 1]]).hasHistory, false)
  assert.equal(history([["decided", 2]]).hasHistory, true)
  const ahead = history([["fraud_confirmed", -1]])
  assert.deepEqual([ahead.confirmedFraudAge, ahead.firstKnownDays], [0, 0])
})
