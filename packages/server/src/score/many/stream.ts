import { isUtf8 } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import type { BatchItem, StreamEnd } from "@assay/core/contract"
import type { Caller } from "../../accounts/callers.ts"
import { onceClosed } from "../../http/once-closed.ts"
import { allowLongRequest } from "../../http/long-requests.ts"
import { piecesOf, type RequestPieces } from "../../http/request-pieces.ts"
import { senderIsGone } from "../../http/sender-is-gone.ts"
import { LINE_MAX } from "../../http/sizes.ts"
import type { Streams } from "../../http/streams.ts"
import { openTimeSlices, type TimeSlices } from "../../http/time-slices.ts"
import { asProblem, Problem, problemDetails } from "../../base/problem.ts"
import { ITEMS_AT_ONCE, type ScoreItem } from "./items.ts"
import { type Line, openLineSplitter } from "../../http/lines.ts"
import type { RefusedLines } from "./refused-lines.ts"

export interface StreamOptions {
  readonly requestId: string
  /** The member of a line that holds the identity. */
  readonly member: string
  readonly score: ScoreItem
  /**
   * The caller as it is now, for the next slice. Rejects when its key or scope has ended: a stream
   * may outlive them.
   */
  readonly callerNow: () => Promise<Caller>
  readonly refused: RefusedLines
  readonly idleSeconds: number
  readonly streams: Streams
  /** Called with a fault that ends the stream. */
  readonly onFault: (problem: Problem) => void
  /** Called once, when no more lines will be answered. */
  readonly onDone: () => void
  /** Decides when other requests get their turn. */
  readonly slices?: TimeSlices
}

/** Where a stream can stand still: for the sender, for our own work, or for the reader. */
type Standing = "reading" | "working" | "writing"

const PIECE_BYTES = 16 * 1024
/** How much is cut into lines at once: even where each byte is a line, that takes a moment only. */
const CUT_BYTES = 4 * 1024
/**
 * How long bytes that are still on their way are thrown away, so that closing does not reset what
 * was answered.
 */
const LINGER_MS = 1000

/**
 * Answers a stream of lines with a stream of lines, in order. It holds one piece of the request and
 * one slice of answers: a reader that is slow slows the reading, and through it the sender.
 */
export function streamedAnswers(
  request: IncomingMessage,
  response: ServerResponse,
  options: StreamOptions,
): Readable {
  const pieces = piecesOf(request)
  const watch = watched(request, response, pieces, options)
  // Not in object mode: what waits for the reader is then counted in bytes.
  return Readable.from(answers(pieces, watch, options), {
    objectMode: false,
    highWaterMark: 4 * PIECE_BYTES,
  })
}

async function* answers(
  pieces: RequestPieces,
  watch: Watch,
  options: StreamOptions,
): AsyncGenerator<string> {
  const { requestId, member, score, callerNow, refused, onFault, onDone } = options
  const { slices = openTimeSlices() } = options
  const splitter = openLineSplitter(LINE_MAX)
  let index = 0
  try {
    for (let piece = await pieces.next(); piece !== null; piece = await pieces.next()) {
      for (let from = 0; from < piece.length; from += CUT_BYTES) {
        if (slices.isOver()) await slices.next()
        yield* answered(splitter.push(piece.subarray(from, from + CUT_BYTES)))
      }
      watch.stands("reading")
    }
    yield* answered(splitter.end())
  } catch (error) {
    if (watch.senderIsGone()) return
    const problem = asProblem(error)
    onFault(problem)
    yield textOf({ problem: problemDetails(problem, requestId) })
  } finally {
    onDone()
    watch.finish()
  }

  async function* answered(lines: readonly Line[]): AsyncGenerator<string> {
    const waiting = [...lines]
    while (waiting.length > 0) {
      if (slices.isOver()) await slices.next()
      watch.stands("working")
      watch.throwIfInterrupted()
      const caller = await callerNow()
      const inWork: Promise<BatchItem<object>>[] = []
      do {
        inWork.push(score(index++, identityOfLine(waiting.shift() ?? null, member), caller))
      } while (inWork.length < ITEMS_AT_ONCE && waiting.length > 0 && !slices.isOver())
      const items = await Promise.all(inWork)
      // Charge before answering: a client that goes away meanwhile has still paid.
      const owing = refused.charge(items, caller)
      watch.stands("writing")
      yield* inPieces(items)
      refused.throwIfTooMany(caller)
      if (owing === 0) continue
      watch.stands("working")
      await refused.paid(owing, caller)
    }
  }
}

