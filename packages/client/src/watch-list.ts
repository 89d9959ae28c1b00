import {
  WATCH_LIST_MAX,
  type WatchedDomain,
  type WatchList,
  type WatchListAdded,
  type WatchListRemoval,
  type WatchListRemoved,
  type WatchListRequest,
} from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import type { Send } from "./sent.ts"

/**
 * Identities whose changes of risk are events. All need the scope `watchlist:write`, reject whatever
 * `failover` says, and may be sent again.
 */
export interface WatchListCalls {
  /**
   * Watches any number of identities, in as few requests as the service allows, one after the other.
   * If one is refused, those of earlier requests stay watched, and adding all again changes nothing.
   */
  add(identities: WatchListRequest, options?: CallOptions): Promise<WatchListAdded>
  /** Ends watching, by identity, by domain or by ref. */
  remove(what: WatchListRemoval, options?: CallOptions): Promise<WatchListRemoved>
  /** A page of items, the newest first. */
  list(filter?: WatchListFilter, options?: CallOptions): Promise<WatchList>
}

export interface WatchListFilter {
  readonly ref?: string
  /** The `next` of the page before. */
  readonly before?: string
  readonly limit?: number
}

const PATH = "/watchlist"
const repeatable = true

export function watchListCalls(send: Send): WatchListCalls {
  return {
    async add({ emails = [], phone_numbers: phones = [], domains: named = [] }, options) {
      let added = 0
      let existed = 0
      const refs: { emails: string[]; phone_numbers: string[] } = { emails: [], phone_numbers: [] }
      const domains: WatchedDomain[] = []
      const parts: WatchListRequest[] = [
        ...portions(emails).map((some) => ({ emails: some })),
        ...portions(phones).map((some) => ({ phone_numbers: some })),
        // There may be fewer than a request takes.
        ...(named.length === 0 ? [] : [{ domains: named }]),
      ]
      for (const body of parts) {
        const sent = { body, options, repeatable }
        const part = await send<WatchListAdded>("POST", PATH, "added", sent)
        added += part.added
        existed += part.already_existed
        refs.emails.push(...part.refs.emails)
        refs.phone_numbers.push(...part.refs.phone_numbers)
        domains.push(...part.domains)
      }
      return { added, already_existed: existed, refs, domains }
    },
    remove: (body, options) => send("DELETE", PATH, "deleted", { body, options, repeatable }),
    list: ({ limit, ...filter } = {}, options) =>
      send(
        "GET",
        `${PATH}${query({ ...filter, ...(limit === undefined ? {} : { limit }) })}`,
        "items",
        { options },
      ),
  }
}

function portions<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / WATCH_LIST_MAX)
  return Array.from({ length: count }, (_, n) =>
    all.slice(n * WATCH_LIST_MAX, (n + 1) * WATCH_LIST_MAX),
  )
}
