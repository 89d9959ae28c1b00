import { readFileSync } from "node:fs"
import type { Server, Socket } from "node:net"

/**
 * Stores, journals, look-ups over the network and the pipe to the primary: what a process opens
 * besides connections.
 */
const FILES_RESERVED = 64
/** If the system does not report its limit (not Linux): what most systems allow by default. */
const FILES_GUESSED = 1024

/**
 * How many connections the kernel completes while a process is busy with something else. Beyond
 * Node's own 511, which a burst fills within a tenth of a second, it drops packets without a word,
 * and an honest caller waits for seconds until theirs are sent again. The kernel may allow fewer.
 */
export const BACKLOG = 4096

/** How many files and connections this process may have open at once. */
function openFilesMax(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8")
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1] ?? ""
    return soft === "unlimited" ? Infinity : Number(soft) || FILES_GUESSED
  } catch {
    return FILES_GUESSED
  }
}

/**
 * How many connections may be open at once, so that files can still be opened beside them. Beyond
 * the system's limit a worker loses the connections handed to it, and the primary waits for ever
 * for their confirmation.
 */
export function connectionsMax(filesPerConnection = 1, filesMax = openFilesMax()): number {
  if (filesMax === Infinity) return Infinity
  const free = filesMax - FILES_RESERVED - Math.floor(filesMax / 8)
  return Math.max(8, Math.floor(free / filesPerConnection))
}

/**
 * Limits the connections of all servers it is given to `max` together. Further ones are closed at
 * once.
 */
export function limitConnections(max: number): (server: Server) => void {
  const servers = new Map<Server, number>()
  const share = (): void => {
    const open = [...servers.values()].reduce((sum, count) => sum + count, 0)
    for (const [server, count] of servers) server.maxConnections = Math.max(0, max - open + count)
  }
  return (server) => {
    if (max === Infinity) return
    // Else a worker would give the connection back, and the primary would offer it again and again.
    Object.assign(server, { dropMaxConnection: true })
    servers.set(server, 0)
    const count = (change: number): void => {
      servers.set(server, (servers.get(server) ?? 0) + change)
      share()
    }
    server.on("connection", (socket: Socket) => {
      count(1)
      socket.once("close", () => count(-1))
    })
    share()
  }
}
