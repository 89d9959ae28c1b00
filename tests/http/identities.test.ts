import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { after, test } from "node:test"
import type { EmailRiskResult } from "@assay/core/contract"
import {
  ACTIONS,
  assessEmail,
  type Band,
  bandOf,
  type EmailInput,
  emailModels,
  STAGES,
} from "@assay/core/score"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import { openApplication } from "./application.ts"
import { seed } from "./identities/evidence.ts"
import { identities, type Identity } from "./identities/identities.ts"

/** The answer of a version to each identity when the file was last reviewed, by name. */
function committed(version: string): Readonly<Record<string, EmailRiskResult>> {
  const file = join(import.meta.dirname, "identities", `bodies-${version}.json`)
  return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, EmailRiskResult>>
}
const expected = committed("1.1")
/** What 1.0 answered before there was another version. */
const before = committed("1.0")

const nowMs = Date.UTC(2026, 10, 14, 15, 30)
const observed = new Map(
  identities.map(({ email, seenAs, seen = [] }) => [seenAs ?? email, seen] as const),
)
// The alias has no evidence of its own: it is asked about a mailbox that has.
observed.delete("carlanovak@gmail.com")
const app = await openApplication({
  nowMs,
  seed: (index, secrets) => seed(observed, index, secrets, nowMs),
})
after(() => app.close())

async function posted(path: string, body: object, status: number): Promise<unknown> {
  const response = await app.post(path, body)
  assert.equal(response.status, status, await response.clone().text())
  return await response.json()
}

const prepared = new Set<Identity>()
/** Everything that happened to the identity before it is asked about, once. */
async function prepare(identity: Identity): Promise<void> {
  if (prepared.has(identity)) return
  prepared.add(identity)
  for (const { outcome, daysAgo } of identity.feedback ?? []) {
    const occurred_at = new Date(nowMs - daysAgo * DAY_MS).toISOString()
    await posted("/api/v1/feedback", { email: identity.email, outcome, occurred_at }, 202)
  }
  for (const [n, email] of (identity.signUpsBefore ?? []).entries()) {
    const occurred_at = new Date(nowMs - (n + 1) * 60_000).toISOString()
    const context = { event: "sign-up", occurred_at, device_id: "device of the ring" }
    await posted("/api/v1/risk/score", { email, context }, 200)
  }
}

for (const identity of identities) {
  const { name, email, context } = identity
  test(`${name}: answered as committed, and the explained input gives the same answer`, async () => {
    await prepare(identity)
    const request = { email, ...(context && { context }) }
    const body = (await posted("/api/v1/risk/score", request, 200)) as EmailRiskResult
    assert.deepEqual(body, expected[name])

    const explained = (await posted(
      "/api/v1/risk/score?explain=true",
      request,
      200,
    )) as EmailRiskResult & { explanation: { input: EmailInput; matched: string | null } }
    const { explanation, ...plain } = explained
    assert.deepEqual(plain, body)
    assert.equal(body.model_version, "1.1")
    assert.deepEqual({ email, ...assessEmail(explanation.input, emailModels["1.1"]) }, body)
    assert.equal(
      JSON.stringify({ email, ...assessEmail(explanation.input, emailModels["1.0"]) }),
      JSON.stringify(before[name]),
    )
    if (email.includes("+")) assert.equal(explanation.matched, "mailbox")
  })
}

test("together they reach every stage, band and action, and are as many as were committed", () => {
  const bodies = Object.values(expected)
  assert.equal(bodies.length, 24)
  assert.deepEqual(
    new Set(bodies.map((body) => body.threat_stage)),
    new Set(STAGES.map(({ name }) => name)),
  )
  assert.deepEqual(new Set(bodies.map((body) => body.recommended_action)), new Set(ACTIONS))
  const bands = new Set<Band>(bodies.map((body) => bandOf(body.risk_score)))
  assert.deepEqual(bands, new Set<Band>(["low", "elevated", "high", "critical"]))
})
