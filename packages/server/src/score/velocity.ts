import type { Log } from "@assay/runtime/log"
import type { Metrics } from "../base/metrics.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { ContextEvent, Counters, Velocity } from "@assay/stores/counters"
import type { Context } from "./context.ts"
import { type ContextIdentity, openContextNames } from "./context-names.ts"

export interface VelocityOfContext {
  /**
   * Compares an event with the tenant's sign-ups of the last 24 hours, and records it if it is a
   * sign-up. Never throws: if the counters do not answer, velocity stays unknown.
   */
  compare(
    identity: ContextIdentity,
    context: Context,
    tenantId: number | null,
  ): Promise<ContextTrust>
}

export interface VelocityOptions {
  readonly counters: Pick<Counters, "velocity">
  readonly secrets: Secrets
  readonly log: Log
  readonly metrics: Pick<Metrics, "countVelocityFailed" | "countSignupsDropped">
}

export function openVelocityOfContext(options: VelocityOptions): VelocityOfContext {
  const nameContext = openContextNames(options.secrets.subkeys.context)
  return {
    async compare(identity, context, tenantId) {
      const event = () => nameContext(identity, context, tenantId)
      return contextTrust(context, await askVelocity(event, options))
    },
  }
}

/** Never rejects: null where the counters could not be asked, which is not the same as none. */
export async function askVelocity(
  event: () => ContextEvent,
  { counters, log, metrics }: VelocityOptions,
): Promise<Velocity | null> {
  try {
    const velocity = await counters.velocity(event())
    if (velocity.dropped > 0) metrics.countSignupsDropped(velocity.dropped)
    return velocity
  } catch (error) {
    log.warn("velocity could not be asked for", { error })
    metrics.countVelocityFailed()
    return null
  }
}

/** What a context says to the scorer. `velocity` is null where the counters could not be asked. */
export function contextTrust(context: Context, velocity: Velocity | null): ContextTrust {
  const signup = signupOf(context, velocity)
  return {
    velocity24h:
      velocity === null
        ? undefined
        : Math.max(velocity.device ?? 0, velocity.network ?? 0, velocity.mailbox),
    clusterSize: velocity?.cluster ?? undefined,
    signupToActionSec: signup === null ? undefined : signup.secondsAgo,
    anomaly: context.anomaly ?? undefined,
    counted: velocity !== null,
    explained: {
      event: context.event,
      counted: velocity !== null,
      signups_24h:
        velocity === null
          ? null
          : {
              device: velocity.device,
              network: velocity.network,
              mailbox: velocity.mailbox,
              cluster: velocity.cluster,
            },
      signup_known_by: signup?.knownBy ?? null,
    },
  }
}

/** How long ago the account was made. A sign-up is not an action after itself. */
function signupOf(
  { event, atMs, signupAtMs }: Context,
  velocity: Velocity | null,
): { readonly secondsAgo: number; readonly knownBy: "request" | "record" } | null {
  if (event === "sign-up") return null
  if (signupAtMs !== null)
    return { secondsAgo: Math.floor((atMs - signupAtMs) / 1000), knownBy: "request" }
  const recorded = velocity?.firstSignupSeconds ?? null
  if (recorded === null) return null
  return { secondsAgo: Math.floor(atMs / 1000) - recorded, knownBy: "record" }
}

/** What the request's `context` and this tenant's last 24 hours say. */
export interface ContextTrust {
  readonly velocity24h: number | undefined
  readonly clusterSize: number | undefined
  readonly signupToActionSec: number | undefined
  readonly anomaly: number | undefined
  /** False where the counters could not be asked: velocity is then unknown, not zero. */
  readonly counted: boolean
  /** For the explanation. */
  readonly explained: Readonly<Record<string, unknown>>
}
