import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import {
  aliasTag,
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  identityKeyOf,
  parseEmail,
  type ParsedEmail,
  passwordFingerprint,
} from "@assay/core/identity"
import { assessEmail, type EmailInput, emailModels } from "@assay/core/score"
import fc from "fast-check"
import { plans } from "../../accounts/plans.ts"
import { DEFAULT_SCORING } from "../../accounts/tenant-settings.ts"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import type { Entry, Row } from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import { domainTrust } from "./domain-trust.ts"
import { emailEvidence } from "./email-evidence.ts"
import { openLists } from "./lists.ts"
import { networkTrustOff } from "../network-trust.ts"

const { subkeys } = deriveSecrets(new Uint8Array(32).fill(9))
const nowMs = Date.UTC(2026, 10, 14, 15, 30)
const today = Math.floor(nowMs / DAY_MS)

interface Rules {
  key(email: ParsedEmail): IdentityKey
  alias(key: IdentityKey, email: ParsedEmail): number
  fingerprint(key: IdentityKey, password: string): number
}

const v2: Rules = {
  key: ({ canonical }) => identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, canonical),
  alias: (key, email) => aliasTag(sha256, subkeys.alias, key, email),
  fingerprint: (key, password) =>
    passwordFingerprint(sha256, subkeys.password, key, Buffer.from(password)),
}

/** The earlier rules, as decision 6 wrote them down. */
const v1: Rules = {
  key: ({ canonical }) =>
    identityKeyOf(
      sha256(subkeys.identity, Uint8Array.of(1), Buffer.from(canonical)).subarray(0, 16),
    ),
  alias: (key, { exact, canonical }) => {
    if (exact === canonical) return 0
    const [high = 0, low = 0] = sha256(subkeys.alias, key, Buffer.from(exact))
    return (high << 8) | low || 1
  },
  fingerprint: (key, password) => {
    const [first = 0, second = 0] = sha256(subkeys.password, key, Buffer.from(password))
    return (first << 4) | (second >> 4)
  },
}

const SOURCES = ["breach", "breach", "breach", "combolist", "stealer", "paste"] as const
const ADDRESSES = [
  "anna.berg@gmail.com",
  "annaberg+shop@gmail.com",
  "ANNA@example.org",
  "jürgen@bücher.example",
  "kim-x@yahoo.com",
  "x8f3qq@mailinator.com",
].map((text) => {
  const parsed = parseEmail(text)
  if ("fault" in parsed) throw new Error(parsed.detail)
  return parsed
})

const observation = fc.record({
  address: fc.nat(ADDRESSES.length - 1),
  source: fc.nat(SOURCES.length - 1),
  daysAgo: fc.integer({ min: 0, max: 4_000 }),
  password: fc.constantFrom(null, "hunter2", "correct horse", "Sommer2019"),
})
type Observed = typeof observation extends fc.Arbitrary<infer T> ? T : never

/** What the scorer is handed for each address after the observations were stored by these rules. */
async function inputs(
  t: TestContext,
  observed: readonly Observed[],
  { key, alias, fingerprint }: Rules,
): Promise<readonly { input: EmailInput; matched: string | null }[]> {
  const path = mkdtempSync(join(tmpdir(), "assay-identity-"))
  const index = await openLmdbIndex({ path })
  t.after(async () => {
    await index.close()
    rmSync(path, { recursive: true })
  })
  for (const [at, kind] of SOURCES.entries()) {
    const flags = { spamList: false, fabricated: false, sensitive: false, verified: true }
    const source = { name: `s${at}`, title: "", kind, confidence: 0.8, classes: [], flags }
    const batch = await index.openBatch(
      { ...source, eventDate: null, circulates: kind === "combolist" },
      `s${at}`,
      nowMs,
    )
    const rows = observed
      .filter((seen) => seen.source === at)
      .map(({ address, daysAgo, password }): Row => {
        const email = ADDRESSES[address] as ParsedEmail
        const identity = key(email)
        const entry: Entry = {
          kind,
          secret: password === null ? "none" : "plaintext",
          hours: (today - daysAgo) * 24,
          fingerprint: password === null ? null : fingerprint(identity, password),
          aliasTag: alias(identity, email),
          batchId: batch.id,
          item: null,
          confidence: null,
          classes: [],
          value: null,
        }
        return { key: identity, entries: [entry] }
      })
    await index.merge(batch.id, rows)
    await index.goLive(batch.id, { rows: rows.length, identities: rows.length }, nowMs)
  }
  const lists = openLists(join(path, "lists"))
  const caller = {
    keyId: "k",
    tenantId: 1,
    plan: plans.enterprise,
    scopes: new Set<never>(),
    person: null,
    shadow: null,
    ...DEFAULT_SCORING,
  }
  return await Promise.all(
    ADDRESSES.map(async (parsed) => {
      const { input, matched } = emailEvidence({
        aliasTag: alias(key(parsed), parsed),
        found: await index.lookup(key(parsed), 1),
        domain: domainTrust(parsed, lists, null, nowMs),
        network: await networkTrustOff.look(parsed.domain, nowMs),
        context: null,
        caller,
        nowMs,
      })
      return { input: inOrder(input), matched }
    }),
  )
}

/**
 * Fingerprints only show which passwords are equal, and the stored order of entries follows them.
 */
function inOrder(input: EmailInput): EmailInput {
  const exposures = [...(input.exposures ?? [])]
  const name = (one: (typeof exposures)[number]): string =>
    JSON.stringify(
      exposures
        .filter(({ pwFp }) => pwFp !== undefined && pwFp === one.pwFp)
        .map(({ pwFp: _, ...rest }) => JSON.stringify(rest))
        .sort(),
    )
  const named = exposures.map((one) => ({
    ...one,
    pwFp: one.pwFp === undefined ? undefined : name(one),
  }))
  const text = (one: object): string => JSON.stringify(one)
  return { ...input, exposures: named.sort((a, b) => (text(a) < text(b) ? -1 : 1)) }
}

test("evidence stored by identity/v1 and by identity/v2 gives the same assessment inputs and scores", async (t) => {
  const observed = fc.sample(fc.array(observation, { minLength: 60, maxLength: 60 }), {
    seed: 20_261_116,
    numRuns: 1,
  })[0] as Observed[]
  const before = await inputs(t, observed, v1)
  const after = await inputs(t, observed, v2)
  assert.deepEqual(after, before)
  for (const model of Object.values(emailModels)) {
    assert.deepEqual(
      after.map(({ input }) => assessEmail(input, model)),
      before.map(({ input }) => assessEmail(input, model)),
    )
  }
  // The sample holds the cases to compare: reused passwords, aliases, addresses without evidence of
  // their own.
  assert.ok(after.some(({ input }) => input.exposures?.some(({ pwFp }) => pwFp !== undefined)))
  assert.deepEqual(new Set(after.map(({ matched }) => matched)), new Set(["exact"]))
})

test("no key is the same by both rules", () => {
  for (const email of ADDRESSES) assert.notDeepEqual(v1.key(email), v2.key(email))
})
