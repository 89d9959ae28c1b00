import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
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
 * that is taken on either is an error, because a caller would reach somebody else's server by the same name.
 */
export async function listen(app: App, port: number, host: string | null): Promise<Listening> {
  const [first, second] = host === null ? LOOPBACK : [host, null]
  await app.listen({ port, host: first })
  const bound = (app.server.address() as AddressInfo).port
  const alone: Listening = {
    port: bound,
    addresses: [first],
    close: async () => app.close(),
    cutOff: () => app.server.closeAllConnections(),
  }
  if (second === null) return alone
  const sibling = siblingOf(app)
  try {
    await new Promise<void>((resolve, reject) => {
      sibling.once("error", reject)
      sibling.listen({ port: bound, host: second }, resolve)
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return alone
    await app.close()
    throw error
  }
  return {
    port: bound,
    addresses: [first, second],
    async close() {
      const closed = new Promise<void>((resolve) => void sibling.close(() => resolve()))
      await Promise.all([closed, app.close()])
    },
    cutOff() {
      app.server.closeAllConnections()
      sibling.closeAllConnections()
    },
  }
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
