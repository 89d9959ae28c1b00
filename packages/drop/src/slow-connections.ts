import type { Socket } from "node:net"

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
