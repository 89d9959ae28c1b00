import { connect } from "node:net"

export interface Connection {
  /** Sends a whole request and resolves with the status of its answer. One at a time. */
  send(request: Buffer): Promise<number>
  close(): void
}

/**
 * A connection that reads of HTTP only what the servers of this bench send: a status, headers with
 * a length, a body. Node's own client would cost as much as the server it measures.
 */
export function connectTo(port: number): Connection {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  let received: Buffer = Buffer.alloc(0)
  let waiting: PromiseWithResolvers<number> | null = null
  let fault: Error | null = null

  const fail = (error: Error): void => {
    fault ??= error
    waiting?.reject(fault)
    socket.destroy()
  }
  socket.on("error", fail)
  socket.on("close", () => fail(new Error("the server closed the connection")))
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const headEnd = received.indexOf("\r\n\r\n")
    if (headEnd === -1) return
    const head = received.toString("latin1", 0, headEnd)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      fail(new Error("an answer without a length"))
      return
    }
    if (received.length < headEnd + 4 + Number(length)) return
    received = Buffer.alloc(0)
    waiting?.resolve(Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)))
  })
  return {
    async send(request) {
      if (fault !== null) throw fault
      waiting = Promise.withResolvers()
      socket.write(request)
      return await waiting.promise
    },
    close() {
      waiting = null
      socket.destroy()
    },
  }
}
