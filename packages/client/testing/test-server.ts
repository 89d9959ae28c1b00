import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { after } from "node:test"
import type { EmailRiskResult, PhoneRiskResult } from "@assay/core/contract"
import { type ClientOptions, createClient } from "../src/index.ts"

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface TestServer {
  readonly url: string
  /** The requests that arrived so far. */
  readonly seen: readonly Seen[]
}

export type Reply = (response: ServerResponse, seen: Seen) => void

const servers = new Set<Server>()

// Set while the module loads, so the hook belongs to the file and runs after its last test, passed
// or failed.
after(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})

/**
 * Listens on loopback and gives the requests to `replies` in turn, the last one again and again.
 */
export async function startTestServer(
  ...replies: readonly [Reply, ...Reply[]]
): Promise<TestServer> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const { method = "", url = "", headers } = request
      const arrived = { method, url, headers, body: Buffer.concat(chunks).toString() }
      const reply = replies[Math.min(seen.length, replies.length - 1)]
      seen.push(arrived)
      reply?.(response, arrived)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  servers.add(server)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** An address that nothing listens on: its port was opened and closed again. */
export async function deadUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => void server.close(() => resolve()))
  return `http://127.0.0.1:${port}`
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body))
}

export function problem(
  status: number,
  body: { readonly code: string; readonly [member: string]: unknown },
  headers: Record<string, string> = {},
): Reply {
  const document = { type: `/problems/${body.code}`, title: "A title", status, ...body }
  return json(status, document, { "content-type": "application/problem+json", ...headers })
}

/** Closes the connection without a word. */
export const cut: Reply = (response) => void response.socket?.destroy()

export const silence: Reply = () => undefined

export const EMAIL = "ana.silva@mail.example"
export const PHONE = "+61491570156"
export const KEY = "ask_live_0123456789abcdefghijABCDEFGHIJ012345"

export const emailResult: EmailRiskResult = {
  email: EMAIL,
  risk_score: 42,
  confidence: "high",
  threat_stage: "LEAKED",
  exposed: true,
  exposure_count: 2,
  last_seen: "2026-01-02",
  risk_reasons: ["Password exposed in plain text"],
  recommended_action: "step_up_auth",
  model_version: "1.0",
}

export const phoneResult: PhoneRiskResult = {
  phone_number: PHONE,
  risk_score: 88,
  risk_level: "CRITICAL",
  sim_swap_risk: "high",
  sim_change_detected: true,
  sim_change_window: "2h",
  ownership_confidence: "low",
  network_continuity: "unstable",
  number_type: "mobile",
  carrier_region: "AU",
  risk_reasons: ["SIM changed 2 hours ago"],
  recommendation: "block",
}

/** Far more than loopback needs, so that a busy machine fails no test that is not about time. */
export const AMPLE = { timeoutMs: 10_000 }

/** A client with ample time. */
export function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl, apiKey: KEY, ...AMPLE, ...options })
}
