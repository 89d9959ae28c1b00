import type { SinkRecords } from "@assay/stores/records-sinks"
import type { openEventBodies } from "../intake/event-body.ts"
import type { SunkEvent } from "./formats/finding.ts"

/** Where a sink sends. */
export interface Destination {
  /** Resolves once the receiver has taken all of them; rejects where it may not have. */
  send(events: readonly SunkEvent[]): Promise<void>
  close(): Promise<void>
}

/** What is wrong with a sink, without a word of what was sent. */
export interface SinkFault {
  readonly at: number
  /** As a code, such as `timed-out` or `answered-503`. */
  readonly code: string
}

export interface SinkState {
  readonly name: string
  /** Events that it does not have yet, counted up to a limit. */
  readonly behind: number
  /** When it last got any. */
  readonly movedAt: number
  /** null: the last attempt went well. */
  readonly fault: SinkFault | null
}

export interface Sink {
  /** Has it look for events at once. */
  look(): void
  state(): Promise<SinkState>
  /** Waits for what is being sent. */
  stop(): Promise<void>
}

interface SinkOptions {
  readonly name: string
  readonly records: SinkRecords
  readonly destination: Destination
  readonly bodyOf: ReturnType<typeof openEventBodies>
  readonly now: () => number
  /** Told when it begins to fail, and when it works again. */
  readonly changed: (fault: SinkFault | null) => void
  /** The first pause after a failure; each one more is twice as long. */
  readonly restMs?: number
}

/** Few enough that a batch is some hundred kilobytes, whatever is in it. */
const EVENTS_AT_ONCE = 200
/** For events of another service on the same database. */
const LOOK_MS = 1_000
const REST_MS = 1_000
const REST_MAX_MS = 60_000
const BEHIND_MAX = 100_000

/**
 * Sends every event to one destination, in the order in which they were stored, from where it got
 * to. The position moves after the receiver has taken a batch, so that a kill has a batch sent again
 * and none left out. A destination that fails keeps nobody else waiting.
 */
export function openSink(options: SinkOptions): Sink {
  const { name, records, destination, bodyOf, now, changed, restMs = REST_MS } = options
  let fault: SinkFault | null = null
  let failures = 0
  let stopped = false
  let woken = false
  let endPause = (): void => undefined
  const isStopped = (): boolean => stopped
  const wasWoken = (): boolean => woken

  async function sendNext(after: number): Promise<number> {
    const events = await records.eventsOfAll({ after, limit: EVENTS_AT_ONCE })
    const last = events.at(-1)
    if (last === undefined) return after
    await destination.send(
      events.map((event) => ({ id: event.id, tenant: event.tenant, ...bodyOf(event) })),
    )
    await records.moveSink({ name, seq: last.seq, at: now() })
    return last.seq
  }

  const pause = async (ms: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
      endPause = resolve
    })
    clearTimeout(timer)
  }

  const running = (async () => {
    let position: number | null = null
    while (!isStopped()) {
      woken = false
      try {
        position ??= (await records.beginSink({ name, at: now() })).seq
        const reached = await sendNext(position)
        const isIdle = reached === position
        position = reached
        if (fault !== null && !isIdle) {
          fault = null
          changed(null)
        }
        failures = 0
        if (isIdle && !wasWoken()) await pause(LOOK_MS)
      } catch (error) {
        const wasWell = fault === null
        fault = { at: now(), code: codeOf(error) }
        if (wasWell) changed(fault)
        // Events that come meanwhile do not make it try sooner.
        if (!isStopped()) await pause(Math.min(REST_MAX_MS, restMs * 2 ** failures++))
      }
    }
  })()

  return {
    look() {
      if (fault !== null) return
      woken = true
      endPause()
    },
    async state() {
      const { seq, movedAt } = await records.beginSink({ name, at: now() })
      const behind = await records.countEventsOfAll({ after: seq, limit: BEHIND_MAX })
      return { name, behind, movedAt, fault }
    },
    async stop() {
      stopped = true
      endPause()
      await running
      await destination.close()
    },
  }
}

/** A failure of a sink that has a code to show. */
export class SinkError extends Error {
  override readonly name = "SinkError"
  readonly code: string
  constructor(code: string, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === "string" ? code.toLowerCase() : "failed"
}
