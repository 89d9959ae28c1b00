import assert from "node:assert/strict"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { test } from "node:test"
import { DEADLINES } from "./deadlines.ts"
import type { Phase, Report } from "./progress.ts"
import { type ConnectionHandler, takeConnection } from "./take-connection.ts"

const HEAD = Buffer.from("POST /drop/form HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
/** More than any kernel buffers for a reader who does not read. */
const LONG = 64 * 1024 * 1024
const handler: ConnectionHandler = {
  async answer(request) {
    await once(request.resume(), "end")
    return { status: 200, page: "long", padding: LONG }
  },
  refuse: async (reason) => ({ status: 503, page: `refused: ${reason}`, padding: 1 }),
  headers: async () => ({ Connection: "close" }),
}

async function connected(): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  const theirs = connect((server.address() as AddressInfo).port, "127.0.0.1")
  theirs.on("error", () => undefined)
  const [ours] = (await once(server, "connection")) as [Socket]
  server.close()
  return { ours, theirs }
}

function options(reports: Report[] = []) {
  return {
    deadlines: DEADLINES.upload,
    reportMs: 10,
    report: (report: Report) => void reports.push(report),
  }
}

async function reached(reports: readonly Report[], phase: Phase): Promise<void> {
  while (reports.at(-1)?.phase !== phase) await new Promise((resolve) => setTimeout(resolve, 5))
}

test("a connection that is gone before its head has come is over, however it went", async () => {
  for (const leave of [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.resetAndDestroy(),
  ]) {
    const { ours, theirs } = await connected()
    const head = Promise.withResolvers<Buffer>()
    const { over } = takeConnection(ours, head.promise, handler, options())
    leave(theirs)
    ours.resume()
    await over
    head.resolve(HEAD)
  }
})

test("a connection that was closed before it was taken is over", async () => {
  const { ours, theirs } = await connected()
  ours.destroy()
  await once(ours, "close")
  await takeConnection(ours, HEAD, handler, options()).over
  theirs.destroy()
})

test("a head that cannot be read ends the connection", async () => {
  const { ours, theirs } = await connected()
  await takeConnection(ours, Promise.reject(new Error("no head")), handler, options()).over
  theirs.destroy()
})

test("who gives way before a request is there is told why, in a short page that says when to come back", async () => {
  const { ours, theirs } = await connected()
  const taken = takeConnection(ours, HEAD.subarray(0, 30), handler, options())
  taken.giveWay("answering")
  taken.giveWay("receiving")
  const answer = (await theirs.setEncoding("utf8").toArray()).join("")
  assert.match(answer, /^HTTP\/1\.1 503 /)
  assert.match(answer, /\r\nRetry-After: \d+\r\n/)
  assert.match(answer, /refused: gave-way/)
  assert.ok(answer.length < 4096)
  await taken.over
})

test("who does not read an answer gives way only as that: an answer that has just begun is not cut off for a slow upload", async () => {
  const { ours, theirs } = await connected()
  const reports: Report[] = []
  const taken = takeConnection(ours, HEAD, handler, options(reports))
  theirs.pause()
  await reached(reports, "answering")
  taken.giveWay("receiving")
  assert.equal(ours.destroyed, false)
  assert.deepEqual([...new Set(reports.map(({ phase }) => phase))], ["receiving", "working", "answering"]) // oxfmt-ignore
  taken.giveWay("answering")
  await taken.over
  theirs.destroy()
})

test("an answer that nobody reads has a deadline", async () => {
  const { ours, theirs } = await connected()
  theirs.pause()
  const deadlines = { totalMs: 60_000, windowMs: 50, bytesPerSecond: 1e12 }
  // The pace of incoming data no longer counts once everything has arrived.
  await takeConnection(ours, HEAD, handler, { ...options(), deadlines }).over
  theirs.destroy()
})
