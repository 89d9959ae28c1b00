import assert from "node:assert/strict"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { after, afterEach, before, test } from "node:test"
import type { PublicDrop } from "../public-drop.ts"
import { stopReading } from "../run/door.ts"
import { CODE_PADDING } from "./answer.ts"
import { DEADLINES, type Deadlines } from "./deadlines.ts"
import type { PlainKind } from "./plain-kind.ts"
import { POOL_TIMES, type PoolTimes } from "./pool-times.ts"
import type { LaneSize } from "./sealer-lane.ts"
import { openSealerPool, type SealerPool } from "./sealer-pool.ts"
import { openTestDrop, TEST_PAGE_FILES, type TestDrop } from "../../testing/sealer/test-drop.ts"

const BOUNDARY = "----assay"

let store: TestDrop
let drop: PublicDrop
before(async () => {
  store = await openTestDrop()
  drop = store.drop
})
after(() => store[Symbol.asyncDispose]())

interface SmallDoor {
  readonly pool: SealerPool
  readonly port: number
  /** The first that was not taken, or waited in vain. */
  readonly refused: Promise<true>
  /** The bytes read of every connection before it was handed over. */
  readonly heads: readonly Buffer[]
}
let opened: { pool: SealerPool; server: Server; visitors: Socket[] } | null = null
afterEach(async () => {
  opened?.server.close()
  for (const visitor of opened?.visitors ?? []) visitor.destroy()
  await opened?.pool.close()
  opened = null
})

interface SmallDoorOptions {
  readonly most?: number
  readonly code?: LaneSize
  readonly deadlines?: Readonly<Partial<Record<PlainKind, Deadlines>>>
  readonly times?: Partial<PoolTimes>
  readonly aheadAfterMs?: number
  readonly with?: PublicDrop
  readonly program?: { readonly execPath: string; readonly execArgv: readonly string[] }
  readonly onFault?: (code: string) => void
}

/**
 * Hands every connection to a sealer, as one with a code if it asks for replies, as an upload
 * otherwise.
 */
