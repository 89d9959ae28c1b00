import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface RawRequest {
  readonly method: string
  /** Written as latin1, so that any byte can stand in it. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Without a length, as one chunk. */
  readonly chunked?: boolean
}

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Sends what no HTTP client would, and reads the answer until the server hangs up. */
export async function exchange(port: number, request: RawRequest): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1")
  const pieces: Buffer[] = []
  socket.on("data", (piece: Buffer) => void pieces.push(piece))
  // A refused body may be reset after its answer; only the answer counts here.
  socket.on("error", () => undefined)
  const closed = once(socket, "close")
  socket.write(bytesOf(request))
  await closed
  return answerOf(Buffer.concat(pieces))
}

/**
 * Sends requests one after the other on a connection, or on a new one where the server closed it,
 * and returns each answer's bytes. Not for requests that get none, or two.
 */
export function keptConnection(port: number): (request: Uint8Array) => Promise<Buffer> {
  let kept: Socket | null = null
  const open = (): Socket => {
    const socket = connect(port, "127.0.0.1").unref()
    // A connection that fails is closed, too.
    socket.on("error", () => undefined)
    socket.on("close", () => (kept = kept === socket ? null : kept))
    return socket
  }
  return async (request) => {
    const socket = (kept ??= open())
    let answer = Buffer.alloc(0)
    const { promise: ended, resolve } = Promise.withResolvers<null>()
    const take = (piece: Buffer): void => {
      answer = Buffer.concat([answer, piece])
      if (isWhole(answer)) resolve(null)
    }
    const close = (): void => resolve(null)
    socket.on("data", take).on("close", close)
    socket.write(request)
    await ended
    socket.off("data", take).off("close", close)
    if (answerOf(answer).headers.get("connection") !== "keep-alive") {
      kept = null
      socket.destroy()
    }
    return answer
  }
}

function isWhole(bytes: Buffer): boolean {
  const { headers, body } = answerOf(bytes)
  const length = headers.get("content-length")
  return length !== undefined && body.length >= Number(length)
}

export function bytesOf({
  method,
  target,
  headers = {},
  body,
  chunked = false,
}: RawRequest): Buffer {
  const framing = chunked
    ? { "transfer-encoding": "chunked" }
    : body === undefined
      ? {}
      : { "content-length": String(body.length) }
  const all = { host: "localhost", connection: "close", ...headers, ...framing }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1")
  const sent = body ?? Buffer.alloc(0)
  if (!chunked) return Buffer.concat([head, sent])
  const size = Buffer.from(`${sent.length.toString(16)}\r\n`)
  return Buffer.concat([head, size, sent, Buffer.from("\r\n0\r\n\r\n")])
}

function answerOf(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n")
  const [first = "", ...lines] = bytes
    .subarray(0, Math.max(end, 0))
    .toString("latin1")
    .split("\r\n")
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { status: Number(first.split(" ")[1] ?? 0), headers, body: bytes.subarray(end + 4) }
}
