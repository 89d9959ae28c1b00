import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { hostname, networkInterfaces } from "node:os"
import { isIPv4 } from "node:net"
import { problems } from "@assay/core/contract"
import { Problem, problemDetails } from "../base/problem.ts"
import type { Observe } from "./observe.ts"

/** Whether a request may name this host, without its port. */
export type HostRule = (host: string) => boolean

/**
 * Refuses requests with more than one `Host`, since a proxy before us may have read the other one,
 * and those whose host `allows` refuses. Runs before any route, also the drop's on a shared port.
 */
export function checkHosts(allows: HostRule | null, observe: Observe): (server: Server) => void {
  return (server) => {
    const listeners = server.listeners("request")
    server.removeAllListeners("request")
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const problem = refusalOf(request, allows)
      if (problem === null) {
        for (const listener of listeners) listener.call(server, request, response)
        return
      }
      refuse(request, response, problem)
      observe("unread", request.method ?? "unknown", problems[problem.code].status, 0)
    })
  }
}

const INTERFACES_KEPT_MS = 10_000

/**
 * For demos, whose key is on the screen and whose drop is anybody's: a web page elsewhere whose
 * name is made to point here (DNS rebinding) could otherwise use them through a browser of this
 * machine.
 */
export function thisMachine(more: readonly string[]): HostRule {
  const names = new Set([
    "localhost",
    hostname().toLowerCase(),
    ...more.map((name) => name.toLowerCase()),
  ])
  let readAtMs = -Infinity
  let addresses: ReadonlySet<string> = new Set()
  return (host) => {
    if (names.has(host) || (host.startsWith("127.") && isIPv4(host)) || host === "::1") return true
    // An address may come while we run; a request that names none must not cost a look at them all.
    if (performance.now() - readAtMs > INTERFACES_KEPT_MS) {
      readAtMs = performance.now()
      addresses = new Set(
        Object.values(networkInterfaces()).flatMap(
          (each) => each?.map(({ address }) => address) ?? [],
        ),
      )
    }
    return addresses.has(host)
  }
}

function refusalOf(
  { rawHeaders, headers, url = "" }: IncomingMessage,
  allows: HostRule | null,
): Problem | null {
  let hosts = 0
  for (let n = 0; n < rawHeaders.length; n += 2)
    if (rawHeaders[n]?.length === 4 && rawHeaders[n]?.toLowerCase() === "host") hosts++
  if (hosts > 1) return new Problem("malformed-http", "The request has more than one Host.")
  if (allows === null) return null
  const isAllowed = (authority: string): boolean => allows(withoutPort(authority))
  const inTarget = authorityIn(url)
  if (isAllowed(headers.host ?? "") && (inTarget === null || isAllowed(inTarget))) return null
  return new Problem("host-not-allowed", "A demo answers only to names of its own machine.")
}

/** A target with a host of its own, which goes before the header (RFC 9112, 3.2.2). */
function authorityIn(url: string): string | null {
  if (url.startsWith("/")) return null
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? null
}

let latest = { authority: "", host: "" }

/** Called for every request, and mostly with the same text. */
function withoutPort(authority: string): string {
  if (authority !== latest.authority) latest = { authority, host: hostOf(authority) }
  return latest.host
}

function hostOf(authority: string): string {
  const host = authority.replace(/:\d*$/, "").toLowerCase()
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host.replace(/\.$/, "")
}

function refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const { status } = problems[problem.code]
  const body = JSON.stringify(problemDetails(problem, null))
  request.resume()
  response.writeHead(status, STATUS_CODES[status], {
    "content-type": "application/problem+json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
  })
  response.end(request.method === "HEAD" ? undefined : body)
}
