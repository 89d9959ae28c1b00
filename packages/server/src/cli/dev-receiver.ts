import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { createClient, type Client } from "@assay/client"
import { EVENT_KINDS, EVENTS } from "@assay/core/contract"
import { asked } from "./drop-service.ts"
import type { OnSignal } from "./serve.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface DevReceiverOptions {
  readonly port: string
  readonly url: string
}

/** Attempts whose time is further away are taken for repeated by somebody else. */
const TOLERANCE_SECONDS = 300
const BODY_BYTES_MAX = 64 * 1024

/** Has a service on this machine send its events here, checks them and prints them. */
export async function runDevReceiver(
  { port, url }: DevReceiverOptions,
  terminal: Terminal,
  onSignal: OnSignal,
): Promise<void> {
  const { env, print, now } = terminal
  const apiKey = env["ASSAY_API_KEY"]
  if (apiKey === undefined || apiKey === "")
    throw new CommandError("An API key with `webhooks:manage` is needed in ASSAY_API_KEY")
  const client = clientOf(url, apiKey)
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) onSignal(signal, resolve)
  })
  let secret = ""
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
      else request.destroy()
    })
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const genuine = isGenuine(secret, request.headers, text, now())
      print(genuine ? lineOf(request.headers, text) : "refused: the signature does not fit")
      response.writeHead(genuine ? 204 : 401).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new CommandError(`Port ${port} is in use; take another with --port`, { cause: error })
          : error,
      ),
    )
    server.listen(portOf(port), "127.0.0.1", resolve)
  })
  try {
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const kinds = EVENT_KINDS.filter((kind) => EVENTS[kind].owner !== "service")
    const made = await asked(() =>
      client.create({ url: own, events: [...kinds], description: "npx assay dev receiver" }),
    )
    secret = made.secret
    print(`Events of ${url} arrive at ${own} and are printed here; stop with Ctrl-C.`)
    await asked(() => client.test(made.webhook.id))
    await stopped
    await asked(() => client.delete(made.webhook.id))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function clientOf(url: string, apiKey: string): Client["webhooks"] {
  try {
    return createClient({ baseUrl: url, apiKey, timeoutMs: 30_000 }).webhooks
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const message = error.message.replace(/^baseUrl/, "--url").replace(/^apiKey/, "ASSAY_API_KEY")
    throw new CommandError(message, { cause: error })
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (!(port <= 65_535)) throw new CommandError("--port takes 0 to 65535; 0 is any that is free")
  return port
}

/** Checks an attempt as docs/integrating.md shows it. */
function isGenuine(
  secret: string,
  headers: IncomingHttpHeaders,
  text: string,
  nowMs: number,
): boolean {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    String(headers[`webhook-${name}`] ?? ""),
  ) as [string, string, string]
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const due = createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest()
  return signatures.split(" ").some((signature) => {
    const [scheme, value = ""] = signature.split(",")
    const given = Buffer.from(value, "base64")
    return scheme === "v1" && given.length === due.length && timingSafeEqual(given, due)
  })
}

function lineOf(headers: IncomingHttpHeaders, text: string): string {
  const { type, timestamp, data } = JSON.parse(text) as Record<string, unknown>
  return `${String(timestamp)}  ${String(type)}  ${String(headers["webhook-id"])}  ${JSON.stringify(data)}`
}
