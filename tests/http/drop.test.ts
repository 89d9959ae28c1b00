// The public side of the drop, but what sealers answer: headers, tickets, sealed uploads, mailboxes.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { before, test } from "node:test"
import { gzipSync } from "node:zlib"
import { allowedSizes, mailboxTag, sealedSize, SMALLEST_CLASS } from "@assay/core/drop"
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
import { type Service, startService } from "./service.ts"

const SOAK = process.env["ASSAY_SOAK"] !== undefined

let service: Service
let dropUrl: string

before(async () => {
  // One message without files an hour: the budget of senders without JavaScript is soon used up.
  service = await startService({ drop: true, env: { DROP_TEXT_PER_HOUR: "1" } })
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
const BESIDE = ["content-type", "content-length", "allow", "clear-site-data", "content-disposition"]

function assertHeaders(what: string, headers: Headers): void {
  const given = Object.fromEntries(headers)
  for (const name of BESIDE) delete given[name]
  assert.deepEqual(given, EVERY_ANSWER, what)
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
    ["GET", "/drop/challenge?effort=99", 400],
    ["GET", "/drop/zebra", 404],
    ["GET", "/drop/files/style.css", 404],
    ["GET", "/drop/files/..%2fmanifest.json", 404],
    ["GET", "/zebra", 404],
    ["GET", "/", 404],
    ["GET", "/drop/form", 405],
    ["PUT", "/drop", 405],
    ["DELETE", "/drop/sealed", 405],
    ["POST", "/drop", 405, "x"],
    ["OPTIONS", "/drop", 204],
    ["OPTIONS", "/drop/sealed", 204],
    ["OPTIONS", "/drop/zebra", 404],
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
    const response = await fetch(dropUrl + path, { method, ...(body !== undefined && { body }) })
    assert.equal(response.status, status, what)
    assertHeaders(what, response.headers)
    const text = await response.text()
    if (method === "HEAD") assert.equal(text, "", what)
    assert.equal(
      response.headers.get("clear-site-data"),
      path.endsWith("/done") ? '"cache", "cookies", "storage"' : null,
    )
    assert.ok(!text.includes("zebra"), "a path is never repeated")
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
  const solution = await solveChallenge({ challenge, deriveKey })
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
  // Says more than comes, and hangs up.
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
  const { head: long } = await raw(head(`Content-Length: ${33 * 1024 * 1024}`))
  assert.match(long, /^HTTP\/1.1 413 /)
  // Who asks before sending is told before anything is sent.
  const { head: asked } = await raw(head("Expect: 100-continue\r\nContent-Length: 7"))
  assert.match(asked, /^HTTP\/1.1 413 /)
  assert.deepEqual(storedSizes(service), before)
})

test("T15: an unknown mailbox, an empty one and a full one are answered with the same status, headers and length", async () => {
  const ask = async (mailbox: Uint8Array<ArrayBuffer>): Promise<Response> =>
    await fetch(`${dropUrl}/drop/mailbox`, { method: "POST", body: mailbox })
  const size = sealedSize(SMALLEST_CLASS, 3, "x25519")
  const answers = await Promise.all(
    [randomBytes(32), new Uint8Array(32)].map((id) => ask(new Uint8Array(id))),
  )
  const [first, ...others] = answers.map(({ status, headers }) => ({
    status,
    headers: Object.fromEntries(headers),
  }))
  for (const other of others) assert.deepEqual(other, first)
  assert.equal(first?.status, 200)
  for (const answer of answers) {
    const bytes = new Uint8Array(await answer.arrayBuffer())
    assert.equal(bytes.length, 4 * size)
    const heads = [0, 1, 2, 3].map((n) =>
      Buffer.from(bytes).toString("latin1", n * size, n * size + 32),
    )
    for (const start of heads) assert.ok(start.startsWith("age-encryption.org/v1\n-> X25519"))
  }
  assert.equal(mailboxTag(new Uint8Array(32)).length, 32)
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

test("T33: the log holds nothing of all these requests", () => {
  const lines = service
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const allowed = new Set(["drop started", "drop ready", "ready"])
  assert.deepEqual(
    lines.filter((line) => !allowed.has(String(line["msg"]))),
    [],
  )
  for (const secret of ["127.0.0.1:", "/drop/", "undici", "User-Agent", "65736"])
    assert.ok(!service.stderr().includes(secret), secret)
})

/** Sends bytes as they are, and reads the answer. */
async function raw(bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(dropUrl).port), "127.0.0.1")
  const pieces: Buffer[] = []
  socket.on("data", (piece: Buffer) => pieces.push(piece))
  socket.write(bytes, "latin1")
  await new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const [head = "", body = ""] = Buffer.concat(pieces).toString("utf8").split("\r\n\r\n")
  return { head, body }
}
