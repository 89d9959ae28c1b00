import { dayOf } from "@assay/runtime/time"
import type { PhoneSignals, SignalLookup, SignalQuestion } from "./phone-signals.ts"
import { SIGNAL_NAMES, type SignalName, type SignalResult, type SignalStatus } from "./signals.ts"
import { keepMs } from "./keep-times.ts"
import type { Clock, ProviderCalls } from "./provider-calls.ts"
import { openSignalCache } from "./signal-cache.ts"

export interface AskProvidersOptions {
  /** In the order in which they are asked. */
  readonly providers: readonly ProviderCalls[]
  /** Time an answer waits for all of them together. */
  readonly budgetMs: number
  readonly answersMax: number
  readonly clock: Clock
}

/**
 * The one place of a machine that asks providers: what one request paid for is there for the next.
 */
export interface ProviderAsker extends SignalLookup {
  /** Drops what is remembered of an identity, because it has just changed. */
  forget(key: string): void
  /** Drops everything that is remembered. */
  forgetAll(): void
  /** Ends calls under way. From here on nobody is asked. */
  close(): void
}

/** A signal of one number on its way, for however many requests of the tenant wait for it. */
interface Asking {
  readonly signal: SignalName
  readonly slot: string
  /** Those that can be asked, in order, and whose turn it is. */
  readonly capable: readonly ProviderCalls[]
  turn: number
  readonly answer: Promise<SignalResult>
  readonly settle: (result: SignalResult) => void
}

/** Statuses by which a provider says that it cannot speak for the number; another may. */
const FOR_ANOTHER: ReadonlySet<SignalStatus> = new Set([
  "no_coverage",
  "not_found",
  "not_applicable",
  "consent_required",
])

export function askProviders(options: AskProvidersOptions): ProviderAsker {
  const { providers, budgetMs, answersMax, clock } = options
  const cache = openSignalCache(answersMax)
  /** By identity key, then by slot. */
  const underWay = new Map<string, Map<string, Asking>>()

  const capableOf = (signals: Map<SignalName, ProviderCalls[]>, question: SignalQuestion): void => {
    for (const calls of providers)
      for (const signal of calls.provider.capabilities(question)) {
        const capable = signals.get(signal)
        if (capable === undefined) signals.set(signal, [calls])
        else capable.push(calls)
      }
  }

  const begin = (
    key: string,
    slot: string,
    signal: SignalName,
    capable: readonly ProviderCalls[],
  ): Asking => {
    const { promise: answer, resolve: settle } = Promise.withResolvers<SignalResult>()
    const asking = { signal, slot, capable, turn: 0, answer, settle }
    const ofKey = underWay.get(key)
    if (ofKey === undefined) underWay.set(key, new Map([[slot, asking]]))
    else ofKey.set(slot, asking)
    return asking
  }

  const end = (key: string, asking: Asking, result: SignalResult): void => {
    asking.settle(result)
    const ofKey = underWay.get(key)
    // Forgotten meanwhile: an answer from before a change must not be remembered after it.
    if (ofKey?.get(asking.slot) !== asking) return
    ofKey.delete(asking.slot)
    if (ofKey.size === 0) underWay.delete(key)
    const keptMs = keepMs(result)
    if (keptMs > 0) cache.set(key, asking.slot, result, clock.now(), keptMs)
  }

  /**
   * Asks for each signal whose turn it is. Goes on after the budget: the answer is there for the
   * next request.
   */
  function ask(question: SignalQuestion, askings: readonly Asking[]): void {
    for (const [calls, asked] of Map.groupBy(askings, turnOf))
      for (const together of calls.provider.calls(asked.map(({ signal }) => signal))) {
        const ofCall = asked.filter(({ signal }) => together.includes(signal))
        void askTogether(question, calls, ofCall)
      }
  }

  async function askTogether(
    question: SignalQuestion,
    calls: ProviderCalls,
    askings: readonly Asking[],
  ): Promise<void> {
    const results = await calls.ask(
      question,
      askings.map(({ signal }) => signal),
    )
    const forAnother: Asking[] = []
    results.forEach((result, at) => {
      const asking = askings[at] as Asking
      if (FOR_ANOTHER.has(result.status) && asking.turn + 1 < asking.capable.length) {
        asking.turn++
        forAnother.push(asking)
      } else end(question.key, asking, result)
    })
    ask(question, forAnother)
  }

  async function inTime(waiting: readonly Asking[]): Promise<SignalResult[]> {
    const { promise: over, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(resolve, budgetMs, null)
    const heard = await Promise.all(waiting.map(({ answer }) => Promise.race([answer, over])))
    clearTimeout(timer)
    return heard.map((result, at) => result ?? late(waiting[at] as Asking))
  }

  const late = (asking: Asking): SignalResult => {
    const { provider, metrics } = turnOf(asking)
    metrics.countLate()
    return {
      signal: asking.signal,
      status: "timeout",
      source: provider.id,
      observedAt: clock.date(),
    }
  }

  return {
    async look(question): Promise<PhoneSignals> {
      const nowMs = clock.now()
      const signals = new Map<SignalName, ProviderCalls[]>()
      capableOf(signals, question)
      const results: SignalResult[] = []
      const waiting: Asking[] = []
      const fresh: Asking[] = []
      for (const signal of SIGNAL_NAMES) {
        const capable = signals.get(signal)
        if (capable === undefined) continue
        if (signal === "recycled" && question.sinceMs === null) {
          results.push(withoutDate(turnOf({ capable, turn: 0 }).provider.id, clock.date()))
          continue
        }
        const slot = slotOf(question, signal)
        const known = cache.get(question.key, slot, nowMs)
        if (known !== undefined) {
          results.push(known)
          continue
        }
        const asking = underWay.get(question.key)?.get(slot)
        if (asking === undefined) fresh.push(begin(question.key, slot, signal, capable))
        waiting.push(asking ?? (fresh.at(-1) as Asking))
      }
      ask(question, fresh)
      if (waiting.length > 0) results.push(...(await inTime(waiting)))
      return { state: "asked", results }
    },
    forget(key) {
      cache.forget(key)
      underWay.delete(key)
    },
    forgetAll() {
      cache.forgetAll()
      underWay.clear()
    },
    close() {
      for (const calls of providers) calls.close()
    },
  }
}

function turnOf({ capable, turn }: Pick<Asking, "capable" | "turn">): ProviderCalls {
  return capable[turn] as ProviderCalls
}

/**
 * Answers belong to the tenant who paid. Whether a number was recycled also depends on the date
 * asked about.
 */
function slotOf({ tenantId, sinceMs }: SignalQuestion, signal: SignalName): string {
  const since = signal === "recycled" && sinceMs !== null ? `@${dayOf(sinceMs)}` : ""
  return `${tenantId}:${signal}${since}`
}

/** "Recycled" has no meaning without a since, so nobody is asked, and paid, for it. */
function withoutDate(source: string, observedAt: string): SignalResult {
  return {
    signal: "recycled",
    status: "not_applicable",
    source,
    observedAt,
    providerCode: "no_date",
  }
}
