import type { IdentityType } from "@assay/core/identity"
import { monthOf } from "@assay/runtime/time"

/** A stored decision: enough to compute its answer again, and nothing that names anyone. */
export interface Decision {
  /** Unique, and in the order of `at`. */
  id: string
  /** Epoch milliseconds, also part of the id. */
  at: number
  tenantId: number | null
  keyId: string
  identityType: IdentityType
  /** 16 bytes of a keyed hash. */
  identityKey: Uint8Array
  modelVersion: string
  /** Hash of the tenant's own fit, null for the model as published. */
  calibration: string | null
  score: number
  /** Of an e-mail: stage and confidence. */
  stage: string | null
  confidence: string | null
  action: string
  /** The scorer's input document, to the byte as it was written. */
  input: string
  /**
   * How `input` is written: `DECISION_FORMAT`, JSON as text, or `ERASED_FORMAT`: nothing but the id
   * is left.
   */
  format: number
  /** What the tenant's second policy would have answered; null where none was set. */
  shadow: ShadowAnswer | null
}

/** What a policy that does not act made of the same request. */
export interface ShadowAnswer {
  /** Of the tenant's shadow, see `records-shadows.ts`. */
  version: number
  score: number
  /** Of an e-mail. */
  stage: string | null
  action: string
}

export const DECISION_FORMAT = 1
export const ERASED_FORMAT = 0

/** What an erased decision has in place of what it had; id, moment, tenant and key stay. */
export const ERASED = {
  identityKey: new Uint8Array(),
  modelVersion: "",
  calibration: null,
  score: 0,
  stage: null,
  confidence: null,
  action: "",
  input: "",
  format: ERASED_FORMAT,
  shadow: null,
} as const

/** Which decisions are meant; a member that is left out leaves none out. */
export interface DecisionFilter {
  tenantId?: number
  identityType?: IdentityType
  stage?: string
  action?: string
  /** The lowest and the highest score; a band is a pair of them. */
  scores?: readonly [lowest: number, highest: number]
  identityKey?: Uint8Array
  /** Of the request they were made for, see `requestTagOf`. */
  requestTag?: string
  /** Epoch milliseconds: not made before this moment. */
  from?: number
  /** Epoch milliseconds: made before this moment. */
  until?: number
}

export interface DecisionQuery extends DecisionFilter {
  tenantId: number
  /** Only decisions with an id before this one. */
  before?: string
  /** Only decisions with an id after this one, or all for an empty text, and the oldest first. */
  after?: string
  /** Whether what is left of erased ones is in the list too. */
  erased?: boolean
  limit: number
}

/** Some of a tenant's decisions, from a moment on. */
export interface DecisionPart {
  tenantId: number
  /** Epoch milliseconds. */
  from: number
  /** Only decisions with an id before this one. */
  before?: string
}

/** How many decisions had an outcome and a score. */
export interface OutcomeCount {
  identityType: IdentityType
  stage: string | null
  action: string
  score: number
  count: number
}

export interface CountedPart {
  counts: OutcomeCount[]
  /** What is older than this id is not counted yet: `before` of the next part; null: nothing is. */
  next: string | null
}

/** Reads decisions; failures are `RecordsError`. */
export interface PastDecisions {
  /** Also returns the rest of an erased one: its format marks it as erased. */
  find(id: string): Promise<Decision | null>
  /**
   * Of one tenant, without erased ones unless they are asked for: the newest first, or with `after`
   * the oldest.
   */
  list(query: DecisionQuery): Promise<Decision[]>
  /** Counts the newest decisions of a part, without erased ones: a few thousand at a time. */
  count(part: DecisionPart): Promise<CountedPart>
}

/** Decisions of all tenants, from a moment on. */
export interface IdentitiesPart {
  /** Epoch milliseconds. */
  from: number
  /** Only decisions with an id before this one. */
  before: string
}

export interface DecidedIdentities {
  /** 16 bytes for each decision, one after the other, in no order. */
  keys: Uint8Array
  /** What is older than this id is not read yet: `before` of the next part; null: nothing is. */
  next: string | null
}

export interface DecisionsReader extends PastDecisions {
  /**
   * Whom the newest decisions of a part are about, once for every decision, without erased ones:
   * some ten thousand at a time.
   */
  identities(part: IdentitiesPart): Promise<DecidedIdentities>
  close(): Promise<void>
}

/**
 * Every decision, apart by month, so that old ones go as whole files or tables. What a promise
 * acknowledged is on disk.
 */
export interface Decisions extends DecisionsReader {
  /**
   * Adding a decision again changes nothing, so that a journal may be read twice. Each month all or
   * none.
   */
  add(decisions: readonly Decision[]): Promise<void>
  /**
   * Deletes the decisions made before this UTC day, YYYY-MM-DD, and returns how many those were.
   */
  forgetBefore(day: string): Promise<number>
  /** Every decision, erased ones too, in the order of ids: the first `limit` after `after`. */
  page(of: { after: string | null; limit: number }): Promise<Decision[]>
  /** About an identity, of one tenant or of all, the newest first. */
  ofIdentity(query: {
    identityKey: Uint8Array
    tenantId: number | null
    limit: number
  }): Promise<Decision[]>
  /**
   * Empties the decisions about an identity up to a moment, of one tenant or of all, and returns
   * how many there were. Their ids stay, so that a request for one can be answered as erased, and
   * so that no journal brings one back.
   */
  eraseIdentity(erasure: DecisionErasure): Promise<number>
}

export interface DecisionErasure {
  readonly identityKey: Uint8Array
  readonly tenantId: number | null
  /** Epoch milliseconds; later decisions are kept. */
  readonly upTo: number
}

export function byMonth(decisions: readonly Decision[]): Map<string, Decision[]> {
  return Map.groupBy(decisions, ({ at }) => monthOf(at))
}
