import { randomUUID } from "node:crypto"
import type { ProviderMetrics } from "./provider-metrics.ts"
import { openBreaker } from "@assay/runtime/outbound/breaker"
import { openLanes } from "@assay/runtime/outbound/lanes"
import { openRetryBudget } from "@assay/runtime/outbound/retry-budget"
import type { SignalQuestion } from "./phone-signals.ts"
import type {
  PhoneSignalProvider,
  SignalName,
  SignalRequest,
  SignalResult,
  SignalStatus,
} from "./signals.ts"
import { INVALID_DATE } from "./change-date.ts"
import { mayPass } from "./passing-faults.ts"
import type { ProviderLimits } from "./provider-limits.ts"
import { type Refusal, refused } from "./refusals.ts"
import type { Spending } from "./spending.ts"

/** The times a call needs. */
export interface Clock {
  /**
   * Milliseconds of a clock that never goes back: it times pauses and caches, and dates nothing.
   */
  readonly now: () => number
  /** The date and time, RFC 3339. */
  readonly date: () => string
}

export interface ProviderCallsOptions {
  readonly provider: PhoneSignalProvider
  /** Time a call has, a second try included. */
  readonly timeoutMs: number
  /** For tenants without a cap of their own. */
  readonly tenantCapMicros: number
  readonly spending: Spending
  readonly limits: ProviderLimits
  readonly metrics: ProviderMetrics
  readonly clock: Clock
}

/** One provider, asked within its limits and its costs. */
export interface ProviderCalls {
  readonly provider: PhoneSignalProvider
  readonly metrics: ProviderMetrics
  /** One call for all these signals, with one answer for each, in their order. Never rejects. */
  ask(question: SignalQuestion, signals: readonly SignalName[]): Promise<readonly SignalResult[]>
  /** Ends calls under way. From here on nobody is asked. */
  close(): void
}

/**
 * The window in which model 1.0 distinguishes SIM changes, and as far as carriers that answer yes
 * or no look back.
 */
const SIM_WINDOW_HOURS = 240

/** An adapter that does not heed its time limit must not hold its lane for ever. */
const GRACE_MS = 500

/**
 * Statuses that show that a provider does not work. Any other, however useless for one number,
 * shows that it does.
 */
const FAILURES: ReadonlySet<SignalStatus> = new Set(["timeout", "error", "unauthorized"])

