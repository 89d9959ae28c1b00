import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { Webhook } from "standardwebhooks"

/** One attempt, as a receiver sees it. */
export interface Received {
  readonly path: string
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: object }
  readonly answered: number
}

/** What it answers; `hang`: nothing at all, `cut`: it hangs up. */
export type Answer =
  | number
  | "hang"
  | "cut"
  | {
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: string
      /** It takes so long to answer. */
      readonly afterMs?: number
    }

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Waits until so many attempts came, or throws. */
  until(count: number): Promise<Received[]>
  /** Hangs up on everybody, and is not there for a while. */
  crash(forMs: number): Promise<void>
  close(): Promise<void>
}

/** A receiver on this machine that answers as it is told. */
export async function startReceiver(
  answer: (attempt: Omit<Received, "answered">, n: number) => Answer = () => 204,
  port = 0,
): Promise<Receiver> {
  const received: Received[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const body = JSON.parse(text) as Received["body"]
      const { url: path = "", headers } = request
      const attempt = { path, id: String(headers["webhook-id"]), headers, text, body }
      const told = answer(attempt, received.length)
      const answered = typeof told === "number" ? told : typeof told === "object" ? told.status : 0
      received.push({ ...attempt, answered })
      if (told === "cut") request.socket.destroy()
      else if (typeof told === "number") response.writeHead(told).end()
      else if (told !== "hang")
        setTimeout(
          () => response.writeHead(told.status, told.headers).end(told.body),
          told.afterMs ?? 0,
        )
    })
  })
  const listen = (on: number): Promise<void> =>
    new Promise((resolve) => server.listen(on, "127.0.0.1", resolve))
  const hangUp = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  // A test that fails before it closes this one ends all the same.
  server.unref()
  await listen(port)
  const { port: listensOn } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${listensOn}`,
    received,
    async until(count) {
      const deadline = Date.now() + 60_000
      while (received.length < count) {
        if (Date.now() > deadline) throw new Error(`${received.length} of ${count} attempts came`)
        await delay(20)
      }
      return received
    },
    async crash(forMs) {
      await hangUp()
      await delay(forMs)
      await listen(listensOn)
    },
    close: hangUp,
  }
}

/** Whether the stock library of Standard Webhooks takes an attempt for genuine. */
export function isGenuine(
  { headers, text }: Pick<Received, "headers" | "text">,
  secret: string,
): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
