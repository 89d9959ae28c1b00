import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { after, before, suite, test } from "node:test"
import type { PhoneRiskResult } from "@assay/core/contract"
import type { CarrierSettings } from "../../packages/server/src/score/providers/camara/camara-settings.ts"
import type { LineScript, TrialFault } from "../../packages/carrier/src/script.ts"
import { DAY_MS, HOUR_MS } from "../../packages/runtime/src/time.ts"
import { assay, createKey } from "../cli/assay.ts"
import { ofOneNode } from "./about-one-node.ts"
import { type Service, startService } from "./service.ts"
import { openTrialProviders } from "./trial-providers.ts"

const rememberedByOne = ofOneNode("each node remembers for itself what providers said")

/** Ranges of a carrier that answers with dates, and of one that answers yes or no. */
const DATES = "+61491570"
const CHECKS = "+61491571"

const NOT_AVAILABLE = "SIM history was not available"

interface ShownSignal {
  readonly signal: string
  readonly status: string
  readonly source: string
  readonly provider_code: string | null
  readonly observed_at: string
}

interface Explained {
  readonly answer: Omit<PhoneRiskResult, "explanation">
  readonly state: string
  readonly signals: readonly ShownSignal[]
  readonly notes: readonly string[]
}

async function explained(
  service: Service,
  key: string | null,
  phone_number: string,
  context?: object,
): Promise<Explained> {
  const response = await service.request("/api/v1/phone-risk?explain=true", {
    key,
    json: { phone_number, ...(context && { context }) },
    // Each request on a connection of its own, so that workers take turns.
    headers: { connection: "close" },
  })
  assert.equal(response.status, 200)
  const { explanation, ...answer } = (await response.json()) as PhoneRiskResult
  const { signals, notes } = explanation as {
    signals: { state: string; results: ShownSignal[] }
    notes: string[]
  }
  return { answer, state: signals.state, signals: signals.results, notes }
}

async function runAssay(service: Service, ...args: string[]): Promise<string> {
  const { out, err, code } = await assay(args, { ASSAY_DATA: service.dataDirectory })
  assert.equal(code, 0, err)
  return out.trim()
}

async function createTenant(
  service: Service,
  name: string,
  plan: "enterprise" | "free",
  ...settings: string[]
): Promise<string> {
  const key = await createKey(service, "--tenant", name, "--plan", plan)
  if (settings.length > 0) await runAssay(service, "tenants", "set", name, ...settings)
  return key
}

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

const FIRST = 400
let numbers = FIRST
/** A number of the range for stories, of which nothing is known: the demo's end in less. */
const stranger = (): string => `${DATES}${numbers++}`

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Every way a carrier can fail to answer, each at a carrier of its own: one that fails is soon not
 * asked.
 */
interface Failure {
  readonly of: string
  readonly line?: LineScript
  readonly fault?: TrialFault
  readonly carrier?: Partial<CarrierSettings>
  readonly status: string
  readonly code?: string
  /** Requests about the number at the carrier, or what they may be; 1 unless given. */
  readonly requests?: number | readonly number[]
}

const errorOf = (status: number, code: string): TrialFault => ({ kind: "error", status, code })

