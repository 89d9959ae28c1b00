import type { DropBatchResult, DropIndex, DropKeys, DropResealResult } from "@assay/core/contract"
import { type TarMember, tarSize, writeTar } from "@assay/core/drop/tar"
import { answeredInTime, ask } from "./attempts.ts"
import { AssayUnavailable } from "./errors.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, sender } from "./request.ts"
import { answerOf, isJsonObject, type JsonObject, jsonObject, notAssays } from "./response.ts"
import { membersOf } from "./tar-stream.ts"

export interface DropSealedFile {
  readonly kind: "message" | "note"
  readonly id: string
  /** An age file. Only a recipient's secret key opens it, and the service has none. */
  readonly sealed: Uint8Array<ArrayBuffer>
}

export interface DropSync {
  readonly index: DropIndex
  /**
   * The messages that were not named in `have`, then all notes. Read to the end: the rest cannot be
   * fetched later.
   */
  readonly files: AsyncGenerator<DropSealedFile, void, undefined>
}

/**
 * What recipients do. The caller chooses ids, 16 random bytes in hexadecimal, so that an action
 * sent twice is done once.
 */
export interface DropBatch {
  readonly replies?: readonly {
    readonly id: string
    /** As the message names it. */
    readonly mailbox: string
    readonly deleteVerifier: string
    readonly sealed: Uint8Array
  }[]
  /** Messages to delete. */
  readonly delete?: readonly string[]
  readonly notes?: readonly {
    readonly id: string
    readonly replaces: readonly string[]
    readonly sealed: Uint8Array
  }[]
  readonly deleteNotes?: readonly string[]
}

/**
 * The drop, seen from a recipient. Needs a service key with `drop:read`, and to reseal
 * `drop:reseal`; never answered by `failover`.
 */
export interface DropCalls {
  /**
   * Fetches all sealed messages but those that are here already. One request for all, so that
   * nobody learns which message is read. `timeoutMs` is the longest wait for a next piece, 60
   * seconds.
   */
  sync(have: readonly string[], options?: CallOptions): Promise<DropSync>
  /**
   * Sends replies, deletions and notes together, so that their time reveals little. Safe to be sent
   * again.
   */
  batch(batch: DropBatch, options?: CallOptions): Promise<DropBatchResult>
  /**
   * Gives a message the header that was made for the keys in use now; its body stays. `gone`: it
   * was deleted meanwhile. Needs `drop:reseal`.
   */
  reseal(
    id: string,
    header: Uint8Array<ArrayBuffer>,
    options?: CallOptions,
  ): Promise<DropResealResult["outcome"]>
  /** The keys that messages are sealed to. */
  keys(options?: CallOptions): Promise<DropKeys>
  /** Gives the drop its first keys; refused with `drop-keys-exist` where it has some. */
  firstKeys(recipients: readonly string[], options?: CallOptions): Promise<DropKeys>
}

const TIMEOUT_MS = 60_000
const TAR = "application/x-tar"
/** For requests that may be large and may arrive twice; the answer is JSON. */
const POST = {
  method: "POST",
  headers: { accept: "application/json, application/problem+json" },
  timeoutMs: TIMEOUT_MS,
  repeatable: true,
} as const
const INDEX = "index.json"
const SEALED = /^(note-)?([0-9a-f]{32})\.age$/

export function dropCalls(settings: Settings<Failover>): DropCalls {
  return {
    sync: (have, options) => sync(settings, have, options),
    batch: (batch, options) => send(settings, batch, options),
    reseal: (id, header, options) => reseal(settings, id, header, options),
    keys: (options) => keys(settings, null, options),
    firstKeys: (recipients, options) => keys(settings, recipients, options),
  }
}

async function sync(
  settings: Settings<Failover>,
  have: readonly string[],
  { requestId, signal, timeoutMs = TIMEOUT_MS }: CallOptions = {},
): Promise<DropSync> {
  const ask = sender(settings, {
    method: "POST",
    path: "/api/v1/drop/sync",
    requestId,
    headers: { accept: `${TAR}, application/problem+json` },
  })
  const ending = new AbortController()
  const giveUp = (): void => ending.abort(signal?.reason)
  signal?.addEventListener("abort", giveUp)
  const response = await answeredInTime(
    { timeoutMs, retries: settings.retries, signal, repeatable: true },
    async (limit) => {
      const answer = await ask(JSON.stringify({ have }), AbortSignal.any([limit, ending.signal]))
      if (answer.status !== 200) await answerOf(answer)
      return answer
    },
  )
  const members = membersOf(piecesOf(response, timeoutMs, ending))
  const first = await members.next()
  const index = first.done === true ? null : indexOf(first.value.name, first.value.bytes)
  if (index === null) {
    await members.return()
    throw notAssays()
  }
  const files = async function* (): AsyncGenerator<DropSealedFile, void, undefined> {
    try {
      for await (const { name, bytes } of members) {
        const [, note, id] = SEALED.exec(name) ?? []
        if (id === undefined) throw notAssays()
        yield { kind: note === undefined ? "message" : "note", id, sealed: bytes }
      }
    } finally {
      signal?.removeEventListener("abort", giveUp)
    }
  }
  return { index, files: files() }
}

