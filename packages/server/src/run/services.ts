import type { CallerOf } from "../accounts/caller-of.ts"
import type { Callers } from "../accounts/callers.ts"
import type { Limits } from "../accounts/limits.ts"
import type { Config } from "../base/config.ts"
import type { Metrics } from "../base/metrics.ts"
import type { WriterPort } from "../base/writer-port.ts"
import type { Pressure } from "../health/pressure.ts"
import type { Log } from "@assay/runtime/log"
import type { FeatureServices } from "./features.ts"

/** What every request passes. */
export interface HttpServices {
  readonly config: Pick<Config, "requestSeconds" | "streamIdleSeconds">
  readonly log: Log
  readonly callers: Callers
  readonly callerOf: CallerOf
  readonly limits: Limits
  readonly metrics: Metrics
  readonly pressure: Pick<Pressure, "isHigh">
  /** How long callers over a limit, or without a key, wait for their answer. */
  readonly refusalMs: number
}

/** All that the routes use. Everything in it is real, in tests too. */
export type Services = HttpServices & FeatureServices

/** Reaches the writer of a feature, which is in another process or in this one. */
export type Reach = <P>(port: WriterPort<P>) => P