/**
 * The lines of the answers, joined so that few writes carry them and none is large: explanations
 * are.
 */
function* inPieces(items: readonly BatchItem<object>[]): Generator<string> {
  let piece = ""
  for (const item of items) {
    piece += textOf(item)
    if (piece.length < PIECE_BYTES) continue
    yield piece
    piece = ""
  }
  if (piece !== "") yield piece
}

function textOf(line: BatchItem<object> | StreamEnd): string {
  return `${JSON.stringify(line)}\n`
}

interface Watch {
  stands(where: Standing): void
  throwIfInterrupted(): void
  senderIsGone(): boolean
  finish(): void
}

/**
 * Ends what stands still and what a stop asks to end. A stream that moves may take as long as it
 * likes.
 */
function watched(
  request: IncomingMessage,
  response: ServerResponse,
  pieces: RequestPieces,
  { idleSeconds, streams }: StreamOptions,
): Watch {
  let standing: Standing = "reading"
  let interrupted: Problem | null = null
  const interrupt = (problem: Problem): void => {
    interrupted ??= problem
    pieces.interrupt(problem)
  }
  const timer = setTimeout(() => {
    if (standing === "reading")
      interrupt(new Problem("request-timeout", `Nothing came for ${idleSeconds} seconds.`))
    // The reader has stopped reading, so there is no point in sending an error line.
    else if (standing === "writing") request.socket.destroy()
    else timer.refresh()
  }, idleSeconds * 1000)
  const endExemption = allowLongRequest(request.socket)
  const leave = streams.add(interrupt)
  onceClosed(response, () => {
    clearTimeout(timer)
    leave()
    endExemption()
  })
  return {
    stands(where) {
      standing = where
      timer.refresh()
    },
    throwIfInterrupted() {
      if (interrupted !== null) throw interrupted
    },
    senderIsGone: () => senderIsGone(request),
    finish() {
      standing = "writing"
      timer.refresh()
      if (request.complete) return
      pieces.discard()
      response.once("finish", () => {
        const closing = setTimeout(() => request.socket.destroy(), LINGER_MS)
        request.once("close", () => clearTimeout(closing))
      })
    },
  }
}

/**
 * The identity a line of a stream holds: a JSON text, or an object with it as `member`; else why it
 * holds none.
 */
function identityOfLine(line: Line, member: string): string | Problem {
  if (line === null) return new Problem("body-too-large", "A line may have 4 KiB.")
  if (!isUtf8(line)) return new Problem("malformed-json", "The line is not valid UTF-8.")
  let value: unknown
  try {
    value = JSON.parse(line.toString("utf8"))
  } catch {
    // The parser's message quotes the line.
    return new Problem("malformed-json", "The line is not valid JSON.")
  }
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return wrongType("#", "must be of type string or object")
  if (!Object.hasOwn(value, member)) return wrongType(`#/${member}`, "is missing")
  const identity: unknown = (value as Readonly<Record<string, unknown>>)[member]
  return typeof identity === "string"
    ? identity
    : wrongType(`#/${member}`, "must be of type string")
}

function wrongType(pointer: string, detail: string): Problem {
  return new Problem("invalid-request", "The line does not hold an identity.", {
    errors: [{ pointer, detail }],
  })
}
