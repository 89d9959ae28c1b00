import type { Log } from "@assay/runtime/log"

/** Has all nodes drop what they remember of an identity from elsewhere. */
export interface ForgottenIdentities {
  /**
   * Tells all nodes, which hear of it within a second or two. Rejects where that cannot be; it is
   * tried again until it is told, as long as this process runs.
   */
  tell(identity: string): Promise<void>
  close(): Promise<void>
}

export interface ForgottenUse {
  /** Called for each identity, by its key in hexadecimal, also for those that this node told of. */
  readonly onForgotten: (identity: string) => Promise<void>
  /** Some may have been missed: nothing may be remembered of anybody. */
  readonly onMissed: () => Promise<void>
  readonly log: Log
}