async function* piecesOf(
  { body, status }: Response,
  timeoutMs: number,
  ending: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const late = new AssayUnavailable("timeout", `Assay did not go on within ${timeoutMs} ms`)
  try {
    for (;;) {
      const alarm = setTimeout(() => ending.abort(late), timeoutMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(alarm))
      if (done) return
      yield value
    }
  } catch (cause) {
    if (ending.signal.aborted) throw ending.signal.reason
    throw new AssayUnavailable("network", "The response broke off", { status, cause })
  } finally {
    await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

async function send(
  settings: Settings<Failover>,
  batch: DropBatch,
  options: CallOptions = {},
): Promise<DropBatchResult> {
  const { replies = [], delete: deleted = [], notes = [], deleteNotes = [] } = batch
  const files: TarMember[] = []
  const attach = (name: string, bytes: Uint8Array): string => {
    files.push({ name, bytes })
    return name
  }
  const actions = {
    replies: replies.map(({ id, mailbox, deleteVerifier, sealed }) => ({
      id,
      mailbox,
      delete_verifier: deleteVerifier,
      file: attach(`reply-${id}.age`, sealed),
    })),
    delete: deleted,
    notes: notes.map(({ id, replaces, sealed }) => ({
      id,
      replaces,
      file: attach(`note-${id}.age`, sealed),
    })),
    delete_notes: deleteNotes,
  }
  const members = [
    { name: "actions.json", bytes: new TextEncoder().encode(JSON.stringify(actions)) },
    ...files,
  ]
  const body = new Uint8Array(writeTar(members, tarSize(members)))
  const question = { ...POST, path: "/api/v1/drop/batch", contentType: TAR, body } as const
  const answer = await ask(settings, question, options, (response) =>
    answerOf(response, 200, (content) => answersAll(content, actions.replies)),
  )
  return answer as unknown as DropBatchResult
}

async function reseal(
  settings: Settings<Failover>,
  id: string,
  header: Uint8Array<ArrayBuffer>,
  options: CallOptions = {},
): Promise<DropResealResult["outcome"]> {
  const path = `/api/v1/drop/reseal/${id}`
  const question = { ...POST, path, contentType: "application/octet-stream", body: header }
  const { outcome } = await ask(settings, question, options, (response) =>
    answerOf(
      response,
      200,
      (content) => content?.["outcome"] === "resealed" || content?.["outcome"] === "gone",
    ),
  )
  return outcome as DropResealResult["outcome"]
}

/** An answer that leaves a reply out must not pass for one that confirms it. */
function answersAll(
  content: JsonObject | null,
  replies: readonly { readonly id: string }[],
): boolean {
  const outcomes = content?.["replies"]
  if (!Array.isArray(outcomes) || outcomes.length !== replies.length) return false
  return replies.every(({ id }) =>
    outcomes.some(
      (each: unknown) => isJsonObject(each) && each["id"] === id && isOutcome(each["outcome"]),
    ),
  )
}

function isOutcome(value: unknown): boolean {
  return value === "stored" || value === "known" || value === "full"
}

async function keys(
  settings: Settings<Failover>,
  recipients: readonly string[] | null,
  options: CallOptions = {},
): Promise<DropKeys> {
  const isRead = recipients === null
  const question = {
    method: isRead ? "GET" : "POST",
    path: "/api/v1/drop/keys",
    body: isRead ? null : JSON.stringify({ recipients }),
    repeatable: isRead,
  } as const
  const answer = await ask(settings, question, options, (response) =>
    answerOf(
      response,
      200,
      (content) => isId(content?.["drop_id"]) && isTexts(content?.["recipients"]),
    ),
  )
  return answer as unknown as DropKeys
}

function indexOf(name: string, bytes: Uint8Array): DropIndex | null {
  const index = name === INDEX ? jsonObject(new TextDecoder().decode(bytes)) : null
  const fits =
    index !== null &&
    isId(index["drop_id"]) &&
    isTexts(index["recipients"]) &&
    isTexts(index["notes"]) &&
    Array.isArray(index["messages"]) &&
    index["messages"].every(isIndexMessage)
  return fits ? (index as unknown as DropIndex) : null
}

function isIndexMessage(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isId(value["id"]) &&
    [value["size"], value["purge_day"], value["effort"]].every((each) => Number.isSafeInteger(each))
  )
}

function isId(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{32}$/.test(value)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string")
}