async function openSmallDoor(
  atRest: number,
  {
    most = atRest,
    code = { atRest: 0, most: 1 },
    deadlines,
    times,
    aheadAfterMs = 0,
    with: offered = drop,
    program = { execPath: process.execPath, execArgv: process.execArgv },
    onFault = (fault) => assert.fail(fault),
  }: SmallDoorOptions = {},
): Promise<SmallDoor> {
  const testTimes = { ...POOL_TIMES.upload, ...times }
  const pool = openSealerPool({
    sizes: { message: { atRest: 0, most: 1 }, upload: { atRest, most }, code },
    drop: offered,
    program,
    pageFiles: TEST_PAGE_FILES,
    deadlines: { ...DEADLINES, ...deadlines },
    times: { message: testTimes, upload: testTimes, code: testTimes },
    aheadAfterMs,
    onFault,
  })
  const { promise: refused, resolve } = Promise.withResolvers<true>()
  const heads: Buffer[] = []
  const visitors: Socket[] = []
  const server = createServer((socket) => {
    visitors.push(socket)
    socket.on("error", () => socket.destroy())
    socket.once("data", (head: Buffer) => {
      socket.pause()
      stopReading(socket)
      heads.push(head)
      const kind = head.includes("/drop/replies ") ? "code" : "upload"
      const refuse = (): void => {
        resolve(true)
        socket.destroy()
      }
      if (!pool.handOver({ socket, head, refused: refuse }, kind)) refuse()
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  opened = { pool, server, visitors }
  return { pool, port: (server.address() as AddressInfo).port, refused, heads }
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

test("a message that comes before sealers are started ahead gets one", async () => {
  const { pool, port } = await openSmallDoor(2, { aheadAfterMs: 600_000 })
  assert.deepEqual(pool.pids(), [])
  const answer = await send(port, { message: "early", mode: "one-way", token: store.token() })
  assert.equal(answer.status, 200)
  assert.ok((await storedMessages()).includes("early"))
})

test("sealers are started ahead when their time has come", async () => {
  const { pool } = await openSmallDoor(2, { aheadAfterMs: 50 })
  assert.deepEqual(pool.pids(), [])
  await until(() => pool.pids().length === 2)
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
    deadlines: { upload: { totalMs: 60_000, windowMs: 300, bytesPerSecond: 1_000_000 } },
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
        ...drop,
        finish: () => Promise.reject(Object.assign(new Error("no"), { code })),
        abandon: async (id) => {
          abandoned.push(id)
          await drop.abandon(id)
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
      ...drop,
      async storePiece(id, index, piece) {
        await drop.storePiece(id, index, piece)
        for (const pid of pool.pids()) process.kill(pid, "SIGKILL")
      },
      async abandon(id) {
        await drop.abandon(id)
        abandoned.resolve(id)
      },
    },
  })
  await assert.rejects(send(port, { message: "killed", mode: "one-way", token: store.token() }))
  await abandoned.promise
  assert.deepEqual(await storedMessages(), before)
})

/** A form that declares a large length and then sends nothing more. */
function slowForm(port: number, path = "form"): Socket {
  const head = `POST /drop/${path} HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 99999999\r\n\r\n`
  const part = `Content-Disposition: form-data; ${path === "form" ? 'name="files"; filename="a"' : 'name="code"'}\r\n\r\n`
  const socket = connect(port, "127.0.0.1").on("error", () => undefined)
  socket.write(`${head}--${BOUNDARY}\r\n${part}slow`)
  return socket
}

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function readReplies(port: number): Promise<number> {
  const code = "abandon amount liar amount expire adjust cage candy arch gather drum echo"
  const body = new URLSearchParams({ code })
  const answer = await fetch(`http://127.0.0.1:${port}/drop/replies`, { method: "POST", body })
  await answer.arrayBuffer()
  return answer.status
}

const isOverwritten = (head: Buffer | undefined): boolean =>
  head !== undefined && head.length > 0 && head.every((byte) => byte === 0)

/** Somebody gives way soon; nothing else is hurried, however busy the machine. */
const SOON = { patienceMs: 50, graceMs: 200, lookMs: 50, leaveMs: 60_000 }

test("sealers that never say that they are ready are ended and replaced, and who waits for one is refused and overwritten", async () => {
  const faults: string[] = []
  const { pool, port, refused, heads } = await openSmallDoor(1, {
    program: { execPath: "/bin/sh", execArgv: ["-c", "exec sleep 1000"] },
    times: { startMs: 100, restartMs: 10, waitMs: 500 },
    onFault: (code) => void faults.push(code),
  })
  const [first = 0] = pool.pids()
  slowForm(port)
  await refused
  assert.ok(isOverwritten(heads[0]))
  await until(() => faults.length >= 2)
  await until(() => !runs(first))
  await until(() => pool.pids().length === 1)
  assert.ok(!pool.pids().includes(first))
})

test("who hangs up while they wait, and all who wait when the pool closes, are overwritten", async () => {
  const { pool, port, refused, heads } = await openSmallDoor(1, {
    program: { execPath: "/bin/sh", execArgv: ["-c", "exec sleep 1000"] },
    onFault: () => undefined,
  })
  const visitors = [slowForm(port), slowForm(port)]
  await until(() => heads.length === 2)
  visitors[0]?.resetAndDestroy()
  opened?.visitors[0]?.destroy()
  await until(() => heads.some(isOverwritten))
  assert.equal(heads.filter(isOverwritten).length, 1)
  await pool.close()
  await refused
  assert.ok(heads.every(isOverwritten))
})

test("a sealer that hangs with its connection is ended when its time is over, and the next message is taken", async () => {
  const { pool, port, heads } = await openSmallDoor(1, {
    deadlines: { upload: { totalMs: 3000, windowMs: 60_000, bytesPerSecond: 1000 } },
    times: { slackMs: 0, handOverMs: 3000 },
  })
  const held = slowForm(port)
  const closed = once(held, "close")
  held.resume()
  await until(() => isOverwritten(heads[0]))
  const [stuck = 0] = pool.pids()
  process.kill(stuck, "SIGSTOP")
  await closed
  await until(() => !runs(stuck))
  // A machine too busy to hand over within these three seconds tries again, as a person would.
  let status = 0
  for (let tries = 0; status !== 200 && tries < 10; tries++)
    status = await send(port, { message: "after it", mode: "one-way", token: store.token() }).then(
      (answer) => answer.status,
      () => 0,
    )
  assert.equal(status, 200)
})

/** Reports that it is ready, and then hangs. */
const STANDS_STILL = `data:text/javascript,${encodeURIComponent(`
  const { send } = process
  process.send = (message, ...rest) => {
    const sent = send.call(process, message, ...rest)
    if (message.report?.phase === "ready") process.kill(process.pid, "SIGSTOP")
    return sent
  }
`)}`

test("the connection of a sealer that stands still before it takes it is closed with it", async () => {
  const { port, heads } = await openSmallDoor(1, {
    program: {
      execPath: process.execPath,
      execArgv: [...process.execArgv, "--import", STANDS_STILL],
    },
    times: { handOverMs: 300 },
  })
  const held = slowForm(port).resume()
  await once(held, "close")
  assert.ok(isOverwritten(heads[0]))
})

test("T41: slow uploads in every sealer for messages keep nobody from reading replies, whose own senders have seconds", async () => {
  const code = { totalMs: 1500, windowMs: 1500, bytesPerSecond: 1000 }
  const { port, heads } = await openSmallDoor(1, {
    code: { atRest: 1, most: 1 },
    deadlines: { code },
    times: { ...SOON, graceMs: 600_000 },
  })
  const uploads = [slowForm(port), slowForm(port)]
  await until(() => isOverwritten(heads[0]))
  assert.equal(await readReplies(port), 200)
  const slow = slowForm(port, "replies")
  const answer = (await slow.setEncoding("utf8").toArray()).join("")
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.equal(await readReplies(port), 200)
  for (const upload of uploads) assert.equal(upload.readableEnded, false)
})

test("T40: while nobody waits a slow sender is let be; then the slowest gives way, and is told so", async () => {
  const { port, heads } = await openSmallDoor(2, { times: SOON })
  const [slow, fast] = [slowForm(port), slowForm(port)]
  const answers = { slow: "", fast: "" }
  slow.setEncoding("utf8").on("data", (text: string) => void (answers.slow += text))
  fast.setEncoding("utf8").on("data", (text: string) => void (answers.fast += text))
  const sending = setInterval(() => fast.write(Buffer.alloc(20_000)), 50)
  try {
    await until(() => heads.length === 2 && heads.every(isOverwritten))
    await new Promise((resolve) => setTimeout(resolve, 5 * SOON.graceMs))
    assert.deepEqual(answers, { slow: "", fast: "" })

    const ended = once(slow, "end")
    const sent = await send(port, { message: "in turn", mode: "one-way", token: store.token() })
    assert.equal(sent.status, 200)
    await ended
    assert.match(answers.slow, /^HTTP\/1\.1 503 /)
    assert.match(answers.slow, /\r\nRetry-After: \d+\r\n/)
    assert.match(answers.slow, /Others are waiting to send, and your connection was the slowest/)
    assert.match(answers.slow, /Nothing was stored/)
    assert.equal(answers.fast, "")
    assert.ok((await storedMessages()).includes("in turn"))
  } finally {
    clearInterval(sending)
  }
})

test("more sealers are started while more senders come, up to the most, and go when they are not needed", async () => {
  const { pool, port } = await openSmallDoor(1, { most: 3, times: { ...SOON, restMs: 100 } })
  assert.equal(pool.pids().length, 1)
  const senders = Array.from({ length: 3 }, () => slowForm(port))
  await until(() => pool.pids().length === 3)
  for (const sender of senders) sender.destroy()
  await until(() => pool.pids().length === 1)
})

test("T40: many slow senders who come back whenever they are ended do not keep ordinary ones out, nor replies unread", async () => {
  const soak = process.env["ASSAY_SOAK"] !== undefined
  const { port } = await openSmallDoor(2, {
    most: soak ? 6 : 2,
    code: { atRest: 1, most: 2 },
    times: { ...SOON, waitMs: 600_000, graceMs: soak ? 5000 : 500 },
  })
  let over = false
  const senders = new Set<Socket>()
  const hold = (): void => {
    const socket = slowForm(port)
    senders.add(socket)
    const trickle = setInterval(() => socket.write(Buffer.alloc(110)), 100)
    socket.resume().once("close", () => {
      clearInterval(trickle)
      senders.delete(socket)
      if (!over) hold()
    })
  }
  // More than there are sealers and places to wait.
  for (let n = 0; n < (soak ? 40 : 25); n++) hold()
  try {
    for (let n = 0; n < (soak ? 10 : 1); n++) {
      assert.equal(await readReplies(port), 200)
      const message = { message: `ordinary ${n}`, mode: "one-way", token: store.token() }
      assert.equal((await send(port, message)).status, 200)
    }
  } finally {
    over = true
    for (const sender of senders) sender.destroy()
  }
})
