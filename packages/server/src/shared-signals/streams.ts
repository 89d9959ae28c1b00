import { randomBytes } from "node:crypto"
import { DAY_MS, MINUTE_MS } from "@assay/runtime/time"
import { newId } from "@assay/stores/event-id"
import type { Records } from "@assay/stores/records"
import { RecordsError } from "@assay/stores/records-error"
import {
  type NewStreamNote,
  NOTES_MAX,
  type SharedStream,
  type StreamPlace,
  type StreamSettings,
  type StreamStatus,
} from "@assay/stores/records-shared-signals"
import { openSealer } from "../accounts/sealed.ts"
import { writerPort } from "../base/writer-port.ts"
import type { Deliveries, Primary, Settling } from "../http/feature.ts"
import { openKeyRotation } from "./rotation.ts"
import { SOURCE_KINDS } from "./security-events.ts"
import { openSets } from "./sets.ts"
import { SIGNING_KEY } from "./sign.ts"

/** What a receiver's header is sealed for. */
export const RECEIVER_HEADER = "shared signals authorization"
/** How often a receiver may ask for a verification event. */
export const VERIFY_SECONDS = 5
/** What is offered to a receiver behind what it left unacknowledged. */
export const WINDOW = 1_000

/** Whose streams are meant, and who asks. */
export interface Asker {
  readonly tenantId: number
  readonly actor: string
  /** For the audit trail. */
  readonly requestId: string
}
interface OfStream extends Asker {
  readonly id: string
}

/** The receiver's header as it is written; null: none. */
export type StreamAsked = Omit<StreamSettings, "authorization" | "audience"> & {
  readonly authorization: string | null
  /** null: one that only this stream has. */
  readonly audience: StreamSettings["audience"] | null
}

export type Refused = "not-found" | "too-many" | "refused"

/** What changes streams, in the primary. One of another tenant is not found. */
export interface StreamKeeper {
  create(of: Asker & StreamAsked): Promise<SharedStream | Refused>
  change(
    of: OfStream & {
      readonly set?: Partial<StreamAsked>
      readonly status?: { readonly status: StreamStatus; readonly reason: string | null }
      /** The receiver did it itself, and need not be told. */
      readonly byReceiver: boolean
    },
  ): Promise<SharedStream | Refused>
  remove(of: OfStream): Promise<boolean>
  /** `state` comes back in the event; a new one where none is given. */
  verify(
    of: StreamPlace & { readonly state: string | null; readonly made: boolean },
  ): Promise<{ readonly state: string | null } | "too-soon" | "not-found">
  /** Whether a stream is told of the watch item with this ref. */
  setSubject(
    of: StreamPlace & { readonly ref: string; readonly told: boolean },
  ): Promise<"set" | "too-many" | "not-found">
  acknowledge(
    of: StreamPlace & {
      readonly taken: readonly string[]
      /** What the receiver cannot take, and why. */
      readonly refused: readonly { readonly jti: string; readonly code: string }[]
    },
  ): Promise<void>
  rotate(by: { readonly actor: string; readonly requestId: string }): Promise<null>
}

export const sharedSignalsPort = writerPort<StreamKeeper>(
  "sharedSignals",
  {
    create: true,
    change: true,
    remove: true,
    verify: true,
    setSubject: true,
    acknowledge: true,
    rotate: true,
  },
  { failed: "The streams cannot be changed" },
)

type StreamRecords = Pick<
  Records,
  | "createStream"
  | "changeStream"
  | "deleteStream"
  | "stream"
  | "askVerification"
  | "leaveOut"
  | "takeBackIn"
  | "leftOut"
  | "acknowledge"
  | "streamAcks"
  | "streamNotes"
  | "moveStream"
  | "enabledStreams"
  | "hasPushStream"
  | "forgetStreamNotes"
  | "sharedKeys"
  | "addSharedKey"
  | "deleteSharedKeys"
  | "event"
  | "eventsAfter"
  | "newestEvent"
>

export interface StreamsOptions {
  readonly records: StreamRecords
  readonly secrets: Primary["secrets"]
  readonly deliveries: Pick<Deliveries, "begin" | "refusalOf">
  readonly now: () => number
  /** null: it is off, and nobody asks for anything. */
  readonly ssfOrigin: string | null
}

