// Sends requests over a fixed number of connections, one at a time on each, and prints LoadFigures.
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { createHistogram } from "node:perf_hooks"
import type { GeneratorOrder, LoadFigures } from "./load.ts"

/**
 * Requests due within one tick of the timer are sent together; it is the finest Node's timers go.
 */
const TICK_MS = 1
/**
 * Requests of the beginning are sent and not timed: connections are being opened and this program
 * is not compiled yet.
 */
const UNTIMED_MS = 1000
/** After the last request was due, answers have this long to arrive. */
const PATIENCE_MS = 10_000

const order = JSON.parse(process.argv[2] ?? "") as GeneratorOrder
const requests = requestsOf(order)
const lastsMs = UNTIMED_MS + order.seconds * 1000
const latency = createHistogram()
let answers = 0
let refused = 0

const open = Array.from({ length: order.connections }, () => connectTo(order.port))
const startedAt = performance.now()
const broken = order.ratePerSecond === null ? await withoutPace() : await paced(order.ratePerSecond)
const seconds = (performance.now() - startedAt) / 1000
for (const connection of open) connection.close()
const figures: LoadFigures = {
  requests: answers,
  seconds,
  p50Ms: latency.percentile(50) / 1e6,
  p95Ms: latency.percentile(95) / 1e6,
  p99Ms: latency.percentile(99) / 1e6,
  refused,
  broken,
}
console.log(JSON.stringify(figures))

/**
 * Sends the requests that are due at each tick over any free connection. Returns how many stayed
 * without an answer.
 */
async function paced(ratePerSecond: number): Promise<number> {
  const total = Math.floor((ratePerSecond * lastsMs) / 1000)
  const dueAt = (n: number): number => startedAt + (n * 1000) / ratePerSecond
  const idle = [...open]
  let sent = 0
  let failed = 0
  return await new Promise((resolve) => {
    const finish = (): void => {
      clearInterval(ticking)
      clearTimeout(patience)
      resolve(total - answers)
    }
    const sendDue = (): void => {
      while (sent < total && dueAt(sent) <= performance.now()) {
        // In turn: one that nothing is sent on is closed by the service after some seconds.
        const connection = idle.shift()
        // All are waiting for answers: the request stays due, and its wait counts as latency.
        if (connection === undefined) return
        void use(connection, sent++)
      }
    }
    const use = async (connection: Connection, n: number): Promise<void> => {
      try {
        record(await connection.send(requestAt(n)), dueAt(n))
        idle.push(connection)
        sendDue()
      } catch {
        failed++
      }
      if (answers + failed === total || failed === open.length) finish()
    }
    const ticking = setInterval(sendDue, TICK_MS)
    const patience = setTimeout(finish, lastsMs + PATIENCE_MS)
  })
}

/** Every connection sends as fast as it is answered. Returns how many connections broke. */
async function withoutPace(): Promise<number> {
  const endsAt = startedAt + lastsMs
  let sent = 0
  const ended = await Promise.allSettled(
    open.map(async (connection) => {
      for (let at = performance.now(); at < endsAt; at = performance.now())
        record(await connection.send(requestAt(sent++)), at)
    }),
  )
  return ended.filter(({ status }) => status === "rejected").length
}

function record(status: number, sinceMs: number): void {
  answers++
  if (status < 200 || status > 299) refused++
  if (sinceMs < startedAt + UNTIMED_MS) return
  latency.record(Math.max(1, Math.round((performance.now() - sinceMs) * 1e6)))
}

function requestAt(n: number): Buffer {
  return requests[n % requests.length] as Buffer
}

function requestsOf({ port, path, apiKey, bodiesFile }: GeneratorOrder): readonly Buffer[] {
  const bodies = readFileSync(bodiesFile, "utf8").split("\n").filter(Boolean)
  return bodies.map((body) =>
    Buffer.from(
      [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        "Content-Type: application/json",
        `Authorization: Bearer ${apiKey}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        "",
        body,
      ].join("\r\n"),
    ),
  )
}

interface Connection {
  /** Sends a whole request and resolves with the status of its answer. One at a time. */
  send(request: Buffer): Promise<number>
  close(): void
}

/**
 * A connection that reads of HTTP only what the servers of this bench send: a status, headers with
 * a length, a body. Node's own client would cost as much as the server it measures.
 */
function connectTo(port: number): Connection {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  let received: Buffer = Buffer.alloc(0)
  let waiting: PromiseWithResolvers<number> | null = null
  let fault: Error | null = null

  const fail = (error: Error): void => {
    fault ??= error
    waiting?.reject(fault)
    socket.destroy()
  }
  socket.on("error", fail)
  socket.on("close", () => fail(new Error("the server closed the connection")))
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const headEnd = received.indexOf("\r\n\r\n")
    if (headEnd === -1) return
    const head = received.toString("latin1", 0, headEnd)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      fail(new Error("an answer without a length"))
      return
    }
    if (received.length < headEnd + 4 + Number(length)) return
    received = Buffer.alloc(0)
    waiting?.resolve(Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)))
  })
  return {
    async send(request) {
      if (fault !== null) throw fault
      waiting = Promise.withResolvers()
      socket.write(request)
      return await waiting.promise
    },
    close() {
      waiting = null
      socket.destroy()
    },
  }
}