export function openProviderCalls(options: ProviderCallsOptions): ProviderCalls {
  const { provider, timeoutMs, tenantCapMicros, spending, limits, metrics, clock } = options
  const lanes = openLanes(limits.togetherMax, limits.waitingMax)
  const breaker = openBreaker({
    failuresMax: limits.failuresMax,
    pauseMs: limits.pauseMs,
    onChange: metrics.showBreaker,
  })
  const retries = openRetryBudget(limits)
  const underWay = new Set<AbortController>()
  let pausedUntilMs = 0
  let closed = false

  const notAsked = (signals: readonly SignalName[], reason: Refusal): SignalResult[] => {
    metrics.countNotAsked(reason)
    return refused(signals, provider.id, reason, clock.date())
  }
  const obstacle = (): Refusal | null => {
    if (closed) return "stopping"
    return clock.now() < pausedUntilMs ? "paused" : null
  }

  /** Before every call, the second try included. null: paid. */
  async function pay(question: SignalQuestion, micros: number): Promise<Refusal | null> {
    const { tenantId, tenantCapMicros: ownCapMicros } = question
    const spend = {
      tenantId,
      provider: provider.id,
      micros,
      tenantCapMicros: ownCapMicros ?? tenantCapMicros,
    }
    let allowed: boolean
    try {
      allowed = await spending.spend(spend)
    } catch {
      // The status shows this and the metrics count it; the records report their own fault.
      return "not_counted"
    }
    if (!allowed) return "cost_cap"
    metrics.countCost(micros)
    return null
  }

  async function attempt(request: SignalRequest): Promise<readonly SignalResult[]> {
    retries.earn()
    const startedMs = clock.now()
    const results = complete(request.signals, await fetched(request))
    metrics.countCall(outcomeOf(results), (clock.now() - startedMs) / 1000)
    return results
  }

  /** An adapter that throws breaks its promise; its answers are then reported as missing. */
  async function fetched(request: SignalRequest): Promise<readonly SignalResult[]> {
    const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<readonly SignalResult[]>()
    let timer: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      const timedOut = request.signals.map((signal) => failed(signal, "timeout"))
      timer = setTimeout(giveUp, GRACE_MS, timedOut)
    }
    request.abort.addEventListener("abort", onAbort)
    try {
      return await Promise.race([provider.fetch(request), givenUp])
    } catch {
      return []
    } finally {
      request.abort.removeEventListener("abort", onAbort)
      clearTimeout(timer)
    }
  }

  const complete = (
    signals: readonly SignalName[],
    results: readonly SignalResult[],
  ): readonly SignalResult[] =>
    signals.map(
      (signal) =>
        results.find((result) => result.signal === signal) ?? failed(signal, "error", "no_answer"),
    )

  const failed = (
    signal: SignalName,
    status: SignalStatus,
    providerCode?: string,
  ): SignalResult => ({
    signal,
    status,
    source: provider.id,
    observedAt: clock.date(),
    ...(providerCode !== undefined && { providerCode }),
  })

  async function call(
    question: SignalQuestion,
    signals: readonly SignalName[],
  ): Promise<readonly SignalResult[]> {
    // Check again after waiting for a turn: earlier calls may have hit a limit.
    const met = obstacle() ?? (breaker.admit(clock.now()) ? null : "breaker_open")
    if (met !== null) return notAsked(signals, met)
    const micros = provider.priceMicros(signals)
    const unpaid = (await pay(question, micros)) ?? (closed ? "stopping" : null)
    if (unpaid !== null) {
      breaker.forgone()
      return notAsked(signals, unpaid)
    }
    const controller = new AbortController()
    underWay.add(controller)
    const timer = setTimeout(() => controller.abort(), timeoutMs)
    const request = requestOf(question, signals, controller.signal)
    const isOver = (): boolean => controller.signal.aborted
    let results = await attempt(request)
    if (results.every(mayPass) && !isOver() && retries.take()) {
      // Look again after the payment: nobody waits any more for a call that was aborted meanwhile.
      if ((await pay(question, micros)) === null && !isOver()) {
        metrics.countRetry()
        results = await attempt(request)
      }
    }
    clearTimeout(timer)
    underWay.delete(controller)
    judge(results)
    return results
  }

  function judge(results: readonly SignalResult[]): void {
    const nowMs = clock.now()
    if (results.some(({ status }) => status === "rate_limited"))
      pausedUntilMs = nowMs + limits.rateLimitedPauseMs
    if (results.every(isFailure)) breaker.failed(nowMs)
    else breaker.succeeded()
  }

  return {
    provider,
    metrics,
    async ask(question, signals) {
      const met = obstacle() ?? (breaker.isOpen(clock.now()) ? "breaker_open" : null)
      if (met !== null) return notAsked(signals, met)
      return (await lanes.run(() => call(question, signals))) ?? notAsked(signals, "queue_full")
    },
    close() {
      closed = true
      for (const controller of underWay) controller.abort()
      provider.close()
    },
  }
}

function isFailure({ status, providerCode }: SignalResult): boolean {
  return FAILURES.has(status) && providerCode !== INVALID_DATE
}

function requestOf(
  { e164, sinceMs }: SignalQuestion,
  signals: readonly SignalName[],
  abort: AbortSignal,
): SignalRequest {
  return {
    e164,
    signals,
    simWindowHours: SIM_WINDOW_HOURS,
    sinceDate: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    correlationId: randomUUID(),
    abort,
  }
}

/** A call's outcome: `ok` if any signal has a value, else the status of its first signal. */
function outcomeOf(results: readonly SignalResult[]): SignalStatus {
  const hasValue = results.some(({ status }) => status === "ok" || status === "partial")
  return hasValue ? "ok" : (results[0]?.status ?? "error")
}
