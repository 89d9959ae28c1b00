import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net"
import { after, mock, test } from "node:test"
import { type DoorOptions, endIfSlow, openDoor } from "./door.ts"
import { MESSAGE_BYTES } from "../sealer/plain-kind.ts"
import type { PlainConnection } from "../sealer/waiting-line.ts"

/** Counts the bytes of one request's body, as a sealer would get them, and ends. */
const COUNTING_CHILD = `
  const server = require("node:http").createServer(async (request, response) => {
    let length = 0
    for await (const piece of request) length += piece.length
    response.end("child " + length)
    response.on("close", () => process.exit(0))
  })
  process.on("message", async (_, socket) => {
    const head = []
    for await (const piece of process.stdin) head.push(piece)
    socket.unshift(Buffer.concat(head))
    server.emit("connection", socket)
  })
`

const http = createHttpServer((request, response) => {
  let length = 0
  request.on("data", (piece: Buffer) => (length += piece.length))
  request.on("end", () => response.end(`door ${length}`))
})
const doors: Server[] = []
let overwritten = 0
const visitors: Socket[] = []
after(() => {
  for (const door of doors) door.close()
  // The server would wait for a visitor who still sends, until it is too slow.
  for (const visitor of visitors) visitor.destroy()
})

async function opened(
  handOver: DoorOptions["sealers"]["handOver"],
  admit: () => boolean = () => true,
): Promise<number> {
  const door = createServer(
    openDoor({
      http,
      sealers: { handOver },
      networks: { admit },
      readBuffer: { overwrite: () => (overwritten += 1) },
      answerUnread: async (status) =>
        `HTTP/1.1 ${status} No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno`,
    }),
  )
  door.on("connection", (visitor) => visitors.push(visitor))
  doors.push(door)
  door.listen(0, "127.0.0.1")
  await once(door, "listening")
  return (door.address() as AddressInfo).port
}

/** Hands over late, so that as much as can be is already on its way into this process. */
function toChild({ socket, head }: PlainConnection): boolean {
  const child: ChildProcess = spawn(process.execPath, ["-e", COUNTING_CHILD], {
    stdio: ["pipe", "ignore", "ignore", "ipc"],
  })
  child.stdin?.end(head, () => child.send("go", socket))
  return true
}

const post = async (port: number, path: string, size: number): Promise<string> => {
  const body = Buffer.alloc(size, "x")
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body })
  return `${response.status} ${await response.text()}`
}

test("a plain request reaches its sealer to the last byte, small or large, and nobody else", async () => {
  const port = await opened(toChild)
  for (const size of [0, 10, 100_000, 20_000_000])
    assert.equal(await post(port, "/drop/form", size), `200 child ${size}`)
})

test("any other request is answered in this process", async () => {
  const port = await opened(() => assert.fail("handed over"))
  for (const size of [10, 5_000_000])
    assert.equal(await post(port, "/drop/sealed", size), `200 door ${size}`)
})

