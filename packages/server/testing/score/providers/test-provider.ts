// A provider that is the test itself, for the tests of this folder.
import { setImmediate as turn } from "node:timers/promises"
import type {
  PhoneSignalProvider,
  SignalName,
  SignalRequest,
  SignalResult,
  SignalStatus,
} from "../../../src/score/providers/signals.ts"
import type { ProviderMetrics } from "../../../src/score/providers/provider-metrics.ts"
import type { Spend, Spending } from "../../../src/score/providers/spending.ts"

/** One call that waits for the test to answer it. */
export interface HeldCall {
  readonly request: SignalRequest
  /** The same for every signal that was asked for. */
  answer(status: SignalStatus, more?: Partial<SignalResult>): void
  answerWith(results: readonly SignalResult[]): void
  fail(error: Error): void
}

export interface HeldProvider {
  readonly provider: PhoneSignalProvider
  readonly calls: HeldCall[]
  /** The call of this number, counted from 0, once it is made. */
  call(at: number): Promise<HeldCall>
}

interface HeldOptions {
  readonly id?: string
  readonly signals?: readonly SignalName[]
  /** Those one call answers together; each signal has a call of its own unless given. */
  readonly together?: boolean
  readonly priceMicros?: number
  /** When its time is over, answers the remaining signals with `timeout`, as adapters do. */
  readonly heedsAbort?: boolean
  /**
   * Answers with this status at once instead of waiting for the test; if it has a value, "no
   * change".
   */
  readonly says?: SignalStatus
}

export const OBSERVED_AT = "2026-03-10T12:00:00.000Z"

export function resultOf(
  signal: SignalName,
  status: SignalStatus,
  source: string,
  more: Partial<SignalResult> = {},
): SignalResult {
  return { signal, status, source, observedAt: OBSERVED_AT, ...more }
}

export function holdProvider({
  id = "camara:one",
  signals = ["sim_change"],
  together = false,
  priceMicros = 10,
  heedsAbort = true,
  says,
}: HeldOptions = {}): HeldProvider {
  const calls: HeldCall[] = []
  const provider: PhoneSignalProvider = {
    id,
    ranges: null,
    capabilities: () => signals,
    calls: (asked) => (together ? [asked] : asked.map((signal) => [signal])),
    priceMicros: (asked) => priceMicros * asked.length,
    fetch: (request) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly SignalResult[]>()
      const answer: HeldCall["answer"] = (status, more) =>
        resolve(request.signals.map((signal) => resultOf(signal, status, id, more)))
      if (heedsAbort) request.abort.addEventListener("abort", () => answer("timeout"))
      if (says === "ok" || says === "partial") answer(says, { value: { none: true } })
      else if (says !== undefined) answer(says)
      calls.push({ request, answer, answerWith: resolve, fail: reject })
      return promise
    },
    check: async () => undefined,
    close: () => undefined,
  }
  return {
    provider,
    calls,
    async call(at) {
      for (;;) {
        const held = calls[at]
        if (held !== undefined) return held
        await turn()
      }
    },
  }
}

/** Allows everything by default, and records what was spent. */
export function openTestSpending(
  allows: (spend: Spend) => boolean | Promise<boolean> = () => true,
): {
  readonly spending: Spending
  readonly spent: Spend[]
} {
  const spent: Spend[] = []
  return {
    spent,
    spending: {
      async spend(spend) {
        const allowed = await allows(spend)
        if (allowed) spent.push(spend)
        return allowed
      },
    },
  }
}

/** Everything that was counted, as words in order. */
export function openTestMetrics(): {
  readonly metrics: ProviderMetrics
  readonly counted: string[]
} {
  const counted: string[] = []
  return {
    counted,
    metrics: {
      countCall: (outcome) => void counted.push(`call ${outcome}`),
      countNotAsked: (reason) => void counted.push(`not asked ${reason}`),
      countRetry: () => void counted.push("retry"),
      countCost: (micros) => void counted.push(`cost ${micros}`),
      countLate: () => void counted.push("late"),
      showBreaker: (open) => void counted.push(open ? "open" : "closed"),
    },
  }
}
