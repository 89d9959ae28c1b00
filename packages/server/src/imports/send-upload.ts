import { connect, type Socket } from "node:net"
import { finished, type Readable } from "node:stream"
import { Problem } from "../base/problem.ts"

/**
 * Passes the body of a request on, byte for byte: no more than a piece of it is held here, and a
 * slow reader slows the sender. Resolves when all of it was handed over, or when the taker is gone,
 * which knows why. Throws where the sender is gone.
 */
export async function sendUpload(
  body: Readable,
  socketPath: string,
  idleMs: number,
): Promise<void> {
  const taker: Socket = connect(socketPath)
  const { promise, resolve, reject } = Promise.withResolvers<null>()
  const idle = setTimeout(() => {
    // A taker that is busy holds the sender up; a sender that sends nothing is gone.
    if (taker.writableNeedDrain) idle.refresh()
    else body.destroy(new Error("The sender stands still"))
  }, idleMs)
  body.on("data", () => idle.refresh())
  taker.on("error", () => resolve(null))
  taker.once("close", () => resolve(null))
  // Not `pipeline`: it would destroy the request of somebody who is still to get an answer.
  body.pipe(taker)
  taker.once("finish", () => resolve(null))
  finished(body, { writable: false }, (error) => {
    if (!error) return
    // The reader was told how much there is, so that this is no end to it.
    taker.destroy()
    reject(new Problem("request-incomplete", "Nothing was imported."))
  })
  try {
    await promise
  } finally {
    clearTimeout(idle)
    body.unpipe(taker)
    // Whoever still sends is let finish, so that the answer is read.
    body.resume()
  }
}
