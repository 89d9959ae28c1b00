import assert from "node:assert/strict"
import { test } from "node:test"
import type { PhoneContext as GivenContext } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parseEmail, type IdentityKey } from "@assay/core/identity"
import { openLog } from "@assay/runtime/log"
import { readContext } from "../context.ts"
import { openVelocityOfContext } from "../velocity.ts"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import type { Counters } from "@assay/stores/counters"
import { embeddedCounters } from "@assay/stores/embedded/counters"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { openNumberNames, openVelocityOfNumbers } from "./number-velocity.ts"
import { readPhoneContext } from "./phone-context.ts"

const NOW = Date.UTC(2026, 10, 14, 12)
const CLOCKS = { now: (): number => NOW, elapsed: (): number => NOW }
const secrets = deriveSecrets(new Uint8Array(32).fill(3))

const keyOf = (phone: string): IdentityKey =>
  identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.phone, phone)

function opened(counters: Pick<Counters, "velocity"> = embeddedCounters(CLOCKS)) {
  const lines: string[] = []
  const failed = { count: 0 }
  const options = {
    counters,
    secrets,
    log: openLog("info", { write: (line: string) => void lines.push(line) }),
    metrics: {
      countVelocityFailed() {
        failed.count++
      },
      countSignupsDropped: () => undefined,
    },
  }
  const velocity = openVelocityOfNumbers(options)
  const use = (given: GivenContext, phone = "+61491570156", tenantId: number | null = 1) =>
    velocity.accounts24h(keyOf(phone), readPhoneContext(given, NOW), tenantId)
  return { use, lines, failed, emails: openVelocityOfContext(options) }
}

test("different accounts of a number are counted in every event, and the same one once", async () => {
  const { use } = opened()
  for (const [event, expected] of [
    ["sign-up", 1],
    ["login", 2],
    ["transaction", 3],
    ["other", 4],
  ] as const)
    assert.equal(await use({ event, account_id: event }), expected)
  assert.equal(await use({ event: "login", account_id: "login" }), 4)
  assert.equal(await use({}, "+61491570157"), 0)
  assert.equal(await use({ account_id: "login" }, undefined, 2), 1)
  assert.equal(await use({ account_id: "login" }, undefined, null), 1)
})

test("a device stands in for an account that is not named, and nobody for neither", async () => {
  const { use } = opened()
  assert.equal(await use({ device_id: "x" }), 1)
  assert.equal(await use({ device_id: "y" }), 2)
  // An account and a device of the same name are two things.
  assert.equal(await use({ account_id: "x", device_id: "y" }), 3)
  assert.equal(await use({}), 3)
})

test("what happened more than a day before the event is not counted, also across midnight", async () => {
  const { use } = opened()
  const ago = (ms: number): string => new Date(NOW - ms).toISOString()
  await use({ account_id: "old", occurred_at: ago(DAY_MS + HOUR_MS) })
  await use({ account_id: "yesterday", occurred_at: ago(DAY_MS - HOUR_MS) })
  assert.equal(await use({ account_id: "now" }), 2)
})

test("numbers and e-mail addresses never count each other's events", async () => {
  const { use, emails } = opened()
  const parsed = parseEmail("ana.silva@mail.example")
  assert.ok(!("fault" in parsed))
  // The worst case: key, account and device of both are the very same.
  const key = keyOf("+61491570156")
  const signUp = () =>
    emails.compare(
      { parsed, key },
      readContext({ event: "sign-up", account_id: "a", device_id: "d" }, NOW),
      1,
    )
  assert.equal(await use({ event: "sign-up", account_id: "a", device_id: "d" }), 1)
  assert.equal(await use({ event: "sign-up", account_id: "b", device_id: "d" }), 2)
  const { explained, velocity24h } = await signUp()
  assert.equal(velocity24h, 1)
  assert.deepEqual(explained["signups_24h"], { device: 1, network: null, mailbox: 1, cluster: 1 })
  await signUp()
  assert.equal(await use({ account_id: "a" }), 2)
})

test("counters that cannot be asked leave the count unknown, not zero, without a word of the request", async () => {
  const { use, failed, lines } = opened({
    velocity: async () => Promise.reject(new Error("canary.message")),
  })
  assert.equal(await use({ account_id: "canary-account" }), null)
  assert.equal(failed.count, 1)
  assert.match(lines.join(""), /velocity could not be asked for/)
  assert.doesNotMatch(lines.join(""), /canary|61491/)
})

test("nothing that was given is in what is handed on, and names change by day and tenant", () => {
  const names = openNumberNames(secrets.subkeys.context)
  const named = (atMs: number, tenantId: number) =>
    names(
      keyOf("+61491570156"),
      readPhoneContext({ account_id: "canary-account", device_id: "canary-device" }, atMs),
      tenantId,
    )
  const event = named(NOW, 1)
  const text = JSON.stringify(event) + Buffer.from(event.names).toString("latin1")
  for (const canary of ["canary", "61491570156"]) assert.ok(!text.includes(canary))
  assert.ok(!Buffer.from(event.names).includes(keyOf("+61491570156").subarray(0, 8)))
  const half = event.names.length / 2
  const today = (of: typeof event): string =>
    Buffer.from(of.names.subarray(0, half)).toString("hex")
  const yesterday = (of: typeof event): string =>
    Buffer.from(of.names.subarray(half)).toString("hex")
  assert.equal(yesterday(named(NOW + DAY_MS, 1)), today(event))
  assert.notEqual(today(named(NOW + DAY_MS, 1)), today(event))
  assert.notEqual(today(named(NOW, 2)), today(event))
})
