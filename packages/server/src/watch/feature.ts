import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  WATCH_LIST_MAX,
  type WatchedDomain,
  type WatchItem as WatchItemBody,
  type WatchListLineResult,
  type WatchListRequest,
} from "@assay/core/contract"
import { MINUTE_MS } from "@assay/runtime/time"
import type { DomainWatchRecords } from "@assay/stores/records-domain-watches"
import type { WatchItem, WatchRecords } from "@assay/stores/records-watch"
import { type Caller, tenantOf } from "../accounts/callers.ts"
import type { Config } from "../base/config.ts"
import { Problem, problemDetails } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature, NodeTurns, Primary, Turn } from "../http/feature.ts"
import { identifiedEmail, identifiedPhone } from "../http/identified.ts"
import { refuseCompression } from "../http/json-body.ts"
import { NDJSON } from "../http/ndjson-body.ts"
import { refusal } from "../http/refusal.ts"
import { BATCH_BODY_MAX } from "../http/sizes.ts"
import { openTimeSlices } from "../http/time-slices.ts"
import { domainHash } from "../score/email/kept-domain.ts"
import { openLists } from "../score/email/lists.ts"
import { openModels } from "../score/models.ts"
import { type Identify, type IdentifyServices, openIdentify, type Wanted } from "./identify.ts"
import { domainChecks } from "./check-domains.ts"
import { domainBody, proofToken, provedSince } from "./domain-proof.ts"
import { batchMatcher, type MatchBatches } from "./match-batches.ts"
import { type Placed, readDomains, readWanted, readWantedLines } from "./read-request.ts"
import { addSchema, listSchema, removeSchema } from "./schemas.ts"
import { domainUpdater } from "./update-domains.ts"
import { type NamedDomain, type WatchedIdentity, watchPort, type WatchLists } from "./watch-list.ts"
import { callersOf, watchRounds } from "./watch-rounds.ts"
import { openWatchWriter } from "./watch-writer.ts"

export interface WatchServices extends IdentifyServices {
  readonly watchRecords: Pick<
    WatchRecords & DomainWatchRecords,
    "watchItems" | "countWatchItems" | "domainWatches"
  >
  readonly config: Pick<Config, "dns">
}

/** An item with its members, and the lists themselves. */
const PARTS_MAX = 6 * WATCH_LIST_MAX

/** Identities that a tenant wants to hear of when their risk changes. */
export const watch: Feature<WatchServices, WatchLists> = {
  port: watchPort,
  routes: watchRoutes,
  writer: async (primary) => openWriter(primary),
}

function openWriter(primary: Primary) {
  const { records, index, secrets, lists, directories, deliveries, turns, now } = primary
  let additions = 0
  let ending = false
  const isEnding = (): boolean => ending
  const openRounds = (turn: Turn): (() => Promise<void>) =>
    watchRounds({
      records: turn.records,
      index,
      models: openModels(directories.models),
      updateDomains: domainUpdater({
        records: turn.records,
        openLists: () => openLists(lists.directory),
        reloads: lists.reloads,
        // What other nodes added is looked for every minute.
        additions: () => additions + (turns.alone ? 0 : Math.floor(now() / MINUTE_MS)),
        identitySubkey: secrets.subkeys.identity,
      }),
      matchBatches: matcherOf(turn.records),
      isEnding,
      now,
    })
  const matcherOf = (by: Turn["records"]): MatchBatches =>
    batchMatcher({
      ...{ records: by, index, isEnding, now },
      segments: directories.segments,
      isElsewhere: (file) => !turns.alone && !existsSync(join(directories.segments, file)),
    })
  const rounds = eachTurn(turns, "watch rounds", openRounds)
  const matchOwn = matcherOf(records)
  let begun = false
  const isAnybodyWatched = async (): Promise<boolean> =>
    (await records.watchingTenants()).length > 0 ||
    (await records.provedDomains({ since: provedSince(now()) })).length > 0
  return openWatchWriter({
    records,
    async round() {
      // Before anybody is watched this look is all that watching costs.
      if (!begun && !(await isAnybodyWatched())) return
      begun = true
      if (await rounds()) return
      // A segment lies with the node that imported it, and that may be this one. What a batch makes
      // due is scored by the node that has the rounds.
      await matchOwn(callersOf(await records.tenants()))
    },
    checkDomains: eachTurn(turns, "domain checks", (turn) =>
      domainChecks({
        records: turn.records,
        proofOf: (wanted) => deliveries.proofOf(wanted),
        subkey: secrets.subkeys.request,
        isEnding,
        now,
      }),
    ),
    onAdded: () => additions++,
    onEnding: () => (ending = true),
    now,
  })
}

