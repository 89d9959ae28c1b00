import type { Socket } from "node:net"
import { REPLIES_PADDING } from "./answer.ts"
import type { PlainKind } from "./plain-kind.ts"

/**
 * How long a sender may take: slow connections are welcome, and idle ones hold a sealer that others
 * wait for.
 */
export interface Deadlines {
  /** For all of a request. */
  readonly totalMs: number
  /** Over each of these windows at least `bytesPerSecond` must come. */
  readonly windowMs: number
  readonly bytesPerSecond: number
}

/**
 * A code is a line of text. A sender who needs longer than this only keeps a sealer from others.
 */
const CODE_MS = 20_000
/** The same for a short message. */
const MESSAGE_MS = 70_000

export const DEADLINES: Readonly<Record<PlainKind, Deadlines>> = {
  message: { totalMs: MESSAGE_MS, windowMs: MESSAGE_MS / 2, bytesPerSecond: 1000 },
  upload: { totalMs: 60 * 60_000, windowMs: 60_000, bytesPerSecond: 1000 },
  code: { totalMs: CODE_MS, windowMs: CODE_MS, bytesPerSecond: 1000 },
}

/** Watches the incoming data of a connection until it is disposed. */
export function whenTooSlow(
  socket: Pick<Socket, "bytesRead">,
  { totalMs, windowMs, bytesPerSecond }: Deadlines,
  tooSlow: () => void,
): Disposable {
  let seen = socket.bytesRead
  const total = setTimeout(tooSlow, totalMs)
  const windows = setInterval(() => {
    if (socket.bytesRead - seen < (bytesPerSecond * windowMs) / 1000) tooSlow()
    seen = socket.bytesRead
  }, windowMs)
  return {
    [Symbol.dispose]() {
      clearTimeout(total)
      clearInterval(windows)
    },
  }
}

/** How long an answer of this size may take to be read. */
export function answerMs({ windowMs, bytesPerSecond }: Deadlines, bytes: number): number {
  return windowMs + (bytes / bytesPerSecond) * 1000
}

/**
 * How long any answer may take: the longest shows replies, and beside them a text that comes back.
 */
export function longestAnswerMs(deadlines: Deadlines): number {
  return answerMs(deadlines, 2 * REPLIES_PADDING)
}
