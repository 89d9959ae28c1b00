import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http"
import { type AddressInfo, Server as NetServer } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { BACKLOG } from "@assay/runtime/open-files"
import type { App } from "./app.ts"
import { HEADERS_MAX } from "./sizes.ts"

/** Where a server without HOST listens: this machine, by either protocol. */
const LOOPBACK = ["127.0.0.1", "::1"] as const

export interface Listening {
  readonly port: number
  readonly addresses: readonly string[]
  /**
   * Takes no new connections and resolves when the open ones have ended: each with its next answer,
   * or `lingerMs` later once it is idle.
   */
  close(lingerMs?: number): Promise<void>
  /** Ends connections whose requests did not finish in time. */
  cutOff(): void
}

/**
 * Listens on `host`, or on both loopback addresses. The second is left out only where the machine
 * has no IPv6; a port that is taken on either is an error, because a caller would reach somebody
 * else's server by the same name. `prepare` sees each server before it listens.
 */
export async function listen(
  app: App,
  port: number,
  host: string | null,
  prepare: (server: Server) => void = () => undefined,
): Promise<Listening> {
  const [first, second] = host === null ? LOOPBACK : [host, null]
  const drain = openDrain()
  const [answer] = app.server.listeners("request") as RequestListener[]
  const prepared = (server: Server): void => {
    prepare(server)
    drain.watch(server)
  }
  prepared(app.server)
  await app.listen({ port, host: first, backlog: BACKLOG })
  const bound = (app.server.address() as AddressInfo).port
  if (second === null) return listening(app, drain, bound, [first], [app.server])
  const sibling = siblingOf(app, answer)
  prepared(sibling)
  try {
    await new Promise<void>((resolve, reject) => {
      sibling.once("error", reject)
      sibling.listen({ port: bound, host: second, backlog: BACKLOG }, resolve)
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") {
      return listening(app, drain, bound, [first], [app.server])
    }
    await app.close()
    throw error
  }
  return listening(app, drain, bound, [first, second], [app.server, sibling])
}

const LINGER_MS = 200
const SWEEP_MS = 50

/**
 * Lets connections end with an answer that says so: one closed while idle may have a request on its
 * way to it.
 */
interface Drain {
  watch(server: Server): void
  begin(): void
}

function openDrain(): Drain {
  let begun = false
  return {
    watch(server) {
      server.prependListener("request", (_request: IncomingMessage, response: ServerResponse) => {
        // Node then says `Connection: close` and closes after the answer.
        if (begun) response.shouldKeepAlive = false
      })
    },
    begin: () => void (begun = true),
  }
}

function listening(
  app: App,
  drain: Drain,
  port: number,
  addresses: string[],
  servers: Server[],
): Listening {
  return {
    port,
    addresses,
    async close(lingerMs = LINGER_MS) {
      // HTTP's own close also resets connections whose first request is still on its way. So: stop
      // accepting, answer what comes on open connections for a while, each time for the last time,
      // and then end those that are idle.
      const ended = Promise.all(servers.map(acceptNoMore))
      drain.begin()
      await Promise.race([ended, delay(lingerMs)])
      // Right after reading what has arrived: a connection whose next request waits to be read is
      // not idle.
      const sweep = (): void => servers.forEach((server) => server.closeIdleConnections())
      const sweeping = setInterval(() => setImmediate(sweep), SWEEP_MS)
      await ended
      clearInterval(sweeping)
      await app.close()
    },
    cutOff: () => servers.forEach((server) => server.closeAllConnections()),
  }
}

/** Resolves when the last connection has ended. */
async function acceptNoMore(server: Server): Promise<void> {
  await new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
}

/** A second server with the same limits that answers as the first does. */
function siblingOf(app: App, answer: RequestListener | undefined): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount } = app.server
  const sibling = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: 500,
      maxHeaderSize: HEADERS_MAX,
    },
    answer,
  )
  sibling.maxHeadersCount = maxHeadersCount
  for (const listener of app.server.listeners("clientError"))
    sibling.on("clientError", listener as never)
  return sibling
}
