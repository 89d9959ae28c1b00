import type { Server as HttpServer } from "node:http"
import type { Socket } from "node:net"
import { DRAIN_MAX } from "../answers.ts"
import { declaredLength } from "../declared-length.ts"
import type { NetworkCounter } from "../network-counter.ts"
import { MESSAGE_BYTES, type PlainKind } from "../sealer/plain-kind.ts"
import type { ReadBuffer } from "../sealer/read-buffer.ts"
import type { PlainConnection } from "../sealer/waiting-line.ts"
import { isPlain, readTarget, sendsMessage } from "../target.ts"

export interface DoorOptions {
  /** Gets every connection whose request needs no sealer. */
  readonly http: Pick<HttpServer, "emit">
  /** Takes connections that one must read; false where too many wait. */
  readonly sealers: { handOver(connection: PlainConnection, kind: PlainKind): boolean }
  /** Where the first part of a plain request would stay. */
  readonly readBuffer: Pick<ReadBuffer, "overwrite">
  readonly networks: NetworkCounter
  /** A complete HTTP answer for a visitor whose request is never read. */
  readonly answerUnread: (status: 400 | 503) => Promise<string>
}

const LINE_MAX = 8 * 1024
/** A longer head is a sealer's to refuse. */
const HEAD_MAX = 16 * 1024
const CR = 0x0d
const LF = 0x0a

/**
 * Lets every connection in. Looks at the first line of its request only: a request with plain text
 * or a code goes to a sealer, unparsed, once its head is there, and leaves nothing in the memory of
 * this process, which lives long.
 */
export function openDoor({
  http,
  sealers,
  networks,
  readBuffer,
  answerUnread,
}: DoorOptions): (socket: Socket) => void {
  return (socket) => {
    // A sender who hangs up is no fault of ours.
    socket.on("error", () => socket.destroy())
    const stopTiming = endIfSlow(socket)
    let head: Buffer = Buffer.alloc(0)
    // Piece by piece as they come: `read()` would join several in a copy, and leave them behind.
    const look = (piece: Buffer): void => {
      const longer = Buffer.concat([head, piece])
      head.fill(0)
      piece.fill(0)
      head = longer
      const line = requestLine(head)
      if (line === null && head.length <= LINE_MAX) return
      const target = line && readTarget(line.target)
      const plain = line !== null && isPlain(line.method, target)
      // A sealer is a process, so half a head does not get one. The door reads on, and so notices a
      // visitor who hangs up before.
      if (plain && head.length <= HEAD_MAX && !isWhole(head)) return
      socket.off("data", look)
      socket.off("close", forget)
      socket.pause()
      if (line !== null && !plain) {
        socket.unshift(head)
        http.emit("connection", socket)
        socket.resume()
        return
      }
      // Further bytes are overwritten when the connection ends: a refused one is read to the end.
      socket.once("close", () => readBuffer.overwrite())
      const kind = sendsMessage(target) ? messageKind(head) : "code"
      const refused = (): void => {
        endIfSlow(socket)
        startReading(socket)
        void refuse(socket, () => answerUnread(503))
      }
      if (line !== null && (kind === "code" || networks.admit(socket.remoteAddress))) {
        stopReading(socket)
        stopTiming()
        if (!sealers.handOver({ socket, head, refused }, kind)) {
          head.fill(0)
          refused()
        }
        readBuffer.overwrite()
        return
      }
      head.fill(0)
      void refuse(socket, () => answerUnread(line === null ? 400 : 503))
    }
    const forget = (): void => void head.fill(0)
    socket.on("data", look)
    socket.once("close", forget)
  }
}

/** By the declared length; a request without one waits with the uploads. */
function messageKind(head: Buffer): PlainKind {
  return (declaredLength(head) ?? Infinity) <= MESSAGE_BYTES ? "message" : "upload"
}

/** Whether the empty line is there that ends the head of a request. */
function isWhole(head: Buffer): boolean {
  return head.includes("\r\n\r\n") || head.includes("\n\n")
}

/**
 * The method and target of a request, once its first line is there. Empty lines before it are let
 * pass, as parsers do. Only the line becomes a string: a string of the rest would stay in this
 * process until its memory is reused.
 */
function requestLine(head: Buffer): { method: string; target: string } | null {
  const start = head.findIndex((byte) => byte !== CR && byte !== LF)
  const end = start < 0 ? -1 : head.indexOf(LF, start)
  if (end < 0 || end > LINE_MAX) return null
  const [method = "", target = ""] = head.toString("latin1", start, end).split(" ")
  return { method, target }
}

/** Sends the reason and closes once the rest of the request has arrived; none of it is kept. */
async function refuse(socket: Socket, answer: () => Promise<string>): Promise<void> {
  let left = DRAIN_MAX
  socket.on("data", (piece: Buffer) => {
    left -= piece.length
    piece.fill(0)
    if (left < 0) socket.destroy()
  })
  // It was paused when its first line was there. Unread, it would stand until it is too slow,
  // although its sender has left.
  socket.resume()
  try {
    socket.end(await answer())
  } catch {
    // The page needs the free space of the disk, which could not be read. So there is no answer to
    // finish.
    socket.destroy()
  }
}

const MINUTE_MS = 60_000
/** 1 kB a second, averaged over a minute. */
const BYTES_A_MINUTE = 60_000
const LONGEST_MS = 60 * MINUTE_MS

/**
 * Ends connections that stand still: each must move 1 kB a second, averaged over a minute, either
 * way, and be over after an hour. Slow circuits keep up with that, and a thousand idle senders do
 * not pile up.
 */
export function endIfSlow(
  socket: Pick<Socket, "bytesRead" | "bytesWritten" | "destroy" | "once">,
): () => void {
  let moved = 0
  const look = setInterval(() => {
    const now = socket.bytesRead + socket.bytesWritten
    if (now - moved < BYTES_A_MINUTE) socket.destroy()
    moved = now
  }, MINUTE_MS)
  const end = setTimeout(() => socket.destroy(), LONGEST_MS)
  const stop = (): void => {
    clearInterval(look)
    clearTimeout(end)
  }
  socket.once("close", stop)
  return stop
}

/**
 * Stops the kernel's handle. `pause()` alone lets it read on until a buffer of this process is
 * full. At the hand-over that buffer would be lost, and it would be plain text.
 */
export function stopReading(socket: Socket): void {
  // A stream asks for more after each piece, on the next turn, even when it was paused in between.
  socket._read = () => undefined
  const handle = handleOf(socket)
  if (handle === null) return
  handle.reading = false
  handle.readStop()
}

/** Undoes `stopReading`, for a connection that no sealer will read. */
function startReading(socket: Socket): void {
  Reflect.deleteProperty(socket, "_read")
  const handle = handleOf(socket)
  if (handle === null) return
  // Not left to the stream: it may believe that its earlier read request is still under way.
  handle.reading = true
  handle.readStart()
}

function handleOf(
  socket: Socket,
): { reading: boolean; readStart(): void; readStop(): void } | null {
  return (socket as unknown as { _handle: ReturnType<typeof handleOf> })._handle
}
