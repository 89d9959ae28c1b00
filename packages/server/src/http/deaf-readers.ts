import type { ServerResponse } from "node:http"
import { Socket } from "node:net"
import type { App } from "./app.ts"

/** The kernel takes shorter answers at once, and the connection is then as idle as any other. */
const HELD_BYTES = 8 * 1024

/**
 * Ends connections whose client reads nothing of an answer for `stillMs`: each holds its answer in
 * memory and a place among the connections. Streams watch their readers themselves.
 */
export function endDeafReaders(app: App, stillMs: number): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    const bytes = typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0
    watchReader(reply.raw, bytes, stillMs)
    done(null, payload)
  })
}

/** The same for one answer that is about to be sent. */
export function watchReader({ socket }: ServerResponse, bytes: number, stillMs: number): void {
  // The time-out belongs to the connection; Node resets it after the answer. Each read of the
  // client, however small, starts it again.
  if (bytes > HELD_BYTES && socket instanceof Socket) socket.setTimeout(stillMs)
}