const FAILURES: readonly Failure[] = [
  {
    of: "takes 5 seconds",
    fault: { kind: "late", latency_ms: 5_000 },
    carrier: { timeout_ms: 500 },
    status: "timeout",
    // On a busy machine the token alone may take the time.
    requests: [0, 1],
  },
  {
    of: "does not know us any more",
    fault: errorOf(401, "UNAUTHENTICATED"),
    status: "unauthorized",
    code: "UNAUTHENTICATED",
    requests: 2,
  },
  {
    of: "takes every token for expired",
    fault: { kind: "expired_token" },
    status: "unauthorized",
    requests: 2,
  },
  {
    of: "wants consent",
    fault: errorOf(403, "PERMISSION_DENIED"),
    status: "consent_required",
    code: "PERMISSION_DENIED",
  },
  {
    of: "does not know the number",
    fault: errorOf(404, "IDENTIFIER_NOT_FOUND"),
    status: "not_found",
    code: "IDENTIFIER_NOT_FOUND",
  },
  {
    of: "does not serve the number",
    fault: errorOf(422, "SERVICE_NOT_APPLICABLE"),
    status: "no_coverage",
    code: "SERVICE_NOT_APPLICABLE",
  },
  {
    of: "was asked too often",
    fault: errorOf(429, "QUOTA_EXCEEDED"),
    status: "rate_limited",
    code: "QUOTA_EXCEEDED",
  },
  { of: "fails with a page", fault: { kind: "html", status: 500 }, status: "error" },
  {
    of: "is away for a moment and stays away",
    fault: errorOf(503, "UNAVAILABLE"),
    status: "error",
    code: "UNAVAILABLE",
    requests: 2,
  },
  { of: "answers no JSON", fault: { kind: "malformed" }, status: "error" },
  { of: "answers other types", fault: { kind: "wrong_types" }, status: "error" },
  { of: "answers nothing", fault: { kind: "empty" }, status: "error" },
  { of: "answers too much", fault: { kind: "oversized" }, status: "error" },
  { of: "sends us elsewhere", fault: { kind: "redirect" }, status: "error" },
  {
    of: "breaks off",
    fault: { kind: "truncated" },
    status: "error",
    code: "connection_failed",
    requests: 2,
  },
  {
    of: "hangs up",
    fault: { kind: "closed" },
    status: "error",
    code: "connection_failed",
    requests: 2,
  },
  {
    of: "does not say how far back it looked",
    line: { sim: { changed_at: null, history_days: "unsaid" } },
    status: "no_coverage",
  },
  {
    of: "gives a date that cannot be",
    line: { sim: { changed_at: "1900-01-01T00:00:00Z" } },
    status: "error",
    code: "invalid_date",
  },
]

