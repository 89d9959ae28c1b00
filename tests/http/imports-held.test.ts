// Imports over HTTP whose reader stands still, and services that are killed at any moment of one.
import assert from "node:assert/strict"
import { mkdirSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { residentBytes } from "../../bench/process-figures.ts"
import { combolist, emailAt, filesWithCanary } from "../cli/corpus.ts"
import { ended, imports, isExposed, sends, uploadHeaders } from "./half-sent.ts"
import { processesBelow } from "./processes.ts"
import { type Service, startService } from "./service.ts"
import { joins, printedToken, signsIn, type Visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const SOAK = process.env["ASSAY_SOAK"] !== undefined
const temporary = temporaryDirectory()
const ADDRESS = "ada@people.example"
const MB = 1024 * 1024

/**
 * More than the system holds between the sender and a reader that takes nothing, some 5 MB here.
 */
const BYTES = (SOAK ? 200 : 30) * MB
const HELD_BYTES = 15 * MB
/** Long lines: the bytes matter here, and each row costs the importer time. */
const FILLING = "zqxjkv-".repeat(146)
const lineAt = (n: number): string => `${emailAt(n)}:${n}-${FILLING}\n`

interface Sending {
  /** Sends the rest, which is made as it is sent, as fast as it is taken. */
  goOn(): void
  /** Bytes that the system took over from this process. */
  accepted(): number
  /** The status of the answer. */
  readonly answered: Promise<number>
}

/** Begins to send a file of lines, with the first ones. */
function beginSending(service: Service, as: Visitor, source: string, rows: number): Sending {
  let bytes = 0
  for (let n = 0; n < rows; n++) bytes += lineAt(n).length
  const socket = connect(service.port, "127.0.0.1")
  const headers = Object.entries({
    ...uploadHeaders(service, as),
    host: `localhost:${service.port}`,
    connection: "close",
    "content-length": String(bytes),
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST /api/v1/corpus/imports?source=${source} HTTP/1.1\r\n`)
  socket.write(`${headers.join("\r\n")}\r\n\r\n`)
  let next = 0
  const more = (): void => {
    while (next < rows) {
      let piece = ""
      for (const end = Math.min(rows, next + 64); next < end; next++) piece += lineAt(next)
      if (!socket.write(piece)) return void socket.once("drain", more)
    }
  }
  socket.write(lineAt(next++))
  let text = ""
  socket.setEncoding("utf8").on("data", (some: string) => void (text += some))
  const { promise: answered, resolve, reject } = Promise.withResolvers<number>()
  socket.once("error", reject)
  socket.once("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])))
  const accepted = (): number => socket.bytesWritten - socket.writableLength
  return { goOn: more, accepted, answered }
}

/** The process that reads what is imported, once there is one. */
async function readerOf(service: Service): Promise<number> {
  for (;;) {
    const found = processesBelow(service.pid).find(({ kind }) => kind === "reader")
    if (found !== undefined) return found.pid
    await delay(20)
  }
}

/** What is accepted when no more is. */
async function standing(sending: Sending): Promise<number> {
  for (let before = -1, same = 0; ;) {
    const now = sending.accepted()
    same = now === before ? same + 1 : 0
    if (same === 8) return now
    before = now
    await delay(250)
  }
}

test("a reader that stands still holds the sender up, not the memory of the worker, and nothing sent is in any file", async () => {
  const own = join(temporary, "own-tmp")
  mkdirSync(own)
  await using service = await startService({ env: { TMPDIR: own }, args: ["--workers", "1"] })
  const ada = await joins(service, printedToken(service), ADDRESS)
  // Once, so that the programs and the preview are in memory.
  const warm = await sends(
    service,
    ada,
    "/api/v1/corpus/imports?source=warm",
    Buffer.from(lineAt(0)),
  )
  assert.equal(warm.status, 202, JSON.stringify(warm.body))
  assert.equal((await ended(ada)).state, "done")
  const worker = processesBelow(service.pid).find(({ kind }) => kind === "worker")?.pid ?? 0
  const before = residentBytes(worker)

  const rows = Math.ceil(BYTES / lineAt(0).length)
  const sending = beginSending(service, ada, "held", rows)
  const pid = await readerOf(service)
  process.kill(pid, "SIGSTOP")
  sending.goOn()
  const accepted = await standing(sending)
  assert.match(readFileSync(`/proc/${pid}/status`, "utf8"), /^State:\s+T/m)
  assert.ok(accepted > 10 * lineAt(0).length, `only ${accepted} bytes were accepted`)
  assert.ok(accepted < HELD_BYTES, `${accepted} bytes were accepted`)
  const grown = residentBytes(worker) - before
  assert.ok(grown < HELD_BYTES, `the worker grew by ${grown} bytes`)
  assert.equal((await imports(ada)).imports[0]?.state, "running")
  assert.deepEqual([...filesWithCanary(service.dataDirectory), ...filesWithCanary(own)], [])
  // Others are answered meanwhile.
  assert.equal(await isExposed(service, emailAt(1)), false)

  process.kill(pid, "SIGCONT")
  for (let before = ""; ;) {
    const [newest] = (await imports(ada)).imports
    if (newest?.state !== "running") break
    await delay(50)
    // Once in every phase that is seen.
    if (newest.phase === before) continue
    before = newest.phase
    assert.deepEqual([...filesWithCanary(service.dataDirectory), ...filesWithCanary(own)], [])
  }
  assert.equal(await sending.answered, 202)
  const { state, report, detail } = await ended(ada)
  assert.deepEqual([state, report?.identities], ["done", rows], detail ?? "")
  assert.equal(await isExposed(service, emailAt(rows - 1)), true)
  assert.deepEqual([...filesWithCanary(service.dataDirectory), ...filesWithCanary(own)], [])
})

test("after kill -9 at any moment of an import, its state says what the index holds", async () => {
  const dataDirectory = join(temporary, "killed-often")
  const rows = SOAK ? 20_000 : 5_000
  const rounds = SOAK ? 25 : 2
  const seen = new Set<string>()
  let service = await startService({ dataDirectory })
  let ada = await joins(service, printedToken(service), ADDRESS)
  for (let round = 0; round < rounds; round++) {
    // Other addresses each time.
    const file = readFileSync(combolist(join(temporary, "list.txt"), rows), "latin1")
    const own = Buffer.from(file.replaceAll("@mail", `@of${round}.mail`), "latin1")
    const email = emailAt(7).replace("@mail", `@of${round}.mail`)
    const source = `round-${round}`
    const sent = sends(service, ada, `/api/v1/corpus/imports?source=${source}`, own).catch(
      () => null,
    )
    // The first is killed when its evidence counts or soon after, the others whenever it is.
    if (round === 0) await reportOf(ada, source)
    else await delay(Math.random() * 2_500)
    const known = (await imports(ada)).imports[0]
    // The primary alone: what it started is left to end by itself.
    if (round % 2 === 0) process.kill(service.pid, "SIGKILL")
    await service.kill()
    await sent
    assert.deepEqual(filesWithCanary(dataDirectory), [])

    service = await startService({ dataDirectory })
    ada = await signsIn(service, ADDRESS)
    const begun = (await imports(ada)).imports.some((each) => each.source === source)
    const holds = async (): Promise<boolean> => await isExposed(service, email)
    if (!begun) {
      seen.add("not begun")
      assert.notEqual(known?.source, source)
      assert.equal(await holds(), false)
      continue
    }
    const { state, detail, report } = await ended(ada)
    seen.add(state)
    assert.equal(await holds(), state === "done", `${state}: ${detail}`)
    if (known?.source === source && known.state === "done")
      assert.deepEqual([state, report], ["done", known.report])
    // One may have ended between the look and the kill, and then nothing stopped it.
    else if (state !== "done" || detail !== null)
      assert.match(detail ?? "", /^The service was stopped/)
    if (round === 0) assert.equal(state, "done")
  }
  assert.equal(await service.stop(), 0)
  if (SOAK) console.log(`after ${rounds} kills: ${[...seen].sort().join(", ")}`)
})

/** Resolves when the import has a report: its evidence counts. */
async function reportOf(as: Visitor, source: string): Promise<void> {
  for (;;) {
    const newest = (await imports(as)).imports[0]
    if (newest?.source === source && newest.report !== null) return
    assert.notEqual(newest?.state, "failed", newest?.detail ?? "")
    await delay(5)
  }
}
