import { openAnswerCache } from "@assay/runtime/outbound/answer-cache"
import { openBreaker } from "@assay/runtime/outbound/breaker"
import { LookupFailure } from "./lookup-failure.ts"
import { openLanes } from "@assay/runtime/outbound/lanes"

/** What a provider said of a name, in the shape the explanation shows it. */
export interface Answer {
  readonly status: "answered"
}

export interface Failed {
  readonly status: "failed"
}

export const FAILED: Failed = { status: "failed" }

export interface ProbeLimits {
  readonly togetherMax: number
  readonly waitingMax: number
  readonly namesCached: number
  readonly failuresMax: number
  readonly pauseMs: number
  /**
   * A failure is kept too, briefly: a name that cannot be answered is not asked for with every
   * request.
   */
  readonly failedKeepMs: number
}

export interface ProbeOptions<T extends Answer> {
  /**
   * Asks the provider. Ends within a time of its own and throws a LookupFailure where there is no
   * answer.
   */
  readonly ask: (name: string) => Promise<T>
  readonly keepMs: (answer: T) => number
  readonly limits: ProbeLimits
  /** A clock that never goes back. */
  readonly now: () => number
  readonly onBreaker: (open: boolean) => void
}

export interface Probe<T extends Answer> {
  /**
   * At once where the answer is known or nobody is asked; otherwise when the provider has answered.
   * Never rejects.
   */
  find(name: string): T | Failed | Promise<T | Failed>
  /** From here on nobody is asked. */
  close(): void
}

/**
 * One kind of question to one provider: asked once a name however many wait for it, remembered, and
 * not too often.
 */
export function openProbe<T extends Answer>({
  ask,
  keepMs,
  limits,
  now,
  onBreaker,
}: ProbeOptions<T>): Probe<T> {
  const cache = openAnswerCache<T | Failed>(limits.namesCached)
  const lanes = openLanes(limits.togetherMax, limits.waitingMax)
  const breaker = openBreaker({ ...limits, onChange: onBreaker })
  const underWay = new Map<string, Promise<T | Failed>>()
  let closed = false

  async function askOnce(name: string): Promise<T | Failed> {
    try {
      // Check again after waiting for a turn: earlier calls may have opened the breaker.
      if (closed || !breaker.admit(now())) return FAILED
      const answer = await ask(name)
      breaker.succeeded()
      cache.set(name, answer, now(), keepMs(answer))
      return answer
    } catch (error) {
      if (error instanceof LookupFailure && error.fault === "name") breaker.succeeded()
      else breaker.failed(now())
      cache.set(name, FAILED, now(), limits.failedKeepMs)
      return FAILED
    }
  }

  return {
    find(name) {
      const nowMs = now()
      const known = cache.get(name, nowMs) ?? underWay.get(name)
      if (known !== undefined) return known
      if (closed || breaker.isOpen(nowMs)) return FAILED
      const asking = lanes.run(() => askOnce(name))
      if (asking === null) return FAILED
      underWay.set(name, asking)
      void asking.then(() => underWay.delete(name))
      return asking
    },
    close() {
      closed = true
    },
  }
}
