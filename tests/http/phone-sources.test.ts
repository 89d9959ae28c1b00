import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import type { PhoneRiskResult } from "@assay/core/contract"
import { assessPhone, type PhoneExplanation } from "@assay/core/score"
import type { TenantSettings } from "../../packages/server/src/accounts/tenant-settings.ts"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { embeddedCounters } from "../../packages/stores/src/embedded/counters.ts"
import type { SignalQuestion } from "../../packages/server/src/score/providers/phone-signals.ts"
import type {
  SignalName,
  SignalResult,
  SignalValues,
} from "../../packages/server/src/score/providers/signals.ts"
import { DAY_MS, HOUR_MS } from "../../packages/runtime/src/time.ts"
import { type Application, type Change, openApplication } from "./application.ts"

const NOW = Date.UTC(2026, 10, 14, 15)
const PHONE = "+12015550123"
const iso = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR_MS).toISOString()

interface Explained extends Omit<PhoneRiskResult, "explanation"> {
  readonly explanation: PhoneExplanation & {
    readonly signals: { readonly state: string; readonly results: readonly unknown[] }
    readonly context?: Readonly<Record<string, unknown>>
  }
}

function answered<Name extends SignalName>(signal: Name, value: SignalValues[Name]): SignalResult {
  return { signal, status: "ok", value, source: "camara:one", observedAt: iso(0) }
}

/** The application with a desk that answers at once and remembers what it was asked. */
async function opened(
  t: TestContext,
  {
    results = [],
    settings = { providers: true },
    ...change
  }: Change & {
    readonly results?: readonly SignalResult[]
    readonly settings?: TenantSettings
  } = {},
): Promise<{ application: Application; asked: SignalQuestion[] }> {
  const asked: SignalQuestion[] = []
  const application = await openApplication({
    nowMs: NOW,
    signals: {
      async look(question) {
        asked.push(question)
        return { state: "asked", results }
      },
    },
    ...change,
  })
  t.after(() => application.close())
  await application.records.setTenantSettings({ tenantId: 1, settings, at: NOW, actor: "test" })
  return { application, asked }
}

async function scored(application: Application, context?: object): Promise<Explained> {
  const response = await application.post("/api/v1/phone-risk?explain=true", {
    phone_number: PHONE,
    ...(context && { context }),
  })
  const body = (await response.json()) as Explained
  assert.equal(response.status, 200, JSON.stringify(body))
  const { phone_number: _, explanation, ...answer } = body
  assert.deepEqual(answer, assessPhone(explanation.input, currentModels.phone))
  return body
}

test("a number leaves the machine only where the tenant itself allows it", async (t) => {
  const { application, asked } = await opened(t, { settings: {} })
  const { explanation } = await scored(application)
  assert.equal(explanation.signals.state, "not_allowed")
  assert.match(explanation.notes.join(), /were not asked/)
  assert.deepEqual(asked, [])
})

test("providers are asked under the tenant's key and cap, since the last proof that anybody gave", async (t) => {
  const settings = { providers: true, provider_daily_cap: 2.5 }
  const { application, asked } = await opened(t, { settings })
  await scored(application)
  await scored(application, { last_verified_at: iso(100) })
  const feedback = { phone_number: PHONE, outcome: "ownership_verified", occurred_at: iso(50) }
  assert.equal((await application.post("/api/v1/feedback", feedback)).status, 202)
  await scored(application, { last_verified_at: iso(100) })
  await scored(application, { last_verified_at: iso(10) })
  assert.deepEqual(
    asked.map(({ sinceMs }) => sinceMs),
    [null, NOW - 100 * HOUR_MS, NOW - 50 * HOUR_MS, NOW - 10 * HOUR_MS],
  )
  const { key, sinceMs: _, ...question } = asked[0] as SignalQuestion
  assert.deepEqual(question, {
    tenantId: 1,
    e164: PHONE,
    region: "US",
    tenantCapMicros: 2_500_000,
  })
  assert.match(key, /^[0-9a-f]{32}$/)
  assert.equal(new Set(asked.map((each) => each.key)).size, 1)
})

test("what providers say is in the answer, its explanation and nothing but the recorded input", async (t) => {
  const { application } = await opened(t, {
    results: [
      answered("sim_change", { at: iso(5) }),
      answered("roaming", { roaming: true, country: "SE" }),
      answered("tenure", { atLeastDays: 730, lessThanDays: null, contract: "prepaid" }),
      answered("line_type", "voip_fixed"),
      { signal: "active", status: "timeout", source: "twilio", observedAt: iso(0) },
    ],
  })
  const answer = await scored(application)
  assert.equal(answer.sim_swap_risk, "high")
  assert.equal(answer.sim_change_window, "5h")
  assert.equal(answer.number_type, "voip_fixed")
  const { explanation } = answer
  const codes = explanation.contributions.map(({ code }) => code)
  assert.ok(codes.includes("SIM_CHANGED") && codes.includes("COUNTRY_MISMATCH"))
  assert.equal(explanation.signals.state, "asked")
  assert.equal(explanation.signals.results.length, 5)
  assert.ok(
    explanation.notes.includes("State of the line not available from twilio: no answer in time"),
  )
  assert.ok(!JSON.stringify(explanation).includes(PHONE.slice(1)))
})

test("providers that fail leave the answer that is given without them, and it says that SIM history was not available", async (t) => {
  const statuses = [
    "no_coverage",
    "not_found",
    "not_applicable",
    "consent_required",
    "unauthorized",
    "rate_limited",
    "timeout",
    "error",
  ] as const
  const without = await scored((await opened(t, { results: [] })).application)
  for (const status of statuses) {
    const failed: SignalResult = {
      signal: "sim_change",
      status,
      source: "camara:one",
      observedAt: iso(0),
    }
    const answer = await scored((await opened(t, { results: [failed] })).application)
    assert.deepEqual(answer.explanation.input, without.explanation.input, status)
    assert.equal(answer.sim_swap_risk, "low")
    assert.ok(answer.risk_reasons.includes("SIM history was not available"))
    assert.match(answer.explanation.notes.join(), /SIM change not available from camara:one/)
  }
})

test("counters that fail leave the accounts of a number unknown, never zero, and the rest of the context stands", async (t) => {
  let away = false
  const counters = embeddedCounters({ now: () => NOW, elapsed: () => NOW })
  const { application } = await opened(t, {
    counters: {
      ...counters,
      velocity: (event) =>
        away ? Promise.reject(new Error("counters are away")) : counters.velocity(event),
    },
  })
  const context = { account_id: "a", last_verified_at: iso(24) }
  const counted = await scored(application, context)
  assert.equal(counted.explanation.input.accounts24h, 1)
  away = true
  const { explanation } = await scored(application, context)
  assert.equal(explanation.input.accounts24h, undefined)
  assert.equal(explanation.coverage.context, 0)
  assert.deepEqual(explanation.context, {
    event: "other",
    counted: false,
    accounts_24h: null,
    verification_known_by: "request",
  })
  assert.ok(explanation.notes.includes("Accounts that use the number could not be counted"))
  assert.ok(!counted.explanation.notes.some((note) => note.includes("counted")))
  assert.equal(explanation.input.verifiedAge, (24 * HOUR_MS) / DAY_MS)
  assert.match(await application.metrics(), /velocity\w*_total 1/)
})
