import assert from "node:assert/strict"
import { test } from "node:test"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openLog } from "@assay/runtime/log"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import type { Velocity } from "@assay/stores/counters"
import { embeddedCounters } from "@assay/stores/embedded/counters"
import { readContext } from "./context.ts"
import { contextTrust, openVelocityOfContext, type VelocityOfContext } from "./velocity.ts"

const NOW = Date.UTC(2026, 10, 14, 12)
const secrets = deriveSecrets(new Uint8Array(32).fill(3))
const QUIET: Velocity = {
  device: 1,
  network: 1,
  cluster: 1,
  mailbox: 1,
  firstSignupSeconds: NOW / 1000 - 7,
  dropped: 0,
}

test("velocity is the largest window of device, network and mailbox; the cluster stands for itself", () => {
  const context = readContext({ event: "sign-up" }, NOW)
  for (const [given, expected] of [
    [{ device: 8 }, 8],
    [{ network: 5, device: null }, 5],
    [{ mailbox: 3 }, 3],
    [{ cluster: 9 }, 1],
    [{ device: null, network: null }, 1],
  ] as const)
    assert.equal(contextTrust(context, { ...QUIET, ...given }).velocity24h, expected)
  assert.equal(contextTrust(context, { ...QUIET, cluster: 9 }).clusterSize, 9)
})

test("time since the sign-up is the request's own, else the recorded one, and none for a sign-up", () => {
  const seconds = (
    event: "sign-up" | "login" | "transaction" | "other",
    signup_at: string | null,
  ) => contextTrust(readContext({ event, signup_at }, NOW), QUIET).signupToActionSec
  const at = new Date(NOW - 5500).toISOString()
  for (const event of ["login", "transaction", "other"] as const) {
    assert.equal(seconds(event, at), 5)
    assert.equal(seconds(event, null), 7)
  }
  assert.equal(seconds("sign-up", at), undefined)
  assert.equal(seconds("sign-up", null), undefined)
  const unknown = { ...QUIET, firstSignupSeconds: null }
  assert.equal(contextTrust(readContext({}, NOW), unknown).signupToActionSec, undefined)
})

test("counters that cannot be asked leave velocity unknown, not zero, and what the request says stands", () => {
  const given = { event: "login", anomaly: 0.5, signup_at: new Date(NOW).toISOString() } as const
  assert.deepEqual(contextTrust(readContext(given, NOW), null), {
    velocity24h: undefined,
    clusterSize: undefined,
    signupToActionSec: 0,
    anomaly: 0.5,
    counted: false,
    explained: { event: "login", counted: false, signups_24h: null, signup_known_by: "request" },
  })
})

function opened(counters: Parameters<typeof openVelocityOfContext>[0]["counters"]) {
  const counted = { unavailable: 0, dropped: 0 }
  const lines: string[] = []
  const velocity = openVelocityOfContext({
    counters,
    secrets,
    log: openLog("info", { write: (line: string) => void lines.push(line) }),
    metrics: {
      countVelocityFailed() {
        counted.unavailable++
      },
      countSignupsDropped(count) {
        counted.dropped += count
      },
    },
  })
  return { velocity, counted, lines }
}

async function signUp(velocity: VelocityOfContext, email: string, device_id: string) {
  const parsed = parseEmail(email)
  assert.ok(!("fault" in parsed))
  const key = identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
  const context = readContext({ event: "signup", device_id }, NOW)
  return await velocity.compare({ parsed, key }, context, 1)
}

test("a failure is counted and logged without a word of the request, and is no exception", async () => {
  const { velocity, counted, lines } = opened({
    velocity: async () => Promise.reject(new Error("canary.message")),
  })
  const trust = await signUp(velocity, "canary@mail.example", "canary-device")
  assert.equal(trust.counted, false)
  assert.equal(trust.velocity24h, undefined)
  assert.deepEqual(counted, { unavailable: 1, dropped: 0 })
  assert.match(lines.join(""), /velocity could not be asked for/)
  assert.doesNotMatch(lines.join(""), /canary/)
})

test("sign-ups that find no room are counted", async () => {
  const { velocity, counted } = opened(
    embeddedCounters({
      now: () => NOW,
      elapsed: () => NOW,
      bounds: { entriesMax: 100, membersMax: 2 },
    }),
  )
  for (const name of ["a", "b", "c"]) await signUp(velocity, `${name}@mail.example`, "d")
  assert.deepEqual(counted, { unavailable: 0, dropped: 1 })
  assert.equal((await signUp(velocity, "a@mail.example", "d")).velocity24h, 2)
})
