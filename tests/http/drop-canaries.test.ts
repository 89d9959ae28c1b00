// Sends texts that are found nowhere else, by every way there is, and looks for them where they
// must not be.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import {
  codeWords,
  newIdentityFile,
  packMessage,
  readCode,
  recipientsOf,
  seal,
} from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { writeKeysFile } from "../../packages/drop/src/keys-file.ts"
import { pageOf, type PlainPage, textOf } from "./drop-plain-visitor.ts"
import { freeTicket, oldFormToken, postSealed, storedSizes } from "./drop-visitor.ts"
import { filesWith, holds, memoryHolds, needlesOf, processesOf } from "./search.ts"
import { type Service, startService } from "./service.ts"

const MIB = 1024 * 1024
/** How many messages a process lives through before its memory is looked at. */
const ROUNDS = process.env["ASSAY_SOAK"] === undefined ? 3 : 100

const folder = mkdtempSync(join(tmpdir(), "assay-canaries-"))
const dataDirectory = join(folder, "data")
const temporary = join(folder, "tmp")
const canary = randomBytes(12).toString("hex")
const AGENT = `agent-${randomBytes(12).toString("hex")}`
/** What a sender wrote, by any way, and what names it. */
const TEXTS = [`text-${canary}`, `name-${canary}`, `bytes-${canary}`]
const [TEXT = "", NAME = "", BYTES = ""] = TEXTS

let service: Service
let recipients: ReturnType<typeof recipientsOf>
const codes: string[] = []
before(async () => {
  mkdirSync(temporary)
  mkdirSync(dataDirectory, { mode: 0o700 })
  const { recipient } = await newIdentityFile(undefined, "x25519")
  recipients = recipientsOf([recipient])
  writeKeysFile(join(dataDirectory, "drop"), recipients)
  service = await start()
})
after(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start(): Promise<Service> {
  // More messages with files than are taken in an hour otherwise.
  const env = { TMPDIR: temporary, DROP_FILES_PER_HOUR: "1000" }
  return await startService({ drop: true, dataDirectory, env })
}

async function post(path: string, values: Record<string, string | File>): Promise<PlainPage> {
  const body = new FormData()
  body.set("token", oldFormToken(service))
  for (const [name, value] of Object.entries(values)) body.append(name, value)
  const headers = { "user-agent": AGENT }
  const url = `${service.dropUrl ?? ""}/drop${path}`
  return await pageOf(await fetch(url, { method: "POST", body, headers }))
}

/**
 * Three words of a code in a row, and three of its numbers: the list of words itself is in memory
 * for good.
 */
async function partsOf(code: string): Promise<string[]> {
  const words = await loadWords("en")
  const read = readCode(code, [words])
  assert.ok("secret" in read)
  const own = codeWords(read.secret, words)
  return [own.slice(0, 3).join(" "), own.slice(0, 3).join("-"), code.slice(0, 14)]
}

test("T29: what was written, its files, its names and its code are in no file, log, temporary folder or journal, sent by whichever way", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const sent = await post("/form", {
      message: TEXT,
      mode: "two-way",
      names: "keep",
      files: new File([`${BYTES} `.repeat(5000)], NAME),
    })
    assert.equal(sent.status, 200, textOf(sent, "form-fault"))
    const code = textOf(sent, "code-numbers")
    if (round > 0) continue
    codes.push(...(await partsOf(code)))
    assert.equal((await post("/confirm", { code, word4: "a", word9: "b" })).status, 422)
    assert.equal((await post("/replies", { code: textOf(sent, "code-line") })).status, 200)
    assert.equal((await post("/form", { code, message: "" })).status, 422)
  }
  const envelope = packMessage({ sealedBy: "browser", mode: "one-way", lang: "en", message: TEXT, files: [] }) // oxfmt-ignore
  const sealed = new Uint8Array(await seal(envelope, recipients))
  const headers = { "drop-ticket": freeTicket(service), "user-agent": AGENT }
  assert.equal((await postSealed(service.dropUrl ?? "", sealed, headers)).status, 201)
  const presealed = await post("/presealed", { sealed: new File([sealed], NAME) })
  assert.equal(presealed.status, 200)
  assert.equal(storedSizes(service).length, ROUNDS + 2)
  assertNowhere()
})

/** Nothing below the data directory, the temporary folder, or in what was logged. */
function assertNowhere(): void {
  const needles = needlesOf([...TEXTS, AGENT, ...codes])
  assert.deepEqual(filesWith(folder, needles), [])
  assert.equal(holds(Buffer.from(service.stdout() + service.stderr()), needles), false)
}

test("T36, T16: after all that, neither the drop process nor any other that lives on holds a word of it", () => {
  // Everything that was written contains this.
  const needles = needlesOf([canary, ...codes])
  const processes = [...processesOf(service.pid)]
  assert.ok(processes.some(([, command]) => command.includes("drop-process")))
  const holding = processes.filter(([pid]) => memoryHolds(pid, needles))
  assert.deepEqual(holding.map(([, command]) => command), []) // oxfmt-ignore
})

test("T30: after kill -9 in the middle of uploads nothing of them is found, and nothing of them was stored", async () => {
  const before = storedSizes(service).length
  const database = join(dataDirectory, "drop", "drops.sqlite")
  const size = statSync(database).size
  const { port } = new URL(service.dropUrl ?? "")
  // One that is still being sent, and one that is being stored.
  const half = connect(Number(port), "127.0.0.1").on("error", () => undefined)
  half.write(`POST /drop/form HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\nUser-Agent: ${AGENT}\r\n\r\n--b\r\nContent-Disposition: form-data; name="message"\r\n\r\n${TEXT}`) // oxfmt-ignore
  const whole = post("/form", { message: TEXT, files: new File([BYTES, new Uint8Array(9 * MIB)], NAME) }) // oxfmt-ignore
  let over = false
  const broken = whole.then(
    () => false,
    () => true,
  )
  void broken.then(() => (over = true))
  while (statSync(database, { throwIfNoEntry: false })?.size === size) {
    assert.ok(!over, "it was answered before anything of it was stored")
    await new Promise((resolve) => setImmediate(resolve))
  }
  await service.kill()
  half.destroy()
  assertNowhere()
  const acknowledged = !(await broken)
  service = await start()
  assertNowhere()
  assert.equal(storedSizes(service).length, before + (acknowledged ? 1 : 0))
})

test("T30: on a full disk a message is refused with its text in the field, and nothing of it is found", async (context) => {
  const place = join(dataDirectory, "drop")
  await service.stop()
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m", "tmpfs", place], { stdio: "pipe" })
  } catch {
    service = await start()
    context.skip("no right to mount a small disk")
    return
  }
  try {
    writeKeysFile(place, recipients)
    service = await start()
    const refused = await post("/form", { message: TEXT, mode: "one-way" })
    assert.equal(refused.status, 503)
    assert.ok(refused.html.includes(TEXT))
    assert.match(textOf(refused, "form-fault"), /no space/)
    assert.deepEqual(storedSizes(service), [])
    assertNowhere()
    await service.stop()
    assertNowhere()
  } finally {
    execFileSync("umount", [place])
  }
})
