import type { Socket } from "node:net"

/** How long a sender may take: slow connections are welcome, and idle ones hold a sealer that others wait for. */
export interface Deadlines {
  /** For all of a request. */
  readonly totalMs: number
  /** Over each of these windows at least `bytesPerSecond` must come. */
  readonly windowMs: number
  readonly bytesPerSecond: number
}

export const DEADLINES: Deadlines = {
  totalMs: 60 * 60_000,
  windowMs: 60_000,
  bytesPerSecond: 1000,
}

export interface Pace extends Disposable {
  /** Aborted when the sender is too slow. */
  readonly tooSlow: AbortSignal
}

/** Watches what comes in on a connection until it is disposed. */
export function watchPace(
  socket: Pick<Socket, "bytesRead">,
  { totalMs, windowMs, bytesPerSecond }: Deadlines,
): Pace {
  const tooSlow = new AbortController()
  let seen = socket.bytesRead
  const total = setTimeout(() => tooSlow.abort(), totalMs)
  const windows = setInterval(() => {
    if (socket.bytesRead - seen < (bytesPerSecond * windowMs) / 1000) tooSlow.abort()
    seen = socket.bytesRead
  }, windowMs)
  return {
    tooSlow: tooSlow.signal,
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
