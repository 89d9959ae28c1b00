import type { EventData, EventKind, EventList } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
import { answerOf } from "./response.ts"

/** Something that happened. Later versions of the service send types that are not listed here. */
export type AssayEvent = {
  [K in EventKind]: {
    readonly id: string
    readonly type: K
    readonly timestamp: string
    readonly data: EventData<K>
  }
}[EventKind]

export type EventPage = Omit<EventList, "events"> & { readonly events: readonly AssayEvent[] }

export interface EventListOptions extends CallOptions {
  /** `next` of the page before, or `latest`; unless given, from the oldest that is kept. */
  readonly after?: string
  /** Only events of these types. */
  readonly types?: readonly EventKind[]
  /** 1 to 100; 100 unless given. */
  readonly limit?: number
  /** How long the service may wait for an event, up to 30 seconds; not at all unless given. */
  readonly waitSeconds?: number
}

/** A page of events, the oldest first. Rejects whatever `failover` says. */
export async function listEvents(
  settings: Settings<Failover>,
  options: EventListOptions = {},
): Promise<EventPage> {
  const { after, types, limit, waitSeconds } = options
  const asked = query({ after, types: types?.join(","), limit, wait: waitSeconds })
  const question = {
    method: "GET",
    path: `/api/v1/events${asked}`,
    // The time of a call is for what the service does, and waiting is not that.
    timeoutMs: settings.timeoutMs + (waitSeconds ?? 0) * 1000,
    repeatable: true,
  } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, isPage),
  )) as EventPage
}

export interface EventsOptions extends Omit<EventListOptions, "limit"> {
  /**
   * Called when every event of a page was taken, with the cursor behind them. Whoever keeps it goes
   * on from there as `after`, and after a crash gets some events again, by the same ids.
   */
  readonly onCursor?: (next: string) => void | Promise<void>
}

const WAIT_SECONDS = 30

/**
 * Events one after the other, and those to come as they happen, until `signal` ends it. Rejects
 * where a page cannot be read; begin again with the cursor that was kept.
 */
export async function* events(
  settings: Settings<Failover>,
  { onCursor, after, waitSeconds = WAIT_SECONDS, ...options }: EventsOptions = {},
): AsyncGenerator<AssayEvent, never> {
  let next = after
  for (;;) {
    const cursor = next === undefined ? {} : { after: next }
    const page = await listEvents(settings, { ...options, ...cursor, waitSeconds })
    yield* page.events
    if (next !== page.next) await onCursor?.(page.next)
    next = page.next
  }
}

function isPage(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["events"]) && typeof body["next"] === "string"
}
