import type { NewDomainWatch } from "@assay/stores/records-domain-watches"
import type { NewWatchItem, Watching } from "@assay/stores/records-watch"
import { writerPort } from "../base/writer-port.ts"

/** An identity to be watched, as the keyed hashes and values that are kept of it. */
export type WatchedIdentity = Omit<NewWatchItem, "id" | "ref"> & {
  /** null: one is made. */
  readonly ref: string | null
}

/** A domain to be watched. */
export type NamedDomain = Omit<NewDomainWatch, "id" | "ref"> & {
  /** null: one is made. */
  readonly ref: string | null
}

/** Keeps the lists of watched identities. */
export interface WatchLists {
  /** null where the tenant would watch more than it may: then none was added. */
  add(
    tenantId: number,
    identities: readonly WatchedIdentity[],
    domains: readonly NamedDomain[],
  ): Promise<Watching[] | null>
  /** How many were removed for each key, then for each domain and then for each ref. */
  remove(
    tenantId: number,
    identityKeys: readonly Uint8Array[],
    domains: readonly string[],
    refs: readonly string[],
  ): Promise<number[]>
}

export const watchPort = writerPort<WatchLists>("watch", { add: true, remove: true })