suite("a service with carriers", async () => {
  const trial = await openTrialProviders()
  let service: Service
  /**
   * Tenants: may ask; may ask, on its own account; may not pay; keeps its numbers; has a plan
   * without it.
   */
  const tenants = { on: "", other: "", capped: "", off: "", free: "" }
  const failures = FAILURES.map((failure, at) => ({
    ...failure,
    name: `failing-${at}`,
    number: stranger(),
  }))
  const unreachable = stranger()

  before(async () => {
    const port = await closedPort()
    const file = trial.settings(
      [
        trial.carrierSettings("dates", [DATES]),
        trial.carrierSettings("checks", [CHECKS], {
          apis: { sim_swap: { price: 0.01, answers: "check" } },
        }),
        ...failures.map(({ name, number, carrier }) =>
          trial.carrierSettings(name, [number], carrier),
        ),
        trial.carrierSettings("no-token", [unreachable], {
          token_url: `http://127.0.0.1:${port}/token`,
        }),
      ],
      // The longest there is: no answer may depend on how busy the machine is.
      { budget_ms: 2_000 },
    )
    for (const { number, line, fault } of failures)
      trial.carrier.script(number, { ...line, ...(fault && { faults: [fault] }) })
    service = await startService({
      args: ["--workers", "2"],
      env: { ASSAY_PROVIDERS: file, ASSAY_LOG_LEVEL: "debug" },
    })
    tenants.on = await createTenant(service, "on", "enterprise", "providers=true")
    tenants.other = await createTenant(service, "other", "enterprise", "providers=true")
    tenants.capped = await createTenant(
      service,
      "capped",
      "enterprise",
      "providers=true",
      "provider_daily_cap=0.001",
    )
    tenants.off = await createTenant(service, "off", "enterprise")
    tenants.free = await createTenant(service, "free", "free", "providers=true")
  })
  after(() => service.stop())

  const bands: readonly [string, PhoneRiskResult["sim_swap_risk"], number, string][] = [
    ["an hour ago", "high", HOUR_MS, DATES],
    ["five days ago", "elevated", 5 * DAY_MS, DATES],
    ["three weeks ago", "low", 21 * DAY_MS, DATES],
    ["years ago", "none", 900 * DAY_MS, DATES],
    ["an hour ago, told as yes or no,", "high", HOUR_MS, CHECKS],
    ["five days ago, told as yes or no,", "elevated", 5 * DAY_MS, CHECKS],
  ]
  for (const [at, [when, risk, changedMs, range]] of bands.entries()) {
    test(`a SIM changed ${when} is a risk of ${risk}`, async () => {
      const number = `${range}9${at}0`
      trial.carrier.script(number, { sim: { changed_at: ago(changedMs) } })
      const { answer, state, signals } = await explained(service, tenants.on, number)
      assert.equal(state, "asked")
      assert.deepEqual(
        signals.map(({ signal, status }) => [signal, status]),
        [["sim_change", range === DATES ? "ok" : "partial"]],
      )
      assert.equal(answer.sim_swap_risk, risk)
      assert.equal(answer.sim_change_detected, risk !== "none")
      assert.ok(!answer.risk_reasons.includes(NOT_AVAILABLE))
    })
  }

  for (const { of, name, number, status, code, requests = 1 } of failures) {
    test(`a carrier that ${of} leaves the answer of a number nobody was asked about`, async () => {
      const { answer, signals, notes } = await explained(service, tenants.on, number)
      const [shown] = signals
      assert.equal(signals.length, 1)
      assert.equal(shown?.source, `camara:${name}`)
      assert.equal(shown.status, status)
      if (code !== undefined) assert.equal(shown.provider_code, code)
      assert.ok([requests].flat().includes(trial.asked(number)))
      assert.ok(answer.risk_reasons.includes(NOT_AVAILABLE))
      assert.notEqual(answer.sim_swap_risk, "none")
      assert.ok(notes.some((note) => note.includes(`camara:${name}`)))
      assert.deepEqual(answer, (await explained(service, tenants.off, number)).answer)
    })
  }

  test("without a token the number is sent to nobody", async () => {
    const { answer, signals } = await explained(service, tenants.on, unreachable)
    assert.deepEqual(
      signals.map(({ status }) => status),
      ["error"],
    )
    assert.ok(answer.risk_reasons.includes(NOT_AVAILABLE))
    assert.equal(trial.asked(unreachable), 0)
  })

  test("a number of no carrier's range is sent to nobody", async () => {
    const { answer, state, signals } = await explained(service, tenants.on, "+12015550199")
    assert.deepEqual([state, signals], ["asked", []])
    assert.ok(answer.risk_reasons.includes(NOT_AVAILABLE))
  })

  for (const tenant of ["off", "free"] as const) {
    test(`the numbers of a tenant that is ${tenant} stay here`, async () => {
      const number = stranger()
      trial.carrier.script(number, { sim: { changed_at: ago(HOUR_MS) } })
      const { answer, state, signals } = await explained(service, tenants[tenant], number)
      assert.deepEqual([state, signals], ["not_allowed", []])
      assert.ok(answer.risk_reasons.includes(NOT_AVAILABLE))
      assert.equal(trial.asked(number), 0)
    })
  }

  test("a tenant at its cap is answered without the carrier, and says why", async () => {
    const number = stranger()
    trial.carrier.script(number, { sim: { changed_at: ago(HOUR_MS) } })
    const { answer, signals } = await explained(service, tenants.capped, number)
    assert.deepEqual(
      signals.map(({ status, provider_code }) => [status, provider_code]),
      [["rate_limited", "cost_cap"]],
    )
    assert.ok(answer.risk_reasons.includes(NOT_AVAILABLE))
    assert.equal(trial.asked(number), 0)
  })

  test(
    "all workers share what was asked, and every tenant asks for itself",
    { skip: rememberedByOne },
    async () => {
      const number = stranger()
      trial.carrier.script(number, { sim: { changed_at: ago(HOUR_MS) } })
      const { answer, signals } = await explained(service, tenants.on, number)
      const again = await Promise.all(
        Array.from({ length: 8 }, () => explained(service, tenants.on, number)),
      )
      for (const each of again) {
        assert.equal(each.answer.sim_swap_risk, answer.sim_swap_risk)
        assert.equal(each.signals[0]?.observed_at, signals[0]?.observed_at)
      }
      assert.equal(trial.asked(number), 1)
      await explained(service, tenants.other, number)
      assert.equal(trial.asked(number), 2)
    },
  )

  test("a subject that is erased is asked for anew", async () => {
    const number = stranger()
    await explained(service, tenants.on, number)
    const admin = await runAssay(
      service,
      "keys",
      "create",
      "--service",
      "--scopes",
      "subjects:admin",
    )
    const erased = await service.request("/api/v1/subjects/erase", {
      key: admin,
      json: { phone_number: number, reason: "subject_request" },
    })
    assert.equal(erased.status, 200)
    await explained(service, tenants.on, number)
    assert.equal(trial.asked(number), 2)
  })

  test("calls, their outcomes, their cost and what was not asked are counted by carrier", async () => {
    const text = await (await service.request("/metrics")).text()
    const value = (line: string): number =>
      Number(
        text
          .split("\n")
          .find((each) => each.startsWith(`${line} `))
          ?.split(" ")[1],
      )
    assert.ok(value('assay_provider_calls_total{provider="camara:dates",outcome="ok"}') >= 5)
    assert.ok(value('assay_provider_cost_micros_total{provider="camara:dates"}') >= 50_000)
    assert.ok(value('assay_provider_seconds_count{provider="camara:dates"}') >= 5)
    assert.equal(
      value('assay_provider_not_asked_total{provider="camara:dates",reason="cost_cap"}'),
      1,
    )
    assert.equal(value('assay_provider_breaker_open{provider="camara:dates"}'), 0)
    assert.equal(value("assay_signals_failed_total"), 0)
  })

  test("no number, token, assertion or key is in a log, a metric or a file", async () => {
    const held = trial.carrier.requests()
    const tokens = held.map(({ headers }) => headers.authorization?.replace("Bearer ", ""))
    const assertions = held
      .filter(({ path }) => path === "/token")
      .map(({ body }) => new URLSearchParams(body).get("client_assertion"))
    const pem = trial.privateKeyPem.split("\n").filter((line) => line.length === 64)
    const secrets = [
      ...failures.map(({ number }) => number.slice(1)),
      ...Array.from({ length: numbers - FIRST }, (_, n) => `61491570${FIRST + n}`),
      ...tokens,
      ...assertions,
      ...pem,
    ].filter((secret) => typeof secret === "string")
    assert.ok(tokens.some(Boolean) && assertions.some(Boolean) && pem.length > 0)
    const assertWithout = (text: string, where: string): void => {
      for (const secret of secrets) assert.ok(!text.includes(secret), `${where} holds a canary`)
    }
    assertWithout(service.stderr(), "the log")
    assertWithout(service.stdout(), "the output")
    assertWithout(await (await service.request("/metrics")).text(), "the metrics")
    for (const entry of readdirSync(service.dataDirectory, {
      recursive: true,
      withFileTypes: true,
    })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile()) assertWithout(readFileSync(path, "latin1"), path)
    }
  })
})

