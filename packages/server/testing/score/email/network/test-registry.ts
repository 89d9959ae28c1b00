import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { after } from "node:test"

/** What the registry does with a question about a domain. */
export type RegistryReply = (response: ServerResponse) => void

export interface TestRegistry {
  /** As `ASSAY_RDAP_URL` takes it. */
  readonly url: string
  /** The path and the header fields of every request that arrived, in order. */
  readonly asked: readonly { readonly path: string; readonly headers: Record<string, unknown> }[]
  close(): void
}

const opened = new Set<Server>()
after(() => opened.forEach(closeServer))

/**
 * An RDAP server on loopback that answers `/domain/NAME` from a script, `/help` always, and 404 for
 * the rest.
 */
export async function openTestRegistry(
  domains: Readonly<Record<string, RegistryReply>>,
): Promise<TestRegistry> {
  const asked: TestRegistry["asked"][number][] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    asked.push({ path, headers: request.headers })
    const reply = domains[path.replace("/domain/", "")]
    if (path === "/help") documented({ rdapConformance: ["rdap_level_0"] })(response)
    else if (reply === undefined) failing(404)(response)
    else reply(response)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  opened.add(server)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () => closeServer(server),
  }
}

function closeServer(server: Server): void {
  opened.delete(server)
  server.close()
  server.closeAllConnections()
}

export function registeredOn(eventDate: string): RegistryReply {
  return documented({
    objectClassName: "domain",
    events: [
      { eventAction: "last changed", eventDate: "2026-01-01T00:00:00Z" },
      { eventAction: "registration", eventDate },
    ],
  })
}

export function documented(document: unknown): RegistryReply {
  return saying(JSON.stringify(document))
}

export function saying(body: string | Buffer, headers: Record<string, string> = {}): RegistryReply {
  return (response) =>
    void response.writeHead(200, { "content-type": "application/rdap+json", ...headers }).end(body)
}

export function failing(status: number): RegistryReply {
  return (response) => void response.writeHead(status).end()
}

export function redirecting(location: string): RegistryReply {
  return (response) => void response.writeHead(302, { location }).end()
}

/** Never answers. */
export const silent: RegistryReply = () => undefined

/** Sends a byte now and then, and never ends. */
export const dripping: RegistryReply = (response) => {
  response.writeHead(200, { "content-type": "application/rdap+json" })
  const timer = setInterval(() => response.write(" "), 50)
  response.on("close", () => clearInterval(timer))
}