/**
 * Work that is opened anew each time this node takes its turn: another may have gone on meanwhile.
 */
function eachTurn(
  turns: NodeTurns,
  name: string,
  open: (turn: Turn) => () => Promise<void>,
): () => Promise<boolean> {
  let opened: { readonly fence: number; readonly work: () => Promise<void> } | null = null
  return async () =>
    await turns.take(name, async (turn) => {
      if (opened?.fence !== turn.fence) opened = { fence: turn.fence, work: open(turn) }
      await opened.work()
    })
}

async function watchRoutes(app: App, services: WatchServices, lists: WatchLists): Promise<void> {
  const identify = openIdentify(services)
  const { subkeys } = services.secrets
  const hashOf = domainHash(subkeys.identity)
  const domainsOf: DomainsOf = async (tenantId, ref) => {
    const watched = await services.watchRecords.domainWatches({
      tenantId,
      ...(ref === undefined ? {} : { ref }),
    })
    return watched.map((each) => {
      const token = proofToken(subkeys.request, tenantId, each.domain)
      return domainBody(each, token, services.config.dns !== null, services.now())
    })
  }
  // In a scope of their own: other routes read lines while they come, this one all at once.
  await app.register(async (scope) => {
    scope.addContentTypeParser(NDJSON, { parseAs: "buffer" }, (request, body, done) => {
      done(refuseCompression(request.headers["content-encoding"]), body)
    })
    addRoute(scope, identify, lists, hashOf, domainsOf)
  })

  app.delete(
    "/api/v1/watchlist",
    { schema: removeSchema, bodyLimit: BATCH_BODY_MAX, config: { jsonPartsMax: PARTS_MAX } },
    async ({ body, caller }) => {
      const { tenantId } = tenantOf(caller, "Watching")
      const { refs = [], ...identities } = body
      const keys = readWanted(identities).map((placed) =>
        atPlace(placed, ({ type, value }) =>
          type === "email" ? identifiedEmail(value, subkeys) : identifiedPhone(value, subkeys),
        ),
      )
      const domains = readDomains(body, hashOf).map(({ domain }) => domain)
      if (keys.length + domains.length + refs.length === 0) throw nothingNamed()
      const removed = await lists.remove(
        tenantId,
        keys.map(({ identityKey }) => identityKey),
        domains,
        refs,
      )
      return {
        deleted: removed.reduce((sum, count) => sum + count, 0),
        not_found: removed.filter((count) => count === 0).length,
      }
    },
  )

  app.get("/api/v1/watchlist", { schema: listSchema }, async ({ query, caller }) => {
    const { tenantId } = tenantOf(caller, "Watching")
    const { ref, before } = query
    const limit = Number(query.limit ?? 50)
    const { watchRecords: records } = services
    const [found, total, domains] = await Promise.all([
      records.watchItems({
        tenantId,
        limit: limit + 1,
        ...(ref === undefined ? {} : { ref }),
        ...(before === undefined ? {} : { before }),
      }),
      records.countWatchItems(tenantId),
      before === undefined ? domainsOf(tenantId, ref) : [],
    ])
    const page = found.slice(0, limit)
    const next = found.length > limit ? (page.at(-1)?.id ?? null) : null
    return { items: page.map(itemBody), domains, total, next }
  })
}

/** A tenant's watched domains, as they are answered. */
type DomainsOf = (tenantId: number, ref?: string) => Promise<WatchedDomain[]>

