import { createServer, type Server } from "node:http"
import { type AddressInfo, Server as NetServer } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import type { App } from "../app.ts"
import { HEADERS_MAX } from "./sizes.ts"

/** Where a server without HOST listens: this machine, by either protocol. */
const LOOPBACK = ["127.0.0.1", "::1"] as const

export interface Listening {
  readonly port: number
  readonly addresses: readonly string[]
  /** Takes no new connections and resolves when the requests in flight are answered. */
  close(): Promise<void>
  /** Ends connections whose requests did not finish in time. */
  cutOff(): void
}

/**
 * Listens on `host`, or on both loopback addresses. The second is left out only where the machine has no IPv6; a port
 * that is taken on either is an error, because a caller would reach somebody else's server by the same name. `prepare`
 * sees each server before it listens.
 */
export async function listen(
  app: App,
  port: number,
  host: string | null,
  prepare: (server: Server) => void = () => undefined,
): Promise<Listening> {
  const [first, second] = host === null ? LOOPBACK : [host, null]
  prepare(app.server)
  await app.listen({ port, host: first })
  const bound = (app.server.address() as AddressInfo).port
  if (second === null) return listening(app, bound, [first], [app.server])
  const sibling = siblingOf(app)
  prepare(sibling)
  try {
    await new Promise<void>((resolve, reject) => {
      sibling.once("error", reject)
      sibling.listen({ port: bound, host: second }, resolve)
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") {
      return listening(app, bound, [first], [app.server])
    }
    await app.close()
    throw error
  }
  return listening(app, bound, [first, second], [app.server, sibling])
}

const LINGER_MS = 200
const SWEEP_MS = 50

function listening(app: App, port: number, addresses: string[], servers: Server[]): Listening {
  return {
    port,
    addresses,
    async close() {
      // HTTP's own close also resets connections whose first request is still on its way. So: stop accepting, leave
      // those a moment, and then end connections as they fall idle.
      const ended = Promise.all(servers.map(acceptNoMore))
      await delay(LINGER_MS)
      const sweeping = setInterval(
        () => servers.forEach((server) => server.closeIdleConnections()),
        SWEEP_MS,
      )
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

/** A second server with the same limits that feeds the same routes. */
function siblingOf(app: App): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount } = app.server
  const sibling = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: 500,
      maxHeaderSize: HEADERS_MAX,
    },
    app.routing,
  )
  sibling.maxHeadersCount = maxHeadersCount
  for (const listener of app.server.listeners("clientError"))
    sibling.on("clientError", listener as never)
  return sibling
}
