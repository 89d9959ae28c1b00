import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { allowLongRequest } from "./long-requests.ts"

/** Four times the largest body any operation takes. */
const BYTES_MAX = 32 * 1024 * 1024
const PASS_MS = 5000

/**
 * An answer to a request whose body is still on its way. All of the answer is sent at once; the
 * connection is closed only when the rest of the body has been read and thrown away, because
 * closing on unread bytes resets the connection and many clients then lose the answer.
 */
export function thenLetPass(answer: string, request: IncomingMessage): Readable {
  return Readable.from(pieces(answer, request), { objectMode: false })
}

async function* pieces(answer: string, request: IncomingMessage): AsyncGenerator<string> {
  yield answer
  if (request.complete || request.readableEnded || request.destroyed) return
  // The request time-out must not end it with a second answer.
  const endExemption = allowLongRequest(request.socket)
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, PASS_MS)
    let left = BYTES_MAX
    request.on("data", (piece: Buffer) => {
      left -= piece.length
      if (left < 0) resolve()
    })
    request.once("close", resolve)
    request.once("end", () => {
      clearTimeout(late)
      resolve()
    })
    request.resume()
  })
  endExemption()
}
