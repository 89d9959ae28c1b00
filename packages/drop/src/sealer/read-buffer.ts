import { connect, createServer, type Socket } from "node:net"

/** As large as the buffer that Node reads connections into. */
const ZEROS = Buffer.alloc(64 * 1024)

export interface ReadBuffer {
  /** Overwrites it, in a moment. */
  overwrite(): void
  close(): void
}

/**
 * The buffer this process reads connections into. Node keeps one, copies the data out of it, and
 * leaves the bytes there until it reads again. So the first part of a plain request would stay
 * there, even if all copies are wiped. Reading zeros through our own connection overwrites it.
 */
export function openReadBuffer(): ReadBuffer {
  const arrived = new Set<Socket>()
  let writer: Socket | undefined
  const server = createServer((reader) => {
    reader.on("error", () => reader.destroy())
    arrived.add(reader)
    sortOut()
  })
  // Until the other end of our own connection has come, anybody on this machine may have connected.
  const sortOut = (): void => {
    for (const reader of writer?.localPort === undefined ? [] : arrived) {
      if (reader.remotePort === writer?.localPort) server.close()
      else reader.destroy()
      reader.resume()
    }
  }
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (address === null || typeof address === "string") return
    writer = connect(address.port, "127.0.0.1", sortOut)
    writer.on("error", () => writer?.destroy())
  })
  return {
    overwrite: () => void writer?.write(ZEROS),
    close() {
      server.close()
      writer?.destroy()
      for (const reader of arrived) reader.destroy()
    },
  }
}
