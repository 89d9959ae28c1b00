import assert from "node:assert/strict"
import { test } from "node:test"
import type { CarrierNotification } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey } from "@assay/core/identity"
import fc from "fast-check"
import { Problem } from "../base/problem.ts"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import { Cursor } from "@assay/stores/bytes"
import { readEntry } from "@assay/stores/entry"
import type { SentEvidence } from "@assay/stores/records-evidence"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { NotifyingCarrier } from "./notifying-carriers.ts"
import { readNotification, type ReadNotification } from "./read-notification.ts"

const NUMBER = "+4915123456789"
const now = Date.UTC(2026, 10, 14, 15, 40)
const secrets = deriveSecrets(new Uint8Array(32).fill(7))
const carrier: NotifyingCarrier = {
  name: "one",
  source: "camara:one",
  speaksFor: (e164) => e164.startsWith("+49"),
}
const swapped: CarrierNotification = {
  specversion: "1.0",
  id: "e-1",
  source: "https://carrier.example",
  type: "org.camaraproject.sim-swap-subscriptions.v0.swapped",
  time: "2026-11-14T09:41:07Z",
  data: { phoneNumber: NUMBER },
}

function read(changes: Partial<CarrierNotification> = {}, by = carrier): ReadNotification {
  return readNotification({ ...swapped, ...changes }, by, secrets, now)
}

function evidenceOf(...args: Parameters<typeof read>): Required<SentEvidence> {
  const notification = read(...args)
  assert.ok(notification.says === "sim_change")
  return notification.evidence
}

const refusedAs = (code: string, pointer?: string) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.equal(error.code, code)
  assert.equal(error.errors?.[0]?.pointer, pointer)
  return true
}

test("a swapped SIM is a change at its hour, under the key a score looks up, of the carrier's source", () => {
  const { identityKey: key, source, entry, event } = evidenceOf()
  assert.deepEqual(key, identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.phone, NUMBER))
  assert.equal(source, "camara:one")
  assert.equal(event.length, 16)
  const { kind, hours, confidence, value, item } = readEntry(new Cursor(entry))
  assert.deepEqual(
    { kind, hours, confidence, value, item },
    {
      kind: "sim_change",
      hours: Date.UTC(2026, 10, 14, 9) / HOUR_MS,
      confidence: null,
      value: null,
      item: null,
    },
  )
  const later = "org.camaraproject.sim-swap-subscriptions.v12.swapped"
  assert.deepEqual(evidenceOf({ type: later }), evidenceOf())
})

test("a notification is named by carrier, sender and id together, and by nothing else", () => {
  const { event } = evidenceOf()
  const same = evidenceOf({
    time: "2026-11-13T09:30:00Z",
    data: { phoneNumber: "+493012345678" },
  })
  assert.deepEqual(same.event, event)
  for (const [changes, by] of [
    [{ id: "e-2" }, carrier],
    [{ source: "https://carrier.example/2" }, carrier],
    [{ id: "1", source: "https://carrier.examplee-" }, carrier],
    [{}, { ...carrier, name: "two" }],
  ] as const)
    assert.notDeepEqual(evidenceOf(changes, by).event, event)
})

test("other types say nothing of a SIM, whatever number they name", () => {
  const type = (last: string): Partial<CarrierNotification> => ({
    type: `org.camaraproject.${last}`,
    data: { phoneNumber: "none" },
  })
  assert.deepEqual(read(type("sim-swap-subscriptions.v0.subscription-ended")), { says: "ended" })
  for (const last of [
    "sim-swap-subscriptions.v0.subscription-started",
    "sim-swap-subscriptions.v0.swapped.x",
    "device-swap-subscriptions.v0.swapped",
    "sim-swap-subscriptions.vx.swapped",
  ])
    assert.deepEqual(read(type(last)), { says: "other" })
})

test("a moment that cannot be is refused, of every type; up to an hour ahead is a clock that differs", () => {
  const at = (ms: number): Partial<CarrierNotification> => ({ time: new Date(ms).toISOString() })
  for (const wrong of [
    { time: "" },
    { time: "yesterday" },
    { time: "2026-11-14" },
    { time: "2026-11-14T09:30:00" },
    { time: "2026-02-30T09:30:00Z" },
    at(now + HOUR_MS + 1),
    at(Date.UTC(1990, 0, 1) - 1),
    { time: "1900-01-01T00:00:00Z" },
  ]) {
    assert.throws(() => read(wrong), refusedAs("invalid-request", "#/time"))
    assert.throws(() => read({ ...wrong, type: "x" }), refusedAs("invalid-request", "#/time"))
  }
  for (const ms of [now + HOUR_MS, now, now - 400 * DAY_MS, Date.UTC(1990, 0, 1)])
    assert.equal(readEntry(new Cursor(evidenceOf(at(ms)).entry)).hours, Math.floor(ms / HOUR_MS))
})

test("a swapped SIM of nobody, of no number or of another's number is refused", () => {
  const missing = refusedAs("invalid-request", "#/data/phoneNumber")
  const { data: _, ...bare } = swapped
  assert.throws(() => readNotification(bare, carrier, secrets, now), missing)
  assert.throws(() => read({ data: {} }), missing)
  for (const phoneNumber of ["", "015123456789", "+49 151 23456789", "+49", "+0491512345678"])
    assert.throws(() => read({ data: { phoneNumber } }), refusedAs("not-a-phone-number"))
  for (const phoneNumber of ["+447400123456", "+4815123456789"])
    assert.throws(() => read({ data: { phoneNumber } }), refusedAs("number-not-yours"))
})

test("whatever a notification holds, it is read or refused, and a refusal quotes nothing of it", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom(swapped.type, swapped.time, NUMBER, "+447400123456"),
  )
  fc.assert(
    fc.property(
      fc.record({ id: text, source: text, type: text, time: text, phoneNumber: text }),
      ({ phoneNumber, ...members }) => {
        try {
          const { says } = read({ ...members, data: { phoneNumber } })
          assert.ok(["sim_change", "ended", "other"].includes(says))
        } catch (error) {
          assert.ok(error instanceof Problem)
          const shown = JSON.stringify([error.message, error.errors, error.headers])
          for (const each of [...Object.values(members), phoneNumber])
            if (each.length > 8) assert.ok(!shown.includes(each))
        }
      },
    ),
    { seed: 20261114, numRuns: 500 },
  )
})
