import type { IncomingMessage } from "node:http"

/** The body of a request, piece by piece, read no faster than it is asked for. */
export interface RequestPieces {
  /**
   * The next piece; null at the end. Rejects when the sender is gone, or with what the reading was
   * interrupted for.
   */
  next(): Promise<Buffer | null>
  /** Ends the reading: this and every later `next` rejects with `reason`. */
  interrupt(reason: Error): void
  /** Reads whatever still comes and throws it away. */
  discard(): void
}

/**
 * Bytes that arrive faster than they are asked for stay with the sender: the connection is paused
 * meanwhile.
 */
export function piecesOf(request: IncomingMessage): RequestPieces {
  let waiting: PromiseWithResolvers<Buffer | null> | null = null
  let arrived: Buffer | null = null
  let over: "open" | "ended" | Error = "open"

  const onData = (piece: Buffer): void => {
    request.pause()
    if (waiting === null) arrived = piece
    else waiting.resolve(piece)
    waiting = null
  }
  const finish = (how: "ended" | Error): void => {
    if (over !== "open") return
    over = how
    if (how === "ended") waiting?.resolve(null)
    else waiting?.reject(how)
    waiting = null
  }
  request.pause()
  request.on("data", onData)
  request.once("end", () => finish("ended"))
  request.once("error", finish)
  // After a normal end this changes nothing.
  request.once("close", () => finish(new Error("The sender is gone")))
  // It may have closed while the request waited to be let in, and the event comes only once.
  if (request.destroyed) finish(new Error("The sender is gone"))

  return {
    async next() {
      if (over instanceof Error) throw over
      if (arrived !== null) {
        const piece = arrived
        arrived = null
        return piece
      }
      if (over === "ended") return null
      waiting = Promise.withResolvers()
      request.resume()
      return await waiting.promise
    },
    interrupt: finish,
    discard() {
      request.off("data", onData)
      request.resume()
    },
  }
}