test("a head that comes byte by byte is read as one that comes at once", async () => {
  const handed: string[] = []
  const port = await opened(({ socket, head }, kind) => {
    handed.push(head.toString("latin1"))
    assert.equal(kind, "code")
    socket.destroy()
    return true
  })
  const socket = connect(port, "127.0.0.1")
  socket.setNoDelay(true)
  const sent = "\r\nPOST /drop/fr/withdraw HTTP/1.1\r\nHost: localhost\r\n\r\n"
  for (const character of sent) {
    socket.write(character)
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.on("error", () => undefined)
  await once(socket, "close")
  assert.equal(handed.length, 1)
  assert.equal(handed[0], sent)
})

test("a short message, an upload and a code are told apart by what their heads declare", async () => {
  const kinds: string[] = []
  const port = await opened((connection, kind) => {
    kinds.push(kind)
    return toChild(connection)
  })
  for (const size of [0, MESSAGE_BYTES, MESSAGE_BYTES + 1]) await post(port, "/drop/form", size)
  await post(port, "/drop/presealed", 10)
  await post(port, "/drop/replies", MESSAGE_BYTES + 1)
  const body = ReadableStream.from([Buffer.from("of no declared length")])
  const unknown = { method: "POST", body, duplex: "half" } as const
  await fetch(`http://127.0.0.1:${port}/drop/form`, unknown)
  assert.deepEqual(kinds, ["message", "message", "upload", "message", "code", "upload"])
})

test("who hangs up before the head of a plain request is whole gets no sealer", async () => {
  const port = await opened(() => assert.fail("handed over"))
  const socket = connect(port, "127.0.0.1")
  socket.end("POST /drop/form HTTP/1.1\r\nHost: localhost\r\n")
  socket.resume()
  await once(socket, "close")
})

test("who finds no sealer, or comes from a network that sent enough, is told so although they still send", async () => {
  const busy = await opened(() => false)
  assert.equal(await post(busy, "/drop/form", 3_000_000), "503 no")
  const counted = await opened(
    () => assert.fail("handed over"),
    () => false,
  )
  assert.equal(await post(counted, "/drop/form", 3_000_000), "503 no")
})

test("asking for replies is never counted by network", async () => {
  const port = await opened(toChild, () => false)
  assert.equal(await post(port, "/drop/replies", 100), "200 child 100")
})

test("what has no first line is refused", async () => {
  const port = await opened(() => assert.fail("handed over"))
  const socket = connect(port, "127.0.0.1")
  socket.write("x".repeat(9000))
  const [answer] = (await once(socket, "data")) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1.1 400 /)
  socket.destroy()
})

test("who waited for a sealer in vain is told so although they still send, and nothing of theirs stays", async () => {
  const { promise: waiting, resolve } = Promise.withResolvers<PlainConnection>()
  const port = await opened((connection, kind) => {
    assert.equal(kind, "upload")
    resolve(connection)
    return true
  })
  const answer = post(port, "/drop/form", 3_000_000)
  const { socket, head, refused } = await waiting
  // As the pool does when their time is over.
  head.fill(0)
  const handed = overwritten
  const closed = once(socket, "close")
  refused()
  assert.equal(await answer, "503 no")
  await closed
  // Overwritten again, for the bytes read since.
  assert.ok(overwritten > handed)
})

test("a page that cannot be made closes the connection, and ends nothing else", async () => {
  const door = createServer(
    openDoor({
      http,
      sealers: { handOver: () => false },
      networks: { admit: () => true },
      readBuffer: { overwrite: () => undefined },
      answerUnread: () => Promise.reject(new Error("no room is known")),
    }),
  )
  doors.push(door)
  door.listen(0, "127.0.0.1")
  await once(door, "listening")
  const { port } = door.address() as AddressInfo
  await assert.rejects(post(port, "/drop/form", 10))
})

/**
 * Returns for how many seconds a connection stays open that receives `bytesASecond`, at most
 * `seconds`.
 */
function secondsOpen(bytesASecond: number, seconds: number): number {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] })
  const socket = new Socket()
  let moved = 0
  Object.defineProperty(socket, "bytesRead", { get: () => moved })
  endIfSlow(socket)
  let open = 0
  while (open < seconds && !socket.destroyed) {
    moved += bytesASecond
    mock.timers.tick(1000)
    open += 1
  }
  socket.destroy()
  mock.timers.reset()
  return open
}

test("T40: who sends a byte a second is cut off after a minute, and so is who sends nothing", () => {
  assert.equal(secondsOpen(1, 3600), 60)
  assert.equal(secondsOpen(0, 3600), 60)
  assert.equal(secondsOpen(999, 3600), 60)
})

test("who sends 1 kB a second is not, and has an hour", () => {
  assert.equal(secondsOpen(1000, 3599), 3599)
  assert.equal(secondsOpen(1_000_000, 7200), 3600)
})
