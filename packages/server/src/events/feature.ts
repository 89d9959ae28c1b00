import {
  EVENT_DAYS,
  EVENT_KINDS,
  EVENT_WAIT_SECONDS_MAX,
  EventDetails,
  type EventItem,
  type EventKind,
  EventList,
  EventListQuery,
  EventParams,
} from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import type { Secrets } from "@assay/runtime/secrets"
import type { EventRecords, StoredEvent } from "@assay/stores/records-events"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { onceClosed } from "../http/once-closed.ts"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"
import type { Streams } from "../http/streams.ts"
import { openEventBodies } from "../intake/event-body.ts"
import { type Cursors, openCursors, type Position } from "../intake/event-cursor.ts"
import type { EventNews } from "./event-news.ts"

const PAGE = 100
/**
 * Requests of one owner that may wait at a worker. More are answered at once: what is there can be
 * read by any number of requests, and a connection that waits is one that others cannot have.
 */
const WAITING_MAX = 10
/**
 * Events are kept from the moment they happened, and some are stored a little later: a cursor ends
 * a day before the events that it could miss.
 */
const CURSOR_MS = (EVENT_DAYS - 1) * DAY_MS

const listSchema = {
  operationId: "listEvents",
  summary: "Read events forward",
  description: `In the order in which they were stored, from a cursor on. With \`wait\` an empty page is answered when there is an event, or after at most ${EVENT_WAIT_SECONDS_MAX} seconds. With \`events:read\`: those of the key's tenant. With \`events:admin\`, or by an administrator who acts in no tenant: those of the service.`,
  tags: ["Events"],
  security: [{ apiKey: [] }],
  querystring: EventListQuery,
  response: {
    200: named(EventList, "A page of events, and the cursor that goes on behind it."),
    ...failures("cursor-unknown", "cursor-expired", ...FAILURES_OF_READING),
  },
}

const getSchema = {
  operationId: "getEvent",
  summary: "Read an event",
  tags: ["Events"],
  security: [{ apiKey: [] }],
  params: EventParams,
  response: {
    200: named(EventDetails, "The event."),
    ...failures("not-found", "event-not-found", ...FAILURES_OF_READING),
  },
}

export interface EventServices {
  readonly eventRecords: Pick<
    EventRecords,
    "eventsAfter" | "newestEvents" | "newestEvent" | "event"
  >
  readonly eventNews: EventNews
  readonly secrets: Secrets
  readonly streams: Streams
  readonly now: () => number
}

/** Events, for those who ask for them. */
export const events: Feature<EventServices> = { routes: eventRoutes }

function eventRoutes(app: App, services: EventServices): void {
  const { eventRecords: records, eventNews: news, secrets, streams, now } = services
  // Opened by the first request: most workers are never asked.
  let opened:
    | { readonly cursors: Cursors; readonly bodyOf: ReturnType<typeof openEventBodies> }
    | undefined
  const own = (): NonNullable<typeof opened> =>
    (opened ??= {
      cursors: openCursors(secrets.subkeys.request),
      bodyOf: openEventBodies(secrets.subkeys),
    })
  const waiting = new Map<number | null, number>()
  // A stop waits for connections to end, and these would not by themselves.
  let stopping = false
  streams.add(() => {
    stopping = true
    news.close()
  })

  const startOf = async (after: string | undefined, owner: number | null): Promise<Position> => {
    if (after === undefined) return { seq: 0, atMs: now() }
    if (after === "latest")
      return { seq: await records.newestEvent({ tenantId: owner }), atMs: now() }
    const position = own().cursors.read(after, owner)
    if (position === null) throw new Problem("cursor-unknown", "Nothing was read.")
    if (position.atMs < now() - CURSOR_MS) throw new Problem("cursor-expired", "Nothing was read.")
    return position
  }

  const itemOf = (event: StoredEvent): EventItem => ({ id: event.id, ...own().bodyOf(event) })

  app.get("/api/v1/events/:id", { schema: getSchema }, async ({ caller, params }) => {
    const event = await records.event({ tenantId: caller.tenantId, id: params.id })
    if (event === null) throw new Problem("event-not-found", "You have no event of this id.")
    return itemOf(event)
  })

  app.get("/api/v1/events", { schema: listSchema }, async ({ caller, query }, reply) => {
    const { tenantId: owner } = caller
    const limit = Number(query.limit ?? PAGE)
    const kinds = kindsIn(query.types)
    if (query.last !== undefined) {
      if (query.after !== undefined) throw lastAndAfter()
      const atMs = now()
      // Asked first: what is stored meanwhile is read again, behind the cursor.
      const seq = await records.newestEvent({ tenantId: owner })
      const newest = await records.newestEvents({
        tenantId: owner,
        limit: Number(query.last),
        ...(kinds !== null && { kinds }),
      })
      return {
        events: newest.filter((event) => event.seq <= seq).map(itemOf),
        next: own().cursors.textOf({ seq, atMs }, owner),
      }
    }
    const endsAt = performance.now() + Number(query.wait ?? 0) * 1000
    let { seq } = await startOf(query.after, owner)
    for (;;) {
      const atMs = now()
      // Both are asked first: what is stored after them has greater numbers. Cursors go up to the
      // owner's own newest and not to anybody's, or they would show that others had events.
      const newest = await records.newestEvent()
      const passed = kinds === null ? 0 : await records.newestEvent({ tenantId: owner })
      const found = await records.eventsAfter({
        tenantId: owner,
        after: seq,
        limit,
        ...(kinds !== null && { kinds }),
      })
      const last = found.at(-1)?.seq ?? seq
      // What was looked through in vain is not looked through again.
      seq = found.length === limit ? last : Math.max(last, passed)
      const leftMs = endsAt - performance.now()
      const others = waiting.get(owner) ?? 0
      const mayWait = !stopping && others < WAITING_MAX && !reply.raw.destroyed
      if (found.length > 0 || leftMs <= 0 || !mayWait)
        return {
          events: found.map(itemOf),
          next: own().cursors.textOf({ seq, atMs }, owner),
        }
      const { woken, gone } = news.after(newest, leftMs)
      waiting.set(owner, others + 1)
      onceClosed(reply.raw, gone)
      await woken
      reply.raw.off("close", gone)
      const left = (waiting.get(owner) ?? 1) - 1
      if (left > 0) waiting.set(owner, left)
      else waiting.delete(owner)
    }
  })
}

function kindsIn(types: string | undefined): readonly EventKind[] | null {
  if (types === undefined) return null
  const kinds = types.split(",")
  const isKind = (kind: string): kind is EventKind =>
    (EVENT_KINDS as readonly string[]).includes(kind)
  if (kinds.every(isKind)) return kinds
  throw new Problem("invalid-request", "A member of the query does not fit.", {
    errors: [{ pointer: "#/types", detail: "has a name that no type of event has" }],
  })
}

function lastAndAfter(): Problem {
  return new Problem("invalid-request", "A member of the query does not fit.", {
    errors: [{ pointer: "#/last", detail: "must not be given with after" }],
  })
}
