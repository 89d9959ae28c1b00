import {
  WATCH_LINES_MAX,
  WATCH_LIST_MAX,
  type WatchedDomain,
  type WatchList,
  type WatchListAdded,
  type WatchListLine,
  type WatchListRemoval,
  type WatchListRemoved,
  type WatchListRequest,
  type WatchStatus,
} from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { AssayProblem } from "./errors.ts"
import type { Failover } from "./failover.ts"
import { jsonParts } from "./json-parts.ts"
import { linesOf } from "./lines.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
import { answerOf, isJsonObject, itemProblem, jsonObject, notAssays } from "./response.ts"
import type { Send } from "./sent.ts"

/** What became of one line: by which ref it is watched, or why it is not. */
export type WatchListOutcome =
  | {
      readonly index: number
      readonly status: WatchStatus
      readonly ref: string
      /** For a line with a domain: it, and what proves it. */
      readonly domain?: WatchedDomain
      readonly problem?: never
    }
  | { readonly index: number; readonly problem: AssayProblem; readonly status?: never }

/**
 * Identities whose changes of risk are events. All need the scope `watchlist:write`, reject
 * whatever `failover` says, and may be sent again.
 */
export interface WatchListCalls {
  /**
   * Watches any number of identities, in as few requests as the service allows, one after the
   * other. If one is refused, those of earlier requests stay watched, and adding all again changes
   * nothing.
   */
  add(identities: WatchListRequest, options?: CallOptions): Promise<WatchListAdded>
  /**
   * The same for lines, of which one that does not fit spoils no other; outcomes come in the order
   * given.
   */
  addLines(lines: readonly WatchListLine[], options?: CallOptions): Promise<WatchListOutcome[]>
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
const NDJSON = "application/x-ndjson"
/** Ten thousand lines go to a disk before they are answered. */
const TIMEOUT_MS = 30_000
const repeatable = true

export function watchListCalls(settings: Settings<Failover>, send: Send): WatchListCalls {
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
    async addLines(lines, options = {}) {
      const outcomes: WatchListOutcome[] = []
      for (const part of jsonParts(lines, WATCH_LINES_MAX)) {
        const question = {
          method: "POST",
          path: `/api/v1${PATH}`,
          contentType: NDJSON,
          body: part.join("\n"),
          timeoutMs: Math.max(settings.timeoutMs, TIMEOUT_MS),
          repeatable,
        } as const
        const results = await ask(settings, question, options, async (response) => {
          if (response.status !== 200) await answerOf(response)
          const lines: string[] = []
          for await (const line of linesOf(response)) lines.push(line)
          return lines
        })
        if (results.length !== part.length) throw notAssays()
        const from = outcomes.length
        for (const [n, line] of results.entries())
          outcomes.push(outcomeOf(jsonObject(line), n, from + n))
      }
      return outcomes
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

function outcomeOf(
  item: Readonly<Record<string, unknown>> | null,
  place: number,
  index: number,
): WatchListOutcome {
  if (item?.["index"] !== place) throw notAssays()
  if (isJsonObject(item["problem"])) return { index, problem: itemProblem(item["problem"]) }
  const { status, ref, domain } = item
  if ((status !== "added" && status !== "already_existed") || typeof ref !== "string")
    throw notAssays()
  if (!isJsonObject(domain)) return { index, status, ref }
  return { index, status, ref, domain: domain as WatchedDomain }
}

function portions<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / WATCH_LIST_MAX)
  return Array.from({ length: count }, (_, n) =>
    all.slice(n * WATCH_LIST_MAX, (n + 1) * WATCH_LIST_MAX),
  )
}
