import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"

/** A connection that may break; null if it was refused. */
export async function openConnection(port: number): Promise<Socket | null> {
  const socket = connect({ port, host: "127.0.0.1" })
  socket.on("error", () => undefined)
  try {
    await once(socket, "connect")
    return socket
  } catch {
    return null
  }
}

/** Resolves when the connection has ended; ends it after this time. */
export async function endWithin(socket: Socket, ms: number): Promise<void> {
  if (socket.closed) return
  const closed = once(socket, "close").catch(() => undefined)
  socket.resume()
  await Promise.race([closed, delay(ms, undefined, { ref: false })])
  socket.destroy()
}

/** Waits, but not past the end of the attack. */
export async function pause(ms: number, over: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: over }).catch(() => undefined)
}
