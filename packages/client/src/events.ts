import type { EventData, EventKind, EventList } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
import { answerOf } from "./response.ts"
import { idIn } from "./sent.ts"

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
  /** Instead of `after`: the newest so many, 1 to 100. */
  readonly last?: number
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
  const { after, last, types, limit, waitSeconds } = options
  const asked = query({ after, last, types: types?.join(","), limit, wait: waitSeconds })
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

/** One event. Rejects whatever `failover` says. */
export async function getEvent(
  settings: Settings<Failover>,
  id: string,
  options: CallOptions = {},
): Promise<AssayEvent> {
  const question = {
    method: "GET",
    path: `/api/v1/events/${idIn(id)}`,
    repeatable: true,
  } as const
  return (await ask(settings, question, options, (response) =>
    answerOf(response, 200, (body) => body?.["id"] === id),
  )) as unknown as AssayEvent
}

export interface EventsOptions extends Omit<EventListOptions, "limit" | "last"> {
  /**
   * Called when every event of a page was taken, with the cursor behind them. Whoever keeps it goes
   * on from there as `after`, and after a crash gets some events again, by the same ids.
   */
  readonly onCursor?: (next: string) => void | Promise<void>
}

const WAIT_SECONDS = 30
const PAUSE_MS = 1_000

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
    const askedAt = performance.now()
    const cursor = next === undefined ? {} : { after: next }
    const page = await listEvents(settings, { ...options, ...cursor, waitSeconds })
    yield* page.events
    if (next !== page.next) await onCursor?.(page.next)
    next = page.next
    // A service that lets nobody wait any more answers at once, and is not asked as often as it
    // can.
    if (page.events.length === 0 && performance.now() - askedAt < PAUSE_MS)
      await pause(PAUSE_MS, options.signal)
  }
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, ms, null)
  const end = (): void => reject(signal?.reason as Error)
  if (signal?.aborted === true) end()
  else signal?.addEventListener("abort", end)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", end)
  }
}

function isPage(body: Readonly<Record<string, unknown>> | null): boolean {
  return Array.isArray(body?.["events"]) && typeof body["next"] === "string"
}