export async function openStreamsWriter(options: StreamsOptions): Promise<StreamKeeper & Settling> {
  const { records, deliveries, now, ssfOrigin } = options
  const { subkeys } = options.secrets
  const sets = openSets({ records, subkeys, origin: ssfOrigin ?? "", now })
  const headers = openSealer(subkeys["sealed-identity"], RECEIVER_HEADER)
  const rotation = openKeyRotation({
    records,
    sealer: openSealer(subkeys["sealed-identity"], SIGNING_KEY),
    now,
  })
  let begun = false
  let passedAt = -Infinity

  /**
   * Moves a stream behind what it has taken and what gives nothing to take, so that this is not
   * gone through again and again.
   */
  async function pass(stream: SharedStream): Promise<void> {
    const { id, tenantId } = stream
    let { seq } = stream
    const taken = new Set(await records.streamAcks({ id }))
    for (;;) {
      // Asked first: what is stored later has a greater number.
      const newest = await records.newestEvent({ tenantId })
      const page = { tenantId, after: seq, kinds: SOURCE_KINDS, limit: WINDOW }
      const events = await records.eventsAfter(page)
      const told = await sets.toldOf(stream, events)
      const waiting = told.findIndex(({ sets: own }) => own.some(({ jti }) => !taken.has(jti)))
      const isLast = events.length < WINDOW
      const last = waiting < 0 ? told.at(-1) : told[waiting - 1]
      const to = waiting < 0 && isLast ? newest : (last?.event.seq ?? seq)
      if (to > seq) await records.moveStream({ id, seq: to })
      if (waiting >= 0 || isLast) return
      seq = to
    }
  }

  const sealed = (id: string, header: string | null): Uint8Array | null =>
    header === null ? null : headers.seal(header, id)

  return {
    async create({ tenantId, actor, requestId, audience, authorization, ...asked }) {
      if (asked.url !== null && (await deliveries.refusalOf(asked.url)) !== null) return "refused"
      const id = newId("str_")
      try {
        return await records.createStream({
          ...{ tenantId, actor, requestId, at: now(), id, ...asked },
          // Of its own: a token for one stream is none for another.
          audience: audience ?? `${sets.issuerOf(tenantId)}/${id}`,
          authorization: sealed(id, authorization),
        })
      } catch (error) {
        if (error instanceof RecordsError && error.code === "name-taken") return "too-many"
        throw error
      }
    },

    async change({ tenantId, actor, requestId, id, set = {}, status, byReceiver }) {
      const { authorization, audience, ...asked } = set
      if (asked.url != null && (await deliveries.refusalOf(asked.url)) !== null) return "refused"
      const before = await records.stream({ tenantId, id })
      if (before === null) return "not-found"
      const isTold = status !== undefined && !byReceiver && status.status !== before.status
      const changed = await records.changeStream({
        ...{ tenantId, actor, requestId, id, at: now() },
        set: {
          ...asked,
          ...(authorization !== undefined && { authorization: sealed(id, authorization) }),
          ...(audience != null && { audience }),
        },
        ...(status !== undefined && { status }),
        ...(isTold && { note: updatedNote(status) }),
      })
      return changed ?? "not-found"
    },

    remove: (of) => records.deleteStream({ ...of, at: now() }),

    async verify({ tenantId, id, state: given, made }) {
      const state = made ? randomBytes(16).toString("base64url") : given
      const note = {
        id: newId("ssn_"),
        kind: "verification",
        data: state === null ? {} : { state },
      } as const
      const at = now()
      const notAfter = at - VERIFY_SECONDS * 1000
      const asked = await records.askVerification({ tenantId, id, note, at, notAfter })
      return asked === "asked" ? { state } : asked
    },

    async setSubject({ tenantId, id, ref, told }) {
      const of = { tenantId, id, refHash: sets.refHash(ref) }
      try {
        const isThere = await (told ? records.takeBackIn(of) : records.leaveOut(of))
        return isThere ? "set" : "not-found"
      } catch (error) {
        if (error instanceof RecordsError && error.code === "name-taken") return "too-many"
        throw error
      }
    },

    async acknowledge({ tenantId, id, taken, refused }) {
      const stream = await records.stream({ tenantId, id })
      if (stream === null) return
      const waiting = await records.streamNotes({ id, limit: NOTES_MAX })
      const named = new Set([...taken, ...refused.map(({ jti }) => jti)])
      const notes = waiting.filter((each) => named.has(each.id))
      const events: { jti: string; seq: number }[] = []
      for (const jti of named) {
        const [eventId = ""] = jti.split(".")
        const event = eventId === jti ? null : await records.event({ tenantId, id: eventId })
        // Those before are taken already.
        if (event !== null && event.seq > stream.seq) events.push({ jti, seq: event.seq })
      }
      if (notes.length + events.length + refused.length === 0) return
      await records.acknowledge({
        ...{ tenantId, id, at: now(), sets: events, notes: notes.map((each) => each.id) },
        verified: notes.some((each) => each.kind === "verification" && taken.includes(each.id)),
        fault: refused[0]?.code ?? null,
      })
      await pass(stream)
    },

    async rotate(by) {
      await rotation.rotate(by)
      return null
    },

    async settleDue() {
      if (ssfOrigin === null) return
      await rotation.settle()
      if (!begun && (await records.hasPushStream())) {
        await deliveries.begin()
        begun = true
      }
      if (Math.abs(now() - passedAt) < MINUTE_MS) return
      for (const stream of await records.enabledStreams()) await pass(stream)
      passedAt = now()
    },

    async forget() {
      if (ssfOrigin !== null) await records.forgetStreamNotes({ before: now() - DAY_MS })
    },
  }
}

export function updatedNote({
  status,
  reason,
}: {
  readonly status: StreamStatus
  readonly reason: string | null
}): NewStreamNote {
  return {
    id: newId("ssn_"),
    kind: "stream-updated",
    data: { status, ...(reason !== null && { reason }) },
  }
}
