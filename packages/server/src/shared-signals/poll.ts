import type { FastifyReply } from "fastify"
import type { EventRecords } from "@assay/stores/records-events"
import {
  NOTES_MAX,
  type SharedSignalRecords,
  type SharedStream,
  type StreamPlace,
} from "@assay/stores/records-shared-signals"
import { onceClosed } from "../http/once-closed.ts"
import { noteEvent, type SecurityEvent, SOURCE_KINDS } from "./security-events.ts"
import type { Sets } from "./sets.ts"
import { WINDOW } from "./streams.ts"

export const POLL_MAX = 100
const POLL_WAIT_MS = 30_000
/** What is not an event wakes nobody, so that it is looked for. */
const LOOK_MS = 1_000
const EVENTS_AT_ONCE = 200
/** Requests of one tenant that may wait at a worker; more are answered at once. */
const WAITING_MAX = 10

/** What can be waited for. */
export interface Awaited {
  after(seq: number, waitMs: number): { readonly woken: Promise<null>; gone(): void }
}

interface PollingServices {
  readonly records: Pick<SharedSignalRecords, "stream" | "streamNotes" | "streamAcks"> &
    Pick<EventRecords, "eventsAfter" | "newestEvent">
  readonly sets: () => Sets
  readonly news: Awaited
  readonly isStopping: () => boolean
}

export interface Polled {
  /** By `jti`. */
  readonly sets: Readonly<Record<string, string>>
  readonly moreAvailable: boolean
}

/** Answers requests of RFC 8936, after what they acknowledge was noted. */
export function openPolling({ records, sets, news, isStopping }: PollingServices) {
  const waiting = new Map<number, number>()

  /**
   * What the receiver has not acknowledged, the oldest first; one more than asked for shows more.
   */
  async function offered(stream: SharedStream, count: number): Promise<SecurityEvent[]> {
    const { id, tenantId, status } = stream
    const notes = await records.streamNotes({ id, limit: NOTES_MAX })
    const found = notes.map((note) => noteEvent(note, id))
    if (status !== "enabled") return found.slice(0, count)
    const taken = new Set(await records.streamAcks({ id }))
    let after = stream.seq
    for (let seen = 0; seen < WINDOW && found.length < count; seen += EVENTS_AT_ONCE) {
      const page = { tenantId, after, kinds: SOURCE_KINDS, limit: EVENTS_AT_ONCE }
      const events = await records.eventsAfter(page)
      for (const { sets: own } of await sets().toldOf(stream, events))
        found.push(...own.filter(({ jti }) => !taken.has(jti)))
      after = events.at(-1)?.seq ?? after
      if (events.length < EVENTS_AT_ONCE) break
    }
    return found.slice(0, count)
  }

  async function waited(seq: number, ms: number, reply: FastifyReply, tenantId: number) {
    const { woken, gone } = news.after(seq, Math.min(ms, LOOK_MS))
    waiting.set(tenantId, (waiting.get(tenantId) ?? 0) + 1)
    onceClosed(reply.raw, gone)
    await woken
    reply.raw.off("close", gone)
    const left = (waiting.get(tenantId) ?? 1) - 1
    if (left > 0) waiting.set(tenantId, left)
    else waiting.delete(tenantId)
  }

  return {
    /** null where there is no such stream that is polled. */
    async poll(
      place: StreamPlace,
      asked: { readonly max: number; readonly waits: boolean },
      reply: FastifyReply,
    ): Promise<Polled | null> {
      const { tenantId } = place
      const endsAt = performance.now() + (asked.waits ? POLL_WAIT_MS : 0)
      for (;;) {
        const newest = await records.newestEvent()
        const stream = await records.stream(place)
        if (stream === null || stream.method !== "poll") return null
        const found = await offered(stream, asked.max + 1)
        const leftMs = endsAt - performance.now()
        const isAnswered = found.length > 0 || asked.max === 0 || leftMs <= 0
        const mayWait = !isStopping() && !reply.raw.destroyed
        if (isAnswered || !mayWait || (waiting.get(tenantId) ?? 0) >= WAITING_MAX) {
          const given = found.slice(0, asked.max)
          const signed = await Promise.all(
            given.map(async (about) => [about.jti, await sets().signed(about, stream)] as const),
          )
          return { sets: Object.fromEntries(signed), moreAvailable: found.length > given.length }
        }
        await waited(newest, leftMs, reply, tenantId)
      }
    },
  }
}