suite("a service with little time for carriers", async () => {
  const trial = await openTrialProviders()
  const slow = trial.carrierSettings("slow", [DATES], { timeout_ms: 30_000 })
  const file = trial.settings([slow], { budget_ms: 50 })
  const service = await startService({ env: { ASSAY_PROVIDERS: file } })
  const key = await createTenant(service, "on", "enterprise", "providers=true")

  test(
    "an answer that is late is there for the next request",
    { skip: rememberedByOne },
    async () => {
      const number = stranger()
      const late = { kind: "late", latency_ms: 1_500 } as const
      trial.carrier.script(number, { sim: { changed_at: ago(HOUR_MS) }, faults: [late] })
      for (let answered = false; !answered;) {
        const { answer, state, signals } = await explained(service, key, number)
        answered = signals[0]?.status === "ok"
        assert.equal(answer.risk_reasons.includes(NOT_AVAILABLE), !answered)
        assert.equal(answer.sim_swap_risk, answered ? "high" : "low")
        // On a busy machine the way to the thread and back alone may take longer than the budget.
        if (!answered) assert.ok(state === "failed" || signals[0]?.status === "timeout")
      }
      assert.equal(trial.asked(number), 1)
      const metrics = await (await service.request("/metrics")).text()
      assert.match(metrics, /assay_provider_late_total\{provider="camara:slow"\} [1-9]/)
    },
  )

  test("a stop ends calls under way and does not wait for them", async () => {
    const number = stranger()
    trial.carrier.script(number, { faults: [{ kind: "late", latency_ms: 120_000 }] })
    await explained(service, key, number)
    assert.equal(await service.stop(), 0)
  })
})

test("a key that cannot be used stops the start, and is named by its place and not by its contents", async () => {
  const { carrierSettings, settings } = await openTrialProviders()
  const wrong = settings([
    carrierSettings("one", [DATES], { private_key_file: import.meta.filename }),
  ])
  await assert.rejects(startService({ env: { ASSAY_PROVIDERS: wrong } }), (error: Error) => {
    assert.match(error.message, /ASSAY_PROVIDERS names settings that cannot be used/)
    assert.ok(!error.message.includes("openTrialProviders"))
    return true
  })
})
