import type { ExposureIndex } from "./exposure-index.ts"
import type { ForgottenIdentities, ForgottenUse } from "./forgotten-identities.ts"
import type { NodeCounters, NodeCountersUse } from "./node-counters.ts"

/** Where the index is. */
export interface IndexPlace extends RemoteSettings {
  readonly dataDirectory: string
  /** Null: the index is in the data directory. */
  readonly indexUrl: string | null
}

/** The settings of an index that a URL names. */
export interface RemoteSettings {
  readonly indexName: string
  readonly indexBucketBits: number
  readonly indexTimeoutMs: number
}

/**
 * Leading bits of an identity key that name its bucket: with 2^20 buckets, 100 million identities
 * come to 95 each.
 */
export const INDEX_BUCKET_BITS = { min: 4, fallback: 20, max: 26 }

/** A kind of index that a URL can name. */
export interface IndexEngine {
  /** What ASSAY_INDEX_URL takes for it, for the message that refuses another URL. */
  readonly takes: string
  /** Null: the URL is not one of this engine's. */
  at(url: string): RemoteIndex | null
}

/** An index outside of the data directory, before it is opened. */
export interface RemoteIndex {
  /** Without `mayMake`, an index that is not there is a fault and not a reason to make one. */
  open(
    settings: RemoteSettings,
    use: { readonly readOnly: boolean; readonly mayMake: boolean },
  ): Promise<MarkedIndex>
  /** What it has for nodes that share it. An engine without has each node count for itself. */
  readonly shared?: SharedParts
  /** What puts the index at risk in how the engine is set up, one sentence each. */
  advice(settings: RemoteSettings): Promise<readonly string[]>
  /** The processes of the engine, as they see each other. */
  members(settings: RemoteSettings): Promise<readonly IndexMember[]>
}

/** A process of an engine that several make up. */
export interface IndexMember {
  /** Host and port. */
  readonly address: string
  readonly role: "primary" | "replica"
  readonly isWell: boolean
  /** Of the parts into which the engine divides all it has, how many are in its charge. */
  readonly parts: number
}

/** Beside an index that was made before. */
export interface SharedParts {
  /** Counters of all nodes together. */
  openCounters(settings: RemoteSettings, use: NodeCountersUse): Promise<NodeCounters>
  /** Tells all nodes whom to forget. */
  openForgotten(settings: RemoteSettings, use: ForgottenUse): Promise<ForgottenIdentities>
}

export interface MarkedIndex extends ExposureIndex {
  /** Differs between any two indexes, also from one made later under the same name. */
  readonly mark: string
}
