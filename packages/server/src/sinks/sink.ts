import { randomUUID } from "node:crypto"
import type { SinkState, SinkTestResult } from "@assay/core/contract"
import { endablePause } from "@assay/runtime/endable-pause"
import { eventId } from "@assay/stores/event-id"
import type { SinkRecords } from "@assay/stores/records-sinks"
import type { openEventBodies } from "../intake/event-body.ts"
import { SinkError } from "./destinations/destination.ts"
import type { SunkEvent } from "./formats/finding.ts"
import type { NamedSink } from "./kinds.ts"

/** What is wrong with a sink, without a word of what was sent. */
export interface SinkFault {
  readonly at: number
  /** As a code, such as `timed-out` or `answered-503`. */
  readonly code: string
}

export interface Sink {
  readonly name: string
  /** Has it look for events at once. */
  look(): void
  state(): Promise<SinkState>
  /** Sends one event that nobody else gets. */
  test(): Promise<SinkTestResult>
  /** Waits for what is being sent. */
  stop(): Promise<void>
}

export interface SinkOptions {
  readonly sink: NamedSink
  readonly records: SinkRecords
  readonly bodyOf: ReturnType<typeof openEventBodies>
  /** No other service sends events of these records. */
  readonly alone: boolean
  readonly now: () => number
  /** Told when it begins to fail, and when it works again. */
  readonly changed: (fault: SinkFault | null) => void
  readonly count: (sent: { readonly events: number } | { readonly fault: string }) => void
  /** The first pause after a failure; each one more is twice as long. */
  readonly restMs?: number
  /** The longest of these pauses. */
  readonly restMaxMs?: number
}

/** Few enough that a batch is some hundred kilobytes, whatever is in it. */
const EVENTS_AT_ONCE = 200
/** For events of another service on the same database. */
const LOOK_MS = 1_000
const REST_MS = 1_000
const REST_MAX_MS = 60_000
const BEHIND_MAX = 100_000
/** How long nobody else sends after this process was last heard of. */
const HOLD_MS = 30_000
const TOO_LARGE = "answered-413"

/**
 * Sends every event to one destination, in the order in which they were stored, from where it got
 * to. The position moves after the receiver has taken a batch, so that a kill has a batch sent
 * again and none left out. A destination that fails keeps nobody else waiting.
 */
export function openSink(options: SinkOptions): Sink {
  const { sink, records, bodyOf, alone, now, changed, count } = options
  const { restMs = REST_MS, restMaxMs = REST_MAX_MS } = options
  const { name, kind, destination, withIdentities } = sink
  const holder = randomUUID()
  let position: number | null = null
  let heldAt = -Infinity
  let atOnce = EVENTS_AT_ONCE
  let fault: SinkFault | null = null
  let failures = 0
  let stopped = false
  let woken = false
  const { pause, end: endPause } = endablePause()
  /** Batches and tests go one after the other. */
  let sending: Promise<unknown> = Promise.resolve()
  const isStopped = (): boolean => stopped
  const wasWoken = (): boolean => woken

  const send = (events: readonly SunkEvent[]): Promise<void> => {
    const sent = sending.then(() => destination.send(events))
    sending = sent.catch(() => undefined)
    return sent
  }

  async function hold(): Promise<void> {
    const at = now()
    const held = await records.holdSink({ name, holder, at, until: at + HOLD_MS, alone })
    heldAt = performance.now()
    position = held?.seq ?? null
  }

  /** Whether there was anything to send. */
  async function sendNext(): Promise<boolean> {
    if (performance.now() - heldAt > HOLD_MS / 3) await hold()
    if (position === null) return false
    const events = await records.eventsOfAll({ after: position, limit: atOnce })
    const last = events.at(-1)
    if (last === undefined) return false
    // A receiver may take longer than the hold lasts. One that could not be renewed is known by the
    // move below.
    const renewing = setInterval(() => void hold().catch(() => undefined), HOLD_MS / 3)
    try {
      await send(events.map((event) => sunk(event)))
    } finally {
      clearInterval(renewing)
    }
    const moved = await records.moveSink({ name, holder, seq: last.seq, at: now() })
    position = moved ? last.seq : null
    count({ events: events.length })
    atOnce = Math.min(EVENTS_AT_ONCE, atOnce * 2)
    return true
  }

  function sunk(event: Awaited<ReturnType<SinkRecords["eventsOfAll"]>>[number]): SunkEvent {
    const { data, ...body } = bodyOf(event)
    const { identity, ...rest } = data
    const said = withIdentities && identity !== undefined ? { ...rest, identity } : rest
    return { id: event.id, tenant: event.tenant, ...body, data: said }
  }

  async function failed(error: unknown): Promise<void> {
    const code = codeOf(error)
    const wasWell = fault === null
    fault = { at: now(), code }
    count({ fault: code })
    if (wasWell) changed(fault)
    if (code === TOO_LARGE && atOnce > 1) {
      atOnce = Math.floor(atOnce / 2)
      return
    }
    const asked = error instanceof SinkError ? error.waitMs : 0
    const rest = Math.max(asked, Math.min(restMaxMs, restMs * 2 ** failures++))
    // Events that come meanwhile do not make it try sooner.
    if (!isStopped()) await pause(rest)
  }

  function recovered(): void {
    if (fault === null) return
    fault = null
    changed(null)
  }

  const running = (async () => {
    while (!isStopped()) {
      woken = false
      try {
        const hasSent = await sendNext()
        if (hasSent) recovered()
        failures = 0
        if (!hasSent && !wasWoken()) await pause(LOOK_MS)
      } catch (error) {
        await failed(error)
      }
    }
  })()

  return {
    name,
    look() {
      if (fault !== null) return
      woken = true
      endPause()
    },
    async state() {
      const at = await records.sinkPosition(name)
      const after = at?.seq ?? 0
      const behind = at === null ? 0 : await records.countEventsOfAll({ after, limit: BEHIND_MAX })
      const [oldest] = behind === 0 ? [] : await records.eventsOfAll({ after, limit: 1 })
      return {
        ...{ name, kind, behind },
        lag_seconds: Math.max(0, Math.round((now() - (oldest?.at ?? now())) / 1000)),
        last_taken_at: at && new Date(at.movedAt).toISOString(),
        fault: fault && { at: new Date(fault.at).toISOString(), code: fault.code },
        sent_elsewhere: at !== null && position === null,
      }
    },
    async test() {
      const [began, id, at] = [performance.now(), eventId(), now()]
      const event: SunkEvent = {
        ...{ id, tenant: null, type: "sink.test", timestamp: new Date(at).toISOString() },
        data: { sink: name },
      }
      const code = await send([event]).then(() => null, codeOf)
      return { event_id: id, fault: code, duration_ms: Math.round(performance.now() - began) }
    },
    async stop() {
      stopped = true
      endPause()
      await running
      await sending
      await destination.close()
      // Whoever comes next need not wait; one that cannot be told waits for the time to pass.
      await records.releaseSink({ name, holder }).catch(() => undefined)
    },
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === "string" ? code.toLowerCase() : "failed"
}