function addRoute(
  app: App,
  identify: Identify,
  lists: WatchLists,
  hashOf: ReturnType<typeof domainHash>,
  domainsOf: DomainsOf,
): void {
  const route = {
    schema: addSchema,
    bodyLimit: BATCH_BODY_MAX,
    config: { jsonPartsMax: PARTS_MAX },
  }
  const lines = { identify, lists, hashOf, domainsOf }
  app.post("/api/v1/watchlist", route, async (request, reply) => {
    const { caller } = request
    const { tenantId } = tenantOf(caller, "Watching")
    const body = request.body as Buffer | WatchListRequest
    if (Buffer.isBuffer(body)) {
      const results = await addLines(body, lines, caller, tenantId)
      return reply.type(NDJSON).send(results.map((item) => `${JSON.stringify(item)}\n`).join(""))
    }
    const placed = readWanted(body)
    const named = readDomains(body, hashOf)
    if (placed.length + named.length === 0) throw nothingNamed()
    const identities: WatchedIdentity[] = []
    const slices = openTimeSlices()
    for (const each of placed) {
      if (slices.isOver()) await slices.next()
      identities.push(await atPlace(each, (wanted) => identify(wanted, caller, tenantId)))
    }
    const watching = await lists.add(tenantId, identities, named)
    if (watching === null) throw new Problem("watch-list-full", "Nothing was added.")
    const emails = body.emails?.length ?? 0
    const refs = watching.slice(0, placed.length).map(({ ref }) => ref)
    const domains = named.length === 0 ? [] : await domainsOf(tenantId)
    return {
      added: watching.filter((each) => each.added).length,
      already_existed: watching.filter((each) => !each.added).length,
      refs: { emails: refs.slice(0, emails), phone_numbers: refs.slice(emails) },
      domains: named.flatMap(({ domain }) => domains.find((each) => each.domain === domain) ?? []),
    }
  })
}

/** Lines of a write: the records take others' in between. */
const LINES_AT_ONCE = 1_000

type AddedTogether = [identities: readonly WatchedIdentity[], domains: readonly NamedDomain[]]

interface LineServices {
  readonly identify: Identify
  readonly lists: WatchLists
  readonly hashOf: ReturnType<typeof domainHash>
  readonly domainsOf: DomainsOf
}

async function addLines(
  body: Buffer,
  { identify, lists, hashOf, domainsOf }: LineServices,
  caller: Caller,
  tenantId: number,
): Promise<WatchListLineResult[]> {
  const slices = openTimeSlices()
  const wanted = await readWantedLines(body, hashOf, slices)
  const results: WatchListLineResult[] = []
  for (let from = 0; from < wanted.length; from += LINES_AT_ONCE) {
    const identities: WatchedIdentity[] = []
    const domains: NamedDomain[] = []
    const places = { identities: [] as number[], domains: [] as number[] }
    for (const [place, each] of wanted.slice(from, from + LINES_AT_ONCE).entries()) {
      if (slices.isOver()) await slices.next()
      const index = from + place
      try {
        if (each instanceof Problem) throw each
        if ("domain" in each) {
          domains.push(each)
          places.domains.push(index)
        } else {
          identities.push(await identify(each, caller, tenantId))
          places.identities.push(index)
        }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        results[index] = { index, problem: problemDetails(error, null) }
      }
    }
    // A write each: there may be too many domains and room for identities, or the other way round.
    const put = async (at: readonly number[], ...what: AddedTogether): Promise<void> => {
      if (at.length === 0) return
      const watching = await lists.add(tenantId, ...what)
      const problem = problemDetails(new Problem("watch-list-full", "It was not added."), null)
      const proofs = watching === null || what[1].length === 0 ? [] : await domainsOf(tenantId)
      for (const [n, index] of at.entries()) {
        const item = watching?.[n]
        const domain = proofs.find((each) => each.domain === what[1][n]?.domain)
        results[index] =
          item === undefined
            ? { index, problem }
            : {
                ...{ index, status: item.added ? "added" : "already_existed", ref: item.ref },
                ...(domain && { domain }),
              }
      }
    }
    await put(places.identities, identities, [])
    await put(places.domains, [], domains)
  }
  return results
}

/** A refusal names the place of the identity in the body, and never the identity. */
function atPlace<T>({ pointer, wanted }: Placed, read: (wanted: Wanted) => T): T {
  try {
    return read(wanted)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const errors = [{ pointer, detail: error.message }]
    throw new Problem(error.code, "An identity of the body cannot be read.", { errors })
  }
}

function nothingNamed(): Problem {
  return refusal({ pointer: "#", detail: "must have at least 1 identity or domain" })
}

function itemBody({ identityType, ref, sealed, addedAt, told, dueAt }: WatchItem): WatchItemBody {
  return {
    type: identityType,
    ref,
    deliver_identity: sealed !== null,
    added_at: new Date(addedAt).toISOString(),
    // The records keep what an assessment said, and do not look into it.
    risk: told as WatchItemBody["risk"],
    next_change_at: dueAt === 0 ? null : new Date(dueAt).toISOString(),
  }
}
