// Senders without JavaScript who hang up, at every point of a request: the next one is served as if
// nothing had been, and nothing of what they sent stays in a process that lives on.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { newIdentityFile, recipientsOf } from "@assay/core/drop"
import { writeKeysFile } from "../../packages/drop/src/keys-file.ts"
import { pageOf, type PlainPage, textOf } from "./drop-plain-visitor.ts"
import { oldFormToken, storedSizes } from "./drop-visitor.ts"
import { memoryHolds, needlesOf, processesOf } from "./search.ts"
import { type Service, startService } from "./service.ts"

const LIMIT_MS = 120_000
/**
 * One sealer for messages and a few for codes: whatever one of these keeps for itself is missed at
 * once.
 */
const SETTINGS = { DROP_SEALERS: "1", DROP_SEALER_MEMORY_MB: "1320" }
/**
 * The first vector of the format, which nobody was given here: its answer is as long as one with
 * replies.
 */
const CODE = "abandon amount liar amount expire adjust cage candy arch gather drum echo"
const CANARY = randomBytes(12).toString("hex")

const folder = mkdtempSync(join(tmpdir(), "assay-hang-up-"))
const dataDirectory = join(folder, "data")
let service: Service
before(async () => {
  mkdirSync(dataDirectory, { mode: 0o700 })
  const { recipient } = await newIdentityFile(undefined, "x25519")
  writeKeysFile(join(dataDirectory, "drop"), recipientsOf([recipient]))
  service = await startService({ drop: true, dataDirectory, env: SETTINGS })
})
after(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function post(path: string, values: Record<string, string>): Promise<PlainPage> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  const body = new URLSearchParams({ token: oldFormToken(service), ...values })
  return await pageOf(
    await fetch(`${service.dropUrl ?? ""}/drop${path}`, { method: "POST", body, signal }),
  )
}

/** As anybody sends a message. */
async function assertServed(): Promise<void> {
  const before = storedSizes(service).length
  const sent = await post("/form", { message: "ordinary", mode: "one-way" })
  assert.equal(sent.status, 200, textOf(sent, "form-fault"))
  assert.equal(storedSizes(service).length, before + 1)
}

/**
 * As anybody sends a file. Uploads have a line of their own, in which each waits for those before
 * it: once this one is served, none of the earlier ones waits any more.
 */
async function assertUploadServed(): Promise<void> {
  const body = new FormData()
  body.set("message", "ordinary")
  body.set("mode", "one-way")
  body.set("token", oldFormToken(service))
  body.set("files", new Blob(["ordinary ".repeat(10_000)]), "ordinary.txt")
  const url = `${service.dropUrl ?? ""}/drop/form`
  const signal = AbortSignal.timeout(LIMIT_MS)
  const sent = await pageOf(await fetch(url, { method: "POST", body, signal }))
  assert.equal(sent.status, 200, textOf(sent, "form-fault"))
}

function open(): Socket {
  const { hostname, port } = new URL(service.dropUrl ?? "")
  return connect(Number(port), hostname).on("error", () => undefined)
}

/** The ways to leave: FIN and no more, FIN while still listening for an answer, and RST. */
const LEAVING = {
  async close(socket: Socket) {
    await new Promise<void>((resolve) => socket.end(resolve))
    socket.destroy()
  },
  async "half-close"(socket: Socket) {
    const closed = once(socket, "close", { signal: AbortSignal.timeout(LIMIT_MS) })
    socket.end()
    socket.resume()
    await closed
  },
  async reset(socket: Socket) {
    socket.resetAndDestroy()
    await once(socket, "close")
  },
}

async function write(socket: Socket, bytes: string): Promise<void> {
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
}

const part = (rest: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; ${rest}\r\n\r\n${value}\r\n`
const FIRST_PART = part('name="message"', `text-${CANARY}`)
const FILE = part('name="files"; filename="a.bin"', `bytes-${CANARY}`.repeat(20_000))

/** What is sent before the sender leaves, by how far they came. */
function sentUntil(): Record<string, string> {
  const token = part('name="token"', oldFormToken(service))
  const mode = part('name="mode"', "one-way")
  const body = `${FIRST_PART}${token}${mode}${FILE}--b--\r\n`
  const line = "POST /drop/form HTTP/1.1\r\n"
  const head = `${line}Content-Type: multipart/form-data; boundary=b\r\nUser-Agent: agent-${CANARY}\r\nContent-Length: ${body.length}\r\n\r\n`
  const codes = new URLSearchParams({ code: CODE, note: CANARY }).toString()
  const all = head + body
  return {
    "in the request line": line.slice(0, 12),
    "after the request line": line,
    "in the head": head.slice(0, -20),
    "after the head": head,
    "in the first part": head + FIRST_PART.slice(0, -10),
    "in the middle of a file": all.slice(0, head.length + body.length / 2),
    "before the last byte": all.slice(0, -1),
    "after the last part, before the answer": all,
    "while the answer is written": `POST /drop/replies HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${codes.length}\r\n\r\n${codes}`,
  }
}

for (const where of [
  "in the request line",
  "after the request line",
  "in the head",
  "after the head",
  "in the first part",
  "in the middle of a file",
  "before the last byte",
  "after the last part, before the answer",
  "while the answer is written",
]) {
  test(`T40: senders who leave ${where} keep no sealer, and the next message is taken`, async () => {
    for (const leave of Object.values(LEAVING)) {
      const socket = open()
      await once(socket, "connect")
      await write(socket, sentUntil()[where] ?? assert.fail(where))
      // Its first bytes are there, and the rest waits for a reader.
      if (where.startsWith("while"))
        await once(socket, "readable", { signal: AbortSignal.timeout(LIMIT_MS) })
      await leave(socket)
    }
    if (where.startsWith("while"))
      assert.equal((await post("/replies", { code: CODE })).status, 200)
    else await assertServed()
  })
}

test("T36: senders who leave while they wait for a sealer leave nothing in a process that lives on", async () => {
  const waiting = Array.from({ length: 9 }, open)
  await Promise.all(
    waiting.map(async (socket, n) => {
      await once(socket, "connect")
      await write(socket, sentUntil()["in the first part"] ?? assert.fail())
      const leave = Object.values(LEAVING)[n % 3] ?? assert.fail()
      await leave(socket)
    }),
  )
  await assertUploadServed()
  const processes = [...processesOf(service.pid)]
  assert.ok(processes.some(([, command]) => command.includes("drop-process")))
  const holding = processes.filter(([pid]) => memoryHolds(pid, needlesOf([CANARY])))
  assert.deepEqual(
    holding.map(([, command]) => command),
    [],
  )
})
