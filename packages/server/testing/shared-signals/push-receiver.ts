import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { decodeJwt, type JWTPayload } from "jose"

/** One token as it arrived. */
export interface PushedToken {
  readonly headers: IncomingHttpHeaders
  readonly token: string
  readonly claims: JWTPayload & {
    readonly events: Readonly<Record<string, Record<string, unknown>>>
  }
}

export interface PushReceiver {
  readonly url: string
  readonly pushed: PushedToken[]
  /** Waits until so many came, or throws. */
  until(count: number): Promise<PushedToken[]>
  close(): Promise<void>
}

/**
 * A receiver of RFC 8935 on this machine; takes everything unless it is told to answer otherwise.
 */
export async function startPushReceiver(
  answer: (
    token: PushedToken,
    n: number,
  ) => { readonly status: number; readonly body?: string } = () => ({ status: 202 }),
): Promise<PushReceiver> {
  const pushed: PushedToken[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const token = Buffer.concat(chunks).toString("latin1")
      const one = {
        headers: request.headers,
        token,
        claims: decodeJwt<PushedToken["claims"]>(token),
      }
      const { status, body = "" } = answer(one, pushed.length)
      pushed.push(one)
      response.writeHead(status, { "content-type": "application/json" }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A test that fails does not close it.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/events`,
    pushed,
    async until(count) {
      const deadline = Date.now() + 60_000
      while (pushed.length < count) {
        if (Date.now() > deadline) throw new Error(`${pushed.length} of ${count} tokens came`)
        await delay(20)
      }
      return pushed.slice(0, count)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
