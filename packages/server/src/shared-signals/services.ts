import type { Secrets } from "@assay/runtime/secrets"
import type { Records } from "@assay/stores/records"
import type { Callers } from "../accounts/callers.ts"
import type { Limits } from "../accounts/limits.ts"
import type { Config } from "../base/config.ts"
import type { Streams } from "../http/streams.ts"
import type { Awaited } from "./poll.ts"
import type { Sets } from "./sets.ts"
import type { Tokens } from "./tokens.ts"

/** What the routes need of the service. */
export interface SharedSignalServices {
  readonly config: Pick<Config, "ssfOrigin">
  readonly sharedSignalRecords: Pick<
    Records,
    | "streams"
    | "stream"
    | "streamNotes"
    | "streamAcks"
    | "waitingEvents"
    | "leftOut"
    | "sharedKeys"
    | "eventsAfter"
    | "newestEvent"
  >
  readonly callers: Pick<Callers, "authenticate" | "ofHash">
  readonly limits: Limits
  readonly eventNews: Awaited
  readonly secrets: Secrets
  readonly streams: Streams
  readonly refusalMs: number
  readonly now: () => number
}

/** The same where it is on, with what is made of it. */
export interface OpenServices extends Omit<SharedSignalServices, "config" | "sharedSignalRecords"> {
  readonly origin: string
  readonly records: SharedSignalServices["sharedSignalRecords"]
  readonly sets: () => Sets
  readonly tokens: () => Tokens
}
