import { chmodSync, rmSync } from "node:fs"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { BACKLOG, connectionsMax, limitConnections } from "@assay/runtime/open-files"
import { Explained } from "@assay/runtime/explained"

/** Where the drop can be reached. */
export interface Listeners {
  /** null: no port of its own. */
  readonly port: number | null
  readonly addresses: readonly string[]
  /** Takes no new connection; resolves when the last one is over, or was ended after `withinMs`. */
  close(withinMs: number): Promise<void>
}

/**
 * Beyond this many, or the system's limit, new connections are dropped: each takes memory, and idle
 * ones are ended within a minute.
 */
const CONNECTIONS_MAX = 16_384
const LOOPBACK = ["127.0.0.1", "::1"] as const
/** Linux and macOS give a socket's path 108 and 104 bytes, a closing zero included. */
const PATH_MAX = 103

/** Listens on the socket in the drop's folder, and on its port if it has one. */
export async function openListeners({
  socketPath,
  port,
  host,
  onConnection,
}: {
  readonly socketPath: string
  readonly port: number | null
  readonly host: string | null
  readonly onConnection: (socket: Socket) => void
}): Promise<Listeners> {
  if (Buffer.byteLength(socketPath) > PATH_MAX)
    throw new Explained(
      "data-directory",
      "The data directory's path is too long for the drop's socket",
    )
  const limited = limitConnections(Math.min(CONNECTIONS_MAX, connectionsMax()))
  const open = new Set<Socket>()
  const servers: Server[] = []
  const listen = async (
    place: { path: string } | { port: number; host: string },
  ): Promise<Server> => {
    const server = createServer()
    server.on("connection", (socket) => {
      open.add(socket)
      socket.once("close", () => open.delete(socket))
    })
    server.on("connection", onConnection)
    limited(server)
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen({ ...place, backlog: BACKLOG }, resolve)
    })
    servers.push(server)
    return server
  }
  // Our primary holds the lock of the data directory, so a socket that is here is a dead process's.
  rmSync(socketPath, { force: true })
  await listen({ path: socketPath })
  chmodSync(socketPath, 0o600)
  const [first, second] = host === null ? LOOPBACK : [host, null]
  const addresses: string[] = []
  let bound: number | null = null
  if (port !== null) {
    const server = await listen({ port, host: first })
    bound = (server.address() as AddressInfo).port
    addresses.push(first)
    if (second !== null && (await listensToo(() => listen({ port: bound ?? 0, host: second }))))
      addresses.push(second)
  }
  return {
    port: bound,
    addresses,
    async close(withinMs) {
      const ended = Promise.all(
        servers.map((server) => new Promise<void>((resolve) => void server.close(() => resolve()))),
      )
      const late = setTimeout(() => open.forEach((socket) => void socket.destroy()), withinMs)
      await ended
      clearTimeout(late)
    },
  }
}

/**
 * The second address is left out only where the machine has no IPv6; a port that is somebody else's
 * there is an error.
 */
async function listensToo(listen: () => Promise<Server>): Promise<boolean> {
  try {
    await listen()
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return false
    throw error
  }
}
