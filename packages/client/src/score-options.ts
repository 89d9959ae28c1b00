import type { CallOptions } from "./request.ts"

export interface ScoreOptions extends CallOptions {
  /** Adds `explanation`: what the score was made from and how each part moved it. */
  readonly explain?: boolean
}
