import { connect, createServer, type Socket } from "node:net"

/** As large as the buffer that Node reads connections into. */
const ZEROS = Buffer.alloc(64 * 1024)

export interface ReadBuffer {
  /** Overwrites it, in a moment. */
  overwrite(): void
  close(): void
}

/**
 * The buffer this process reads connections into. Node keeps one, copies what came out of it, and leaves the bytes until
 * something else is read: the first part of a plain request would stay there, whatever is done with the copies. Reading
 * zeros through a connection of our own is the way to overwrite it.
 */
export function openReadBuffer(): ReadBuffer {
  const ends: Socket[] = []
  let closed = false
  const server = createServer((reader) => {
    ends.push(reader)
    reader.on("error", () => reader.destroy()).resume()
    server.close()
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (closed || address === null || typeof address === "string") return
    const writer = connect(address.port, "127.0.0.1")
    writer.on("error", () => writer.destroy())
    ends.unshift(writer)
  })
  return {
    overwrite: () => void ends[0]?.write(ZEROS),
    close() {
      closed = true
      server.close()
      for (const end of ends) end.destroy()
    },
  }
}
