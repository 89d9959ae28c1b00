import assert from "node:assert/strict"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server } from "node:net"
import { after, afterEach, before, test } from "node:test"
import type { DropDesk } from "../drop-desk.ts"
import { CODE_PADDING } from "./answer.ts"
import { DEADLINES, type Deadlines } from "./deadlines.ts"
import { openSealerPool, type SealerPool } from "./sealer-pool.ts"
import { openTestDesk, TEST_PAGE_FILES, type TestDesk } from "./test-desk.ts"

const BOUNDARY = "----assay"

let store: TestDesk
let desk: DropDesk
before(async () => {
  store = await openTestDesk()
  desk = store.desk
})
after(() => store[Symbol.asyncDispose]())

interface SmallDoor {
  readonly pool: SealerPool
  readonly port: number
  readonly refused: Promise<true>
}
let opened: { pool: SealerPool; server: Server } | null = null
afterEach(async () => {
  opened?.server.close()
  await opened?.pool.close()
  opened = null
})

/** Hands every connection to a sealer, whatever it is about. */
async function openSmallDoor(
  count: number,
  { deadlines = DEADLINES, with: offered = desk }: { deadlines?: Deadlines; with?: DropDesk } = {},
): Promise<SmallDoor> {
  const pool = openSealerPool({
    count,
    desk: offered,
    program: { execPath: process.execPath, execArgv: process.execArgv },
    settings: { pageFiles: TEST_PAGE_FILES, deadlines },
    onFault: (code) => assert.fail(code),
  })
  const { promise: refused, resolve } = Promise.withResolvers<true>()
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", (head: Buffer) => {
      socket.pause()
      if (pool.handOver(socket, [head])) return
      resolve(true)
      socket.destroy()
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  opened = { pool, server }
  return { pool, port: (server.address() as AddressInfo).port, refused }
}

async function send(port: number, fields: Record<string, string>): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return await fetch(`http://127.0.0.1:${port}/drop/form`, { method: "POST", body })
}

/** What a person sees in the field for the message. */
function fieldText(page: string): string {
  const [, text = ""] = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page) ?? []
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

async function storedMessages(): Promise<string[]> {
  return (await store.messages()).map(({ message }) => message).sort()
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test("T36: a sealer takes one message, is gone after its answer, and another stands ready", async () => {
  const { pool, port } = await openSmallDoor(1)
  const [first] = pool.pids()
  assert.ok(first !== undefined)
  const answer = await send(port, { message: "one message", mode: "two-way", token: store.token() })
  const page = await answer.text()
  assert.equal(answer.status, 200, page.slice(0, 2000))
  assert.equal(Buffer.byteLength(page) % CODE_PADDING, 0)
  while (runs(first)) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await storedMessages(), ["one message"])

  const again = await send(port, { message: "another", mode: "one-way", token: store.token() })
  assert.equal(again.status, 200)
  assert.ok(!pool.pids().includes(first))
  assert.deepEqual(await storedMessages(), ["another", "one message"])
})

test("connections wait for a sealer, and the twenty-second of them is not taken", async () => {
  const { pool, port, refused } = await openSmallDoor(1)
  const sockets = Array.from({ length: 22 }, () => connect(port, "127.0.0.1"))
  for (const socket of sockets)
    socket.on("error", () => undefined).write("POST /drop/form HTTP/1.1\r\n")
  await refused
  assert.equal(pool.pids().length, 1)
  for (const socket of sockets) socket.destroy()
})

test("a sender who is too slow is told so with a status, and has the text back", async () => {
  const { port } = await openSmallDoor(1, {
    deadlines: { totalMs: 60_000, windowMs: 300, bytesPerSecond: 1_000_000 },
  })
  const socket = connect(port, "127.0.0.1")
  const head = `POST /drop/form HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 99999\r\n\r\n`
  const part = `Content-Disposition: form-data; name="message"\r\n\r\nslowly written\r\n--${BOUNDARY}\r\n`
  socket.write(`${head}--${BOUNDARY}\r\n${part}`)
  const answer = (await socket.setEncoding("utf8").toArray()).join("")
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.equal(fieldText(answer), "slowly written")
  assert.match(answer, /too slow/)
})

test("what is no HTTP at all gets a page and a status, and nothing is thrown", async () => {
  const { port } = await openSmallDoor(1)
  const socket = connect(port, "127.0.0.1")
  socket.write("POST /drop/form HTTP/1.1\r\nbroken header\r\n\r\n")
  const answer = (await socket.setEncoding("utf8").toArray()).join("")
  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.match(answer, /Content-Security-Policy: default-src 'none'/)
})

for (const [what, code, sentence] of [
  ["a full disk", "full", /There is no space/],
  ["a store that fails", "damaged", /Something went wrong/],
] as const) {
  test(`with ${what} the form comes back with its text and a status, and no piece stays`, async () => {
    const before = await storedMessages()
    const abandoned: string[] = []
    const { port } = await openSmallDoor(1, {
      with: {
        ...desk,
        finish: () => Promise.reject(Object.assign(new Error("no"), { code })),
        abandon: async (id) => {
          abandoned.push(id)
          await desk.abandon(id)
        },
      },
    })
    const answer = await send(port, {
      message: "not <stored>",
      mode: "one-way",
      token: store.token(),
    })
    const page = await answer.text()
    assert.equal(answer.status, 503)
    assert.match(page, sentence)
    assert.equal(fieldText(page), "not <stored>")
    assert.match(page, /id="mode-one-way"[^>]* checked/)
    assert.equal(abandoned.length, 1)
    assert.deepEqual(await storedMessages(), before)
  })
}

test("T30: the pieces of a sealer that is killed in the middle are forgotten, and its sender sees a broken connection", async () => {
  const before = await storedMessages()
  const abandoned = Promise.withResolvers<string>()
  const { pool, port } = await openSmallDoor(1, {
    with: {
      ...desk,
      async storePiece(id, index, piece) {
        await desk.storePiece(id, index, piece)
        for (const pid of pool.pids()) process.kill(pid, "SIGKILL")
      },
      async abandon(id) {
        await desk.abandon(id)
        abandoned.resolve(id)
      },
    },
  })
  await assert.rejects(send(port, { message: "killed", mode: "one-way", token: store.token() }))
  await abandoned.promise
  assert.deepEqual(await storedMessages(), before)
})
