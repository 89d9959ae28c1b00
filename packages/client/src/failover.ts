import type { Failure } from "./errors.ts"

/** What to do about an identity the service could not check. */
export type Failover = "throw" | "allow" | "deny" | "challenge"

const actions = { allow: "allow", deny: "block", challenge: "step_up_auth" } as const

export const FAILOVERS: readonly string[] = ["throw", ...Object.keys(actions)]

/**
 * Stands in for an answer. It has no score, no stage and no reasons, because nothing was checked.
 */
export interface FailoverAnswer<F extends Failover = Failover> {
  readonly failover: true
  /** In the words of `recommended_action` and `recommendation`. */
  readonly action: (typeof actions)[Exclude<F, "throw">]
  readonly cause: Failure
}

/**
 * What a call resolves to: with "throw" the result itself, else one of two types, which the member
 * `failover` distinguishes.
 */
export type Answer<Result, F extends Failover> = [F] extends ["throw"]
  ? Result
  : (Result & { readonly failover?: never }) | FailoverAnswer<F>

/** The answer that stands in for `failure`, or null where the failure has to reach the caller. */
export function failoverAnswer(failover: Failover, failure: Failure): FailoverAnswer | null {
  if (failover === "throw" || isRefusal(failure.status)) return null
  return { failover: true, action: actions[failover], cause: failure }
}

/**
 * The service, or something before it, read the request and turned it down. Senders can cause that
 * with what they type (too long, or what a firewall takes for an attack), so letting them pass
 * would be a way around the check. 408 and 429 say nothing about the request itself.
 */
function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
}
