import { randomUUID } from "node:crypto"
import { endablePause } from "@assay/runtime/endable-pause"
import {
  type GuardedPosts,
  type PostAnswer,
  PostFailed,
} from "@assay/runtime/outbound/guarded-post"
import { readRetryAfter } from "@assay/runtime/outbound/retry-after"
import type { Secrets } from "@assay/runtime/secrets"
import { MINUTE_MS } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import {
  NOTES_MAX,
  type SharedStream,
  type StreamPlace,
} from "@assay/stores/records-shared-signals"
import { openSealer } from "../accounts/sealed.ts"
import { noteEvent, type SecurityEvent, SOURCE_KINDS } from "./security-events.ts"
import { openSets } from "./sets.ts"
import { RECEIVER_HEADER, updatedNote } from "./streams.ts"

/** What sending needs of the records. */
export type StreamOutbox = Pick<
  Records,
  | "dueStreams"
  | "claimStream"
  | "settleStream"
  | "streamNotes"
  | "streamAcks"
  | "eventsAfter"
  | "leftOut"
  | "sharedKeys"
  | "acknowledge"
>

export interface StreamSender {
  /** Looks for what is due at once. */
  look(): void
  /** Waits for what is being sent, and sends nothing more. */
  stop(): Promise<void>
}

export interface StreamSenderOptions {
  readonly outbox: StreamOutbox
  readonly posts: Pick<GuardedPosts, "post">
  readonly subkeys: Secrets["subkeys"]
  readonly origin: string
  /** How long a receiver may take to answer. */
  readonly timeoutMs: number
  readonly version: string
  readonly now: () => number
  readonly countPush: (result: "taken" | "failed") => void
  readonly failed: (error: unknown) => void
  /** The first wait after a failure; each one more is twice as long. */
  readonly restMs?: number
}

/** For what another service on the same database wrote; of what is written here this is told. */
const LOOK_MS = 1_000
const REST_MS = 5_000
const REST_MAX_MS = 15 * MINUTE_MS
const JITTER = 0.1
const EVENTS_AT_ONCE = 50
/** So long one claim sends; then others may, and what came of it is on the disk. */
const TURN_MS = 10_000
/** A receiver that refuses one token so often, with a reason, needs somebody to look at it. */
const REFUSED_MAX = 8
const AT_ONCE = 32

/** What came of sending one token. */
type Outcome = "taken" | NotTaken
interface NotTaken {
  readonly code: string
  /** By an error of the standard, so that another attempt is of little use. */
  readonly refused: boolean
  /** The receiver does not want this one, for whatever reason. */
  readonly unwanted: boolean
  readonly retryAt: number | null
}

/** What one claim sends, and what came of it so far. */
interface Turn {
  seq: number
  taken: boolean
  verified: boolean
  fault: NotTaken | null
  /** One that tells of somebody was refused. */
  isRefused: boolean
  readonly ended: { readonly id: string }[]
  readonly mayGoOn: () => boolean
}

/**
 * Pushes to receivers (RFC 8935), each stream in its order, one token after the other. The position
 * moves after the receiver took an event: a kill has one sent again, with the same id, and none
 * left out. A receiver that cannot be reached is tried until events are forgotten. One that answers
 * with an error of the standard is tried some times, and its stream then paused, which holds what
 * comes.
 */
