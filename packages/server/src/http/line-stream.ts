import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { asProblem, type Problem, problemDetails } from "../base/problem.ts"
import { allowLongRequest } from "./long-requests.ts"
import { onceClosed } from "./once-closed.ts"
import type { Streams } from "./streams.ts"

export interface LineStream {
  readonly requestId: string
  readonly idleSeconds: number
  readonly streams: Streams
  /** Called with a fault that ends the stream. */
  readonly onFault: (problem: Problem) => void
  /** The text of some lines at a time. The signal is aborted when nobody waits for more. */
  readonly lines: (abort: AbortSignal) => AsyncIterable<string>
}

const WAITING_BYTES = 64 * 1024

/**
 * Sends lines of JSON while they are made; a slow reader slows their making. It ends when the
 * reader hangs up or reads nothing for a while, and with a line that says so when the service
 * stops.
 */
export function streamedLines(
  request: IncomingMessage,
  response: ServerResponse,
  stream: LineStream,
): Readable {
  const { idleSeconds, streams } = stream
  const ending = new AbortController()
  let isWriting = false
  const timer = setTimeout(() => {
    // The reader has stopped reading, so there is no point in sending an error line.
    if (isWriting) request.socket.destroy()
    else timer.refresh()
  }, idleSeconds * 1000)
  const endExemption = allowLongRequest(request.socket)
  const leave = streams.add((problem) => ending.abort(problem))
  onceClosed(response, () => {
    clearTimeout(timer)
    leave()
    endExemption()
    ending.abort()
  })

  async function* pieces(): AsyncGenerator<string> {
    try {
      for await (const lines of stream.lines(ending.signal)) {
        isWriting = true
        timer.refresh()
        yield lines
        isWriting = false
      }
    } catch (error) {
      if (response.destroyed) return
      const problem = asProblem(error)
      stream.onFault(problem)
      yield `${JSON.stringify({ problem: problemDetails(problem, stream.requestId) })}\n`
    }
  }

  // Not in object mode: what waits for the reader is then counted in bytes.
  return Readable.from(pieces(), { objectMode: false, highWaterMark: WAITING_BYTES })
}
