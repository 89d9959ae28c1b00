// The public side of the drop, without what sealers answer: headers, tickets, sealed uploads,
// mailboxes.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { join } from "node:path"
import { before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import {
  allowedSizes,
  mailboxTag,
  readAgeHeader,
  sealedSize,
  SMALLEST_CLASS,
} from "@assay/core/drop"
import { type Challenge, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import {
  freeTicket,
  giveKeys,
  oldFormToken,
  postSealed,
  recipientsOf,
  sealedMessage,
  storedSizes,
} from "./drop-visitor.ts"
import { newFilling } from "../../packages/drop/src/mailbox-filling.ts"
import { openSqliteDrops } from "../../packages/drop/src/store/sqlite-drops.ts"
import { processesBelow } from "./processes.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const SOAK = process.env["ASSAY_SOAK"] !== undefined

const dataDirectory = join(temporaryDirectory(), "data")
let service: Service
let dropUrl: string

/** One reply waits in the first, four in the second. */
const mailboxes = [1, 4].map((replies) => ({ replies, id: new Uint8Array(randomBytes(32)) }))

before(async () => {
  // Replies that came before the service starts: how recipients send them is not this file's
  // matter.
  const drops = await openSqliteDrops(join(dataDirectory, "drop"))
  for (const { replies, id } of mailboxes) {
    for (let n = 0; n < replies; n++) {
      const sealed = newFilling(2, "x25519")
      const reply = { id: randomBytes(16).toString("hex"), tag: mailboxTag(id), sealed }
      const today = Math.floor(Date.now() / 86_400_000)
      await drops.postReply(
        { ...reply, deleteVerifier: randomBytes(32) },
        { today, retentionDays: 30 },
      )
    }
  }
  await drops.close()
  // One message without files an hour: the budget of senders without JavaScript is soon used up.
  service = await startService({ drop: true, dataDirectory, env: { DROP_TEXT_PER_HOUR: "1" } })
  dropUrl = service.dropUrl ?? ""
})

const EVERY_ANSWER: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types drop-worker",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), clipboard-read=(), browsing-topics=()",
  "x-dns-prefetch-control": "off",
  "x-robots-tag": "noarchive",
  connection: "close",
}
const BESIDE = [
  "content-type",
  "location",
  "content-length",
  "allow",
  "clear-site-data",
  "content-disposition",
]

function assertHeaders(what: string, headers: Headers): void {
  const given = [...headers].filter(([name]) => !BESIDE.includes(name))
  assert.deepEqual(Object.fromEntries(given), EVERY_ANSWER, what)
}

test("T27, T28: without keys every page says that no message can be taken, and no header more", async () => {
  for (const path of ["", "/fr", "/replies", "/withdraw", "/de/presealed", "/keys.txt"]) {
    const response = await fetch(`${dropUrl}/drop${path}`)
    assert.equal(response.status, 503, path)
    assertHeaders(path, response.headers)
    assert.doesNotMatch(await response.text(), /<form/)
  }
  await giveKeys(service, 2)
  assert.equal((await fetch(`${dropUrl}/drop`)).status, 200)
})

test("T27, T28: every route answers with exactly the headers of the drop, whatever the method and the outcome", async () => {
  const file = /\/drop\/files\/[\w.-]+/.exec(await (await fetch(`${dropUrl}/drop`)).text())?.[0]
  const gets = ["", "/fr", "/es/replies", "/withdraw", "/presealed", "/done", "/hashes"]
  const cases: [method: string, path: string, status: number, body?: string][] = [
    ...gets.map((path): [string, string, number] => ["GET", `/drop${path}`, 200]),
    ...gets.map((path): [string, string, number] => ["HEAD", `/drop${path}`, 200]),
    ["GET", file ?? "", 200],
    ["GET", "/drop/keys.txt", 200],
    ["GET", "/drop/offline", 200],
    ["GET", "/drop/challenge", 200],
    ["GET", "/drop/challenge?effort=4", 400],
    ["GET", "/drop/qqnowhere", 404],
    ["GET", "/drop/files/style.css", 404],
    ["GET", "/drop/files/..%2fmanifest.json", 404],
    ["GET", "/qqnowhere", 404],
    ["GET", "/", 404],
    ["GET", "/drop/wait", 303],
    ["GET", "/drop/form", 405],
    ["PUT", "/drop", 405],
    ["DELETE", "/drop/sealed", 405],
    ["POST", "/drop", 405, "x"],
    ["OPTIONS", "/drop", 204],
    ["OPTIONS", "/drop/sealed", 204],
    ["OPTIONS", "/drop/qqnowhere", 404],
    ["POST", "/drop/ticket", 403, "{}"],
    ["POST", "/drop/ticket", 413, "x".repeat(5000)],
    ["POST", "/drop/sealed", 413, "x"],
    ["POST", "/drop/mailbox", 400, "x"],
    ["POST", "/drop/delete", 400, "x"],
    ["POST", "/drop/withdraw-tokens", 400, "x"],
    ["POST", "/drop/mailbox", 200, "m".repeat(32)],
    ["POST", "/drop/delete", 204, "m".repeat(64)],
    ["POST", "/drop/withdraw-tokens", 204, "m".repeat(512)],
  ]
  for (const [method, path, status, body] of cases) {
    const what = `${method} ${path}`
    const response = await fetch(dropUrl + path, {
      method,
      redirect: "manual",
      ...(body !== undefined && { body }),
    })
    assert.equal(response.status, status, what)
    assertHeaders(what, response.headers)
    const text = await response.text()
    if (method === "HEAD") assert.equal(text, "", what)
    assert.equal(
      response.headers.get("clear-site-data"),
      path.endsWith("/done") ? '"cache", "cookies", "storage"' : null,
    )
    assert.ok(!text.includes("qqnowhere"), "a path is never repeated")
  }
})

test("T27: what is no request is answered with the same headers", async () => {
  for (const [sent, status] of [
    ["GET /drop HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n", 431],
    ["nonsense\r\n\r\n", 400],
    ["x".repeat(9000), 400],
    ["GET /drop HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
  ] as const) {
    const { head } = await raw(sent)
    const [line, ...headers] = head.split("\r\n")
    assert.match(line ?? "", new RegExp(`^HTTP/1.1 ${status} `))
    const pairs = headers.map((header) => header.split(": ") as [string, string])
    assertHeaders(sent.slice(0, 20), new Headers(pairs))
  }
})

test("T25: a form of our own posts `Origin: null` and is taken; another site's is refused", async () => {
  const post = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${dropUrl}/drop/delete`, { method: "POST", body: "d".repeat(64), headers }))
      .status
  assert.equal(await post({ origin: "null", "sec-fetch-site": "same-origin" }), 204)
  assert.equal(await post({ origin: "null" }), 204)
  for (const site of ["cross-site", "same-site", "none"])
    assert.equal(await post({ "sec-fetch-site": site }), 403, site)
})

test("T38: a solved challenge gives one ticket, which lets one message in", async () => {
  const challenge = (await (await fetch(`${dropUrl}/drop/challenge`)).json()) as Challenge
  const solution = await solveChallenge({ challenge, deriveKey, timeout: 600_000 })
  const give = async (payload: unknown): Promise<Response> =>
    await fetch(`${dropUrl}/drop/ticket`, { method: "POST", body: JSON.stringify(payload) })
  const wrong = { ...challenge, parameters: { ...challenge.parameters, cost: 1 } }
  assert.equal(await (await give({ challenge: wrong, solution })).text(), "ticket")
  const first = await give({ challenge, solution })
  assert.equal(first.status, 200)
  const ticket = await first.text()
  assert.equal((await give({ challenge, solution })).status, 403, "replayed")

  const sealed = await sealedMessage(await recipientsOf(dropUrl), "once")
  const before = storedSizes(service).length
  const taken = await postSealed(dropUrl, sealed, { "drop-ticket": ticket })
  assert.equal(taken.status, 201)
  assert.equal(await taken.text(), "")
  assertHeaders("201", taken.headers)
  const again = await postSealed(dropUrl, sealed, { "drop-ticket": ticket })
  assert.equal(again.status, 403)
  assert.equal(await again.text(), "ticket")
  assert.equal(storedSizes(service).length, before + 1)
})

test("T7, T11: only age files of the right keys and an allowed size are stored, whatever they claim to be", async () => {
  const recipients = await recipientsOf(dropUrl)
  const sealed = await sealedMessage(recipients, "real")
  const size = sealed.length
  const filled = (start: string): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(size)
    bytes.set(new TextEncoder().encode(start))
    return bytes
  }
  const [first = ""] = recipients.keys
  const forged: [string, Uint8Array<ArrayBuffer>, number, string][] = [
    ["plain text", filled("my secret plan"), 400, "header"],
    ["PGP", filled("-----BEGIN PGP MESSAGE-----\n"), 400, "header"],
    ["HTML", filled("<!doctype html><script>"), 400, "header"],
    ["armored", filled("-----BEGIN AGE ENCRYPTED FILE-----\n"), 400, "header"],
    ["gzip", new Uint8Array([...gzipSync("x"), ...filled("")].slice(0, size)), 400, "header"],
    ["age and junk", filled("age-encryption.org/v1\njunk\n"), 400, "header"],
    [
      "age without stanzas",
      filled(`age-encryption.org/v1\n--- ${"A".repeat(43)}\n`),
      400,
      "header",
    ],
    ["one byte more", new Uint8Array([...sealed, 0]), 413, "size"],
    ["one byte less", sealed.slice(0, -1), 413, "size"],
    ["empty", new Uint8Array(), 413, "size"],
    ["fewer keys", await sealedMessage({ ...recipients, keys: [first] }, "one"), 413, "size"],
  ]
  const before = storedSizes(service)
  for (const [what, body, status, word] of forged) {
    const response = await postSealed(dropUrl, body, { "drop-ticket": freeTicket(service) })
    assert.equal(response.status, status, what)
    assert.equal(await response.text(), word, what)
    assertHeaders(what, response.headers)
  }
  for (const headers of [
    { "drop-ticket": "none" },
    { "drop-ticket": oldFormToken(service) },
    { "drop-ticket": freeTicket(service), "drop-withdraw": "00" },
  ])
    assert.ok((await postSealed(dropUrl, sealed, headers)).status >= 400)
  assert.deepEqual(storedSizes(service), before, "nothing was stored")

  for (const bytes of [0, 100_000]) {
    const message = await sealedMessage(recipients, "real", bytes)
    const taken = await postSealed(dropUrl, message, { "drop-ticket": freeTicket(service) })
    assert.equal(taken.status, 201)
  }
  const allowed = allowedSizes(2, "x25519")
  assert.ok(storedSizes(service).every((stored) => allowed.includes(stored)))
})

test("T40: a body that breaks off, has no length or is too long leaves nothing behind", async () => {
  const sealed = await sealedMessage(await recipientsOf(dropUrl), "broken")
  const before = storedSizes(service)
  const head = (length: string): string =>
    `POST /drop/sealed HTTP/1.1\r\nHost: x\r\n${length}\r\nDrop-Ticket: ${freeTicket(service)}\r\nDrop-Withdraw: ${"0".repeat(64)}\r\n\r\n`
  // Announces more than it sends, and hangs up.
  const socket = connect(Number(new URL(dropUrl).port), "127.0.0.1")
  socket.write(head(`Content-Length: ${sealed.length}`))
  socket.write(sealed.subarray(0, 40_000))
  await new Promise<void>((resolve) => socket.end(resolve))
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(sealed)
      controller.close()
    },
  })
  const chunked = await postSealed(dropUrl, stream, { "drop-ticket": freeTicket(service) })
  assert.equal(chunked.status, 411)
  const { head: long } = await raw(head(`Content-Length: ${33 * 1024 * 1024}`), { hangUp: true })
  assert.match(long, /^HTTP\/1.1 413 /)
  // A sender who asks first gets the refusal before anything is sent.
  const { head: asked } = await raw(head("Expect: 100-continue\r\nContent-Length: 7"))
  assert.match(asked, /^HTTP\/1.1 413 /)
  assert.deepEqual(storedSizes(service), before)
})

test("T15: an unknown mailbox, one with a reply and a full one are answered with the same status, headers and length", async () => {
  const size = sealedSize(SMALLEST_CLASS, 3, "x25519")
  const ask = async (mailbox: Uint8Array<ArrayBuffer>): Promise<unknown> => {
    const response = await fetch(`${dropUrl}/drop/mailbox`, { method: "POST", body: mailbox })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const slots = [0, 1, 2, 3].map((n) => bytes.subarray(n * size, (n + 1) * size))
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      length: bytes.length,
      slots: slots.map((slot) => readAgeHeader(slot)),
    }
  }
  const unknown = await ask(new Uint8Array(randomBytes(32)))
  const header = { suite: "x25519", stanzas: 3, length: size - SMALLEST_CLASS - 32 }
  assert.deepEqual(unknown, {
    status: 200,
    headers: {
      ...EVERY_ANSWER,
      "content-type": "application/octet-stream",
      "content-length": String(4 * size),
    },
    length: 4 * size,
    slots: [header, header, header, header],
  })
  for (const { id } of mailboxes) assert.deepEqual(await ask(id), unknown)
})

test("T41: when senders without JavaScript have used their hour up, scripts still send and replies are still read", async () => {
  const send = async (): Promise<Response> => {
    const form = new FormData()
    form.set("message", "budget")
    form.set("mode", "one-way")
    form.set("token", oldFormToken(service))
    return await fetch(`${dropUrl}/drop/form`, { method: "POST", body: form })
  }
  const first = await send()
  assert.equal(first.status, 200)
  const stored = storedSizes(service).length
  const refused = await send()
  assert.equal(refused.status, 503)
  assert.match(await refused.text(), /budget/, "the text is still in its field")
  assert.equal(storedSizes(service).length, stored)

  const sealed = await sealedMessage(await recipientsOf(dropUrl), "script")
  const taken = await postSealed(dropUrl, sealed, { "drop-ticket": freeTicket(service) })
  assert.equal(taken.status, 201)
  const replies = await fetch(`${dropUrl}/drop/mailbox`, {
    method: "POST",
    body: new Uint8Array(32),
  })
  assert.equal(replies.status, 200)

  // Senders without JavaScript get a page that waits; those with it see the form as ever.
  const page = await (await fetch(`${dropUrl}/drop/fr`)).text()
  assert.match(
    page,
    /<noscript><meta http-equiv="refresh" content="0; url=\/drop\/fr\/wait\?seconds=15"><\/noscript>/,
  )
  assert.match(page, /<form id="drop-form"/)
  for (const [asked, next] of [
    [15, 30],
    [30, 60],
    [600, 1200],
    [9999, 1200],
    ["x", 30],
  ]) {
    const waiting = await fetch(`${dropUrl}/drop/fr/wait?seconds=${asked}`)
    assert.equal(waiting.status, 503)
    assertHeaders("wait", waiting.headers)
    assert.match(await waiting.text(), new RegExp(`url=/drop/fr/wait\\?seconds=${next}"`))
  }
})

test("T39: many tickets asked for at once are all answered", async () => {
  const count = SOAK ? 10_000 : 50
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`${dropUrl}/drop/challenge`)
      await response.arrayBuffer()
      return response.status
    }),
  )
  assert.deepEqual(new Set(statuses), new Set([200]))
})

