import type { Socket } from "node:net"

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
export function startReading(socket: Socket): void {
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
