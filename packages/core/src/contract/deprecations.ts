import type { Operation } from "./rights.ts"

/** An operation that goes on working for a while. docs/versioning.md says for how long. */
export interface Deprecation {
  /** UTC day. */
  readonly since: string
  /** UTC day from which it may be gone, at least twelve months later. */
  readonly sunset: string
  /** What to use instead, in a sentence. */
  readonly instead: string
}

/** Every operation that is deprecated. Its answers and the API description say so. */
export const DEPRECATIONS: Readonly<Partial<Record<Operation, Deprecation>>> = {}