test("a drop process that dies is replaced, at the same address and with all that was stored", async () => {
  const stored = storedSizes(service)
  process.kill(dropProcess(service.pid), "SIGKILL")
  let status = 0
  while (status !== 200) {
    await delay(50)
    status = await fetch(`${dropUrl}/drop`).then(
      (response) => response.status,
      () => 0,
    )
  }
  assert.deepEqual(storedSizes(service), stored)
})

test("T33: the log holds nothing of requests, whatever they ask for and however they end", async () => {
  const count = SOAK ? 1000 : 40
  const paths = ["", "/fr", "/keys.txt", "/canary-path", "/sealed", "/mailbox", "/form", "/ticket"]
  for (let n = 0; n < count; n++) {
    const path = paths[n % paths.length] ?? ""
    const response = await fetch(`${dropUrl}/drop${path}`, {
      method: n % 3 === 0 ? "POST" : "GET",
      headers: { "user-agent": "canary-agent", "x-forwarded-for": "203.0.113.77" },
      ...(n % 3 === 0 && { body: "canary-body" }),
    })
    await response.arrayBuffer()
  }
  const log = service.stderr()
  const lines = log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => String((JSON.parse(line) as Record<string, unknown>)["msg"]))
  const said = ["drop died and is replaced", "drop ready", "drop started", "drop started", "ready"]
  assert.deepEqual(lines.toSorted(), said)
  assert.doesNotMatch(log, /canary|203\.0\.113|\/drop|"(status|route|method|ms|requestId)"/)
})

/** The process of the drop, by its parent. */
function dropProcess(parent: number): number {
  const [drop] = processesBelow(parent).filter(({ kind }) => kind === "drop")
  assert.ok(drop !== undefined)
  return drop.pid
}

/** Sends bytes as they are, and reads the answer. */
async function raw(
  bytes: string,
  { hangUp = false } = {},
): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(dropUrl).port), "127.0.0.1")
  const pieces: Buffer[] = []
  socket.on("data", (piece: Buffer) => {
    pieces.push(piece)
    if (hangUp) socket.end()
  })
  socket.write(bytes, "latin1")
  await new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const [head = "", body = ""] = Buffer.concat(pieces).toString("utf8").split("\r\n\r\n")
  return { head, body }
}
