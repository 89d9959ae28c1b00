/** One suite per file: a file sealed to keys of both would be as weak as the weaker. */
export type Suite = "x25519" | "pq"

/** The keys messages are sealed to, in the order of their file. */
export interface Recipients {
  readonly suite: Suite
  readonly keys: readonly string[]
}