export function openStreamSender(options: StreamSenderOptions): StreamSender {
  const { outbox, posts, subkeys, origin, timeoutMs, version, now } = options
  const { countPush, failed, restMs = REST_MS } = options
  const sets = openSets({ records: outbox, subkeys, origin, now })
  const headersSealed = openSealer(subkeys["sealed-identity"], RECEIVER_HEADER)
  // Long enough for a turn, for its last answer and for noting it.
  const leaseMs = TURN_MS + 2 * timeoutMs + 5_000
  const sending = new Map<string, Promise<void>>()
  let stopped = false
  let woken = false
  let nextAt = Infinity
  const { pause, end: endPause } = endablePause()
  const isStopped = (): boolean => stopped
  const wasWoken = (): boolean => woken
  const wake = (): void => {
    woken = true
    endPause()
  }

  async function post(stream: SharedStream, about: SecurityEvent): Promise<Outcome> {
    const { id, url, authorization } = stream
    const header = authorization === null ? null : headersSealed.open(authorization, id)
    // Signed when it is sent: a key that was rotated since the event happened signs no more.
    const token = await sets.signed(about, stream)
    try {
      const answer = await posts.post(
        url ?? "",
        {
          "content-type": "application/secevent+jwt",
          accept: "application/json",
          "user-agent": `Assay/${version}`,
          ...(header !== null && { authorization: header }),
        },
        token,
      )
      return outcomeOf(answer, now())
    } catch (error) {
      if (error instanceof PostFailed)
        return { code: error.code, refused: false, unwanted: false, retryAt: null }
      throw error
    }
  }

  async function sendTo(stream: SharedStream, claim: string): Promise<void> {
    const startedAt = now()
    const turn: Turn = {
      ...{ seq: stream.seq, taken: false, verified: false, fault: null, isRefused: false },
      ended: [],
      mayGoOn: () => !isStopped() && now() - startedAt < TURN_MS,
    }
    await sendNotes(stream, turn)
    const isAway = turn.fault !== null && !turn.fault.unwanted
    if (stream.status === "enabled" && !isAway) await sendEvents(stream, turn)

    const { seq, taken, verified, fault, ended: notes } = turn
    const at = now()
    const failures = taken ? 0 : stream.failures
    const retryAt = fault === null ? null : Math.max(at + restAfter(failures), fault.retryAt ?? 0)
    if (retryAt !== null) nextAt = Math.min(nextAt, retryAt)
    const pauses = turn.isRefused && !taken && failures + 1 >= REFUSED_MAX
    const reason = `The receiver does not take a token: ${fault?.code ?? ""}`
    await outbox.settleStream({
      ...{ id: stream.id, claim, changedAt: stream.changedAt, at, seq, taken, notes, verified },
      fault: fault === null || retryAt === null ? null : { code: fault.code, nextAt: retryAt },
      pause: pauses ? { reason, note: updatedNote({ status: "paused", reason }) } : null,
    })
  }

  async function sent(stream: SharedStream, turn: Turn, about: SecurityEvent): Promise<Outcome> {
    const outcome = await post(stream, about)
    countPush(outcome === "taken" ? "taken" : "failed")
    turn.fault = outcome === "taken" ? null : outcome
    turn.taken ||= outcome === "taken"
    return outcome
  }

  async function sendNotes(stream: SharedStream, turn: Turn): Promise<void> {
    const { id } = stream
    for (const note of await outbox.streamNotes({ id, limit: NOTES_MAX })) {
      if (!turn.mayGoOn()) return
      const outcome = await sent(stream, turn, noteEvent(note, id))
      // It is about the stream alone: what a receiver does not want of that is not forced on it.
      if (outcome !== "taken" && !outcome.unwanted) return
      turn.ended.push(note)
      turn.verified ||= outcome === "taken" && note.kind === "verification"
    }
  }

  async function sendEvents(stream: SharedStream, turn: Turn): Promise<void> {
    const { id, tenantId } = stream
    const page = { tenantId, after: turn.seq, kinds: SOURCE_KINDS, limit: EVENTS_AT_ONCE }
    const told = await sets.toldOf(stream, await outbox.eventsAfter(page))
    const before = new Set(await outbox.streamAcks({ id }))
    for (const { event, sets: own } of told) {
      for (const about of own) {
        if (before.has(about.jti)) continue
        if (!turn.mayGoOn()) return
        const outcome = await sent(stream, turn, about)
        if (outcome !== "taken") {
          turn.isRefused = outcome.refused
          return
        }
        if (own.length > 1) await noteTaken(stream, about.jti, event.seq)
      }
      turn.seq = event.seq
    }
  }

  /** Of an event that is told by several tokens, those that were taken are not sent again. */
  async function noteTaken({ id, tenantId }: SharedStream, jti: string, seq: number) {
    await outbox.acknowledge({
      ...{ id, tenantId, at: now(), notes: [], sets: [{ jti, seq }] },
      ...{ verified: false, fault: null },
    })
  }

  const restAfter = (failures: number): number =>
    Math.round(
      Math.min(REST_MAX_MS, restMs * 2 ** Math.min(failures, 20)) * (1 + JITTER * Math.random()),
    )

  function begin(place: StreamPlace): void {
    const { id } = place
    const work = (async () => {
      const at = now()
      const claim = randomUUID()
      const stream = await outbox.claimStream({ ...place, at, until: at + leaseMs, claim })
      if (stream !== null) await sendTo(stream, claim)
    })()
      // What could not be noted is sent again once the claim has run out.
      .catch(failed)
      .finally(() => {
        sending.delete(id)
        wake()
      })
    sending.set(id, work)
  }

  const running = (async () => {
    while (!isStopped()) {
      try {
        woken = false
        if (nextAt <= now()) nextAt = Infinity
        const due = await outbox.dueStreams({ at: now(), kinds: SOURCE_KINDS })
        for (const place of due)
          if (!isStopped() && !sending.has(place.id) && sending.size < AT_ONCE) begin(place)
        if (!isStopped() && !wasWoken()) await pause(Math.min(LOOK_MS, Math.max(0, nextAt - now())))
      } catch (error) {
        failed(error)
        if (!isStopped()) await pause(LOOK_MS)
      }
    }
  })()

  return {
    look: wake,
    async stop() {
      stopped = true
      wake()
      await running
      await Promise.all(sending.values())
    },
  }
}

/** Codes of RFC 8935, section 2.4, as one may put them into a log. */
const ERROR_CODE = /^[a-zA-Z][\w-]{0,49}$/

function outcomeOf({ status, body, retryAfter }: PostAnswer, now: number): Outcome {
  if (status >= 200 && status < 300) return "taken"
  const retryAt = retryAfter === null ? null : readRetryAfter(retryAfter, now)
  const error = status === 400 ? errorIn(body) : null
  return {
    code: error ?? `answered-${status}`,
    refused: error !== null,
    unwanted: status >= 400 && status < 500 && status !== 429,
    retryAt,
  }
}

function errorIn(body: string): string | null {
  try {
    const { err } = JSON.parse(body) as { err?: unknown }
    return typeof err === "string" && ERROR_CODE.test(err) ? err : null
  } catch {
    return null
  }
}
