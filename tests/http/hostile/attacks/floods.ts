import { randomBytes } from "node:crypto"
import { Agent, request } from "node:http"
import { type Attack, count, type Target } from "../attack.ts"
import { endWithin, openConnection, pause } from "../raw-connection.ts"

type Request = Pick<Asked, "port" | "path"> & Partial<Pick<Asked, "headers" | "body">>

/** This many at once, each asking again as soon as it was answered. */
function flood(name: string, atOnce: number, next: (target: Target, n: number) => Request): Attack {
  return {
    name,
    async run(target, tally, over) {
      const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
      let n = 0
      const lane = async (): Promise<void> => {
        while (!over.aborted)
          count(tally, `status ${await ask({ ...next(target, n++), agent, over })}`)
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
      agent.destroy()
    },
  }
}

const json = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
})

/**
 * Addresses that were dear to refuse: long labels, long addresses, characters that must be
 * normalised.
 */
const DEAR_ADDRESSES = [
  `a@${"ü".repeat(1_000)}.example`,
  `${"a".repeat(1_000)}@mail.example`,
  `a@${"xn--".repeat(250)}.example`,
  `a@${"é.".repeat(500)}example`,
  `${"a\u0301".repeat(500)}@mail.example`,
]

export const dearInput = flood("dear input", 16, ({ port, freeKeys }, n) => ({
  port,
  path: "/api/v1/risk/score",
  headers: json(freeKeys.input),
  body: JSON.stringify({ email: DEAR_ADDRESSES[n % DEAR_ADDRESSES.length] }),
}))

export const writes = flood("writes of a free key", 16, ({ port, freeKeys }, n) => ({
  port,
  path: "/api/v1/feedback",
  headers: json(freeKeys.writes),
  body: JSON.stringify({ email: `w${n}@mail.example`, outcome: "fraud_confirmed" }),
}))

export const wrongKeys = flood("wrong keys", 4, ({ port }) => ({
  port,
  path: "/api/v1/risk/score",
  headers: json(`ask_live_${randomBytes(18).toString("hex")}`),
  body: '{"email":"a@mail.example"}',
}))

export const unknownMailboxes = flood("unknown mailboxes", 4, ({ dropPort }) => ({
  port: dropPort,
  path: "/drop/mailbox",
  headers: { "content-type": "application/octet-stream" },
  body: randomBytes(32),
}))

export const uselessTickets = flood("useless tickets", 2, ({ dropPort }) => ({
  port: dropPort,
  path: "/drop/sealed",
  headers: {
    "content-type": "application/octet-stream",
    "drop-ticket": randomBytes(40).toString("base64url"),
    "drop-withdraw": randomBytes(32).toString("hex"),
  },
  body: randomBytes(60_000),
}))

export const stolenToken = flood("a stolen token", 1, ({ port, recipientToken }) => ({
  port,
  path: `/api/v1/drop/reseal/${randomBytes(16).toString("hex")}`,
  headers: {
    authorization: `Bearer ${recipientToken}`,
    "content-type": "application/octet-stream",
  },
  body: randomBytes(1_000),
}))

interface Asked {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly agent: Agent | false
  readonly over: AbortSignal
}

/** One request; its status, or 0 where no answer came. */
async function ask({ port, path, headers, body, agent, over }: Asked): Promise<number> {
  return await new Promise((resolve) => {
    const sent = request({
      port,
      host: "127.0.0.1",
      path,
      method: body === undefined ? "GET" : "POST",
      agent,
      signal: over,
      timeout: 30_000,
      headers: { ...headers },
    })
    sent.once("timeout", () => sent.destroy())
    sent.once("error", () => resolve(0))
    sent.once("response", (response) => {
      response.on("error", () => undefined)
      response.resume().once("close", () => resolve(response.statusCode ?? 0))
    })
    sent.end(body)
  })
}

const SCORE = "POST /api/v1/risk/score HTTP/1.1\r\n"
const REQUESTS = [
  "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
  "GET /readyz HTTP/1.1\r\nHost: rebound.example\r\n\r\n",
  `${SCORE}Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${SCORE}Host: localhost\r\nContent-Length: 16000\r\n\r\n{"email":`,
  `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  "\u0000\u0001\u0002 HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\n",
]

/** Requests that no client sends, each left open for as long as the service lets it. */
export const oddRequests: Attack = {
  name: "odd requests",
  async run({ port, dropPort }, tally, over) {
    for (let n = 0; !over.aborted; n++) {
      const socket = await openConnection(n % 4 === 3 ? dropPort : port)
      if (socket !== null) {
        socket.write(REQUESTS[n % REQUESTS.length] ?? "")
        void endWithin(socket, 10_000)
        count(tally, "requests")
      }
      await pause(100, over)
    }
  },
}
