import assert from "node:assert/strict"
import { once } from "node:events"
import { connect } from "node:net"
import { hostname } from "node:os"
import { after, before, test } from "node:test"
import fc from "fast-check"
import { type Service, startService } from "./service.ts"

let service: Service
before(async () => {
  service = await startService({ env: { ASSAY_REQUEST_SECONDS: "2" } })
})
after(() => service.stop())

const HOSTILE_BODIES = process.env["ASSAY_SOAK"] === undefined ? 300 : 3000

async function post(body: string | Uint8Array, path = "/api/v1/risk/score"): Promise<number> {
  const response = await service.request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body as NonNullable<RequestInit["body"]>,
    signal: AbortSignal.timeout(120_000),
  })
  const text = await response.text()
  if (response.status !== 200) {
    assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
    assert.equal((JSON.parse(text) as { status: number }).status, response.status)
  }
  return response.status
}

/** Sends bytes as they are and returns all that comes back until the server hangs up. */
async function raw(...chunks: (string | Buffer)[]): Promise<string> {
  const socket = connect(service.port, "127.0.0.1")
  let text = ""
  socket.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")))
  socket.on("error", () => undefined)
  for (const chunk of chunks) socket.write(chunk)
  await once(socket, "close")
  return text
}

/** Sends the rest of a request once the server has answered it. */
async function tooLate(first: string, rest: string): Promise<string> {
  const socket = connect(service.port, "127.0.0.1")
  let text = ""
  socket.on("error", () => undefined)
  socket.on("data", (chunk: Buffer) => {
    if (text === "") socket.write(rest)
    text += chunk.toString("latin1")
  })
  socket.write(first)
  await once(socket, "close")
  return text
}

test("a request names one host, and a demo answers only to names of its machine", async () => {
  const asked = (...hosts: string[]): Promise<string> =>
    raw(
      `GET /healthz HTTP/1.1\r\n${hosts.map((host) => `host: ${host}\r\n`).join("")}connection: close\r\n\r\n`,
    )
  const own = [
    "localhost",
    "LOCALHOST:8080",
    "127.0.0.1",
    "127.9.9.9:1",
    "[::1]:8080",
    "localhost.",
  ]
  for (const host of [...own, hostname()]) assert.match(await asked(host), /^HTTP\/1\.1 200 /, host)
  for (const hosts of [[], ["localhost", "localhost"], ["localhost", "evil.example"]])
    assert.match(await asked(...hosts), /^HTTP\/1\.1 400 /, hosts.join())
  for (const host of [
    "evil.example",
    "127.0.0.1.evil.example",
    "evil.example:8080",
    "10.255.255.1",
    "[::2]",
  ]) {
    const answer = await asked(host)
    assert.match(answer, /^HTTP\/1\.1 421 /, host)
    assert.match(answer, /"code":"host-not-allowed"/)
    assert.doesNotMatch(answer, /evil/)
  }
  // Also if the target names the host, and for any path.
  assert.match(
    await raw(
      "GET http://evil.example/healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    ),
    /^HTTP\/1\.1 421 /,
  )
})

test("odd JSON is read or refused as its sense says, and never breaks anything", async () => {
  const email = "ana.silva@mail.example"
  const cases: [string | Uint8Array, number][] = [
    [`\ufeff{"email":"${email}"}`, 200],
    [`{"email":"x","email":"${email}"}`, 200],
    [`{"__proto__":{"email":"${email}"}}`, 400],
    [`{"__proto__":{"admin":true},"email":"${email}"}`, 200],
    [`{"constructor":{"prototype":{"x":1}},"email":"${email}"}`, 200],
    [`{"email":"${email}","deep":${"[".repeat(7000)}${"]".repeat(7000)}}`, 400],
    [`{"email":"${email}","deep":${"[".repeat(31)}${"]".repeat(31)}}`, 200],
    ["[".repeat(8000), 400],
    [`{"email":1e999999}`, 400],
    [`{"email":${"9".repeat(5000)}}`, 400],
    [`{"email":"\\ud800@mail.example"}`, 422],
    [`{"email":"a\\udc00b@mail.example"}`, 422],
    [`{"email":"a\\u0000@mail.example"}`, 422],
    [`{"email":"${"a".repeat(16_000)}"}`, 422],
    [`{"email":"${"@".repeat(10_000)}"}`, 422],
    [`{"email":"${'\\"'.repeat(4000)}@mail.example"}`, 422],
    [`{"email":"a@${"a.".repeat(4000)}example"}`, 422],
    [`{"email":"a@${"xn--".repeat(2000)}.example"}`, 422],
    [Buffer.from(`{"email":"${email}"}`, "utf16le"), 400],
    [Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400],
    [
      Buffer.concat([
        Buffer.from('{"email":"a'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('@mail.example"}'),
      ]),
      400,
    ],
    ["NaN", 400],
    ["// comment\n{}", 400],
    ["{'email':'a@b.example'}", 400],
  ]
  for (const [body, status] of cases)
    assert.equal(await post(body), status, String(body).slice(0, 60))
})

test("hostile bodies never give a 5xx, a hang or a broken answer", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc
      .tuple(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }))
      .map(([local, domain]) => `${local}@${domain}.example`),
    fc.emailAddress(),
    fc.stringMatching(/^\+?[0-9 ()-]{0,24}$/),
  )
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value)),
    text.map((email) => JSON.stringify({ email, phone_number: email })),
    fc
      .tuple(text, fc.jsonValue())
      .map(([email, extra]) => JSON.stringify({ email, phone_number: email, context: extra })),
    fc.string({ unit: "binary", maxLength: 300 }),
  )
  const body: fc.Arbitrary<string | Uint8Array> = fc.oneof(
    { weight: 4, arbitrary: json },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
    {
      weight: 1,
      arbitrary: fc.tuple(json, fc.nat(), fc.nat(255)).map(([source, at, byte]) => {
        const bytes = Buffer.from(source)
        if (bytes.length > 0) bytes[at % bytes.length] = byte
        return bytes
      }),
    },
  )
  const path = fc.constantFrom(
    "/api/v1/risk/score",
    "/api/v1/phone-risk",
    "/api/v1/risk/score?explain=true",
  )
  await fc.assert(
    fc.asyncProperty(body, path, async (bytes, to) => {
      const status = await post(bytes, to)
      assert.ok([200, 400, 422].includes(status), `${status}`)
    }),
    { seed: 20261115, numRuns: HOSTILE_BODIES },
  )
  assert.equal((await service.request("/readyz")).status, 200)
})

test("bytes that are no HTTP get a problem document and the connection is closed", async () => {
  for (const bytes of [
    "GARBAGE\r\n\r\n",
    "\0\0\0\0\0\0",
    "GET / HTTP/9.9\r\n\r\n",
    "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: localhost\r\nbad header\r\n\r\n",
  ]) {
    const answer = await raw(bytes)
    assert.match(answer, /^HTTP\/1\.1 400 /, bytes)
    assert.match(answer, /application\/problem\+json[^]*"code":"malformed-http"/)
  }
  const smuggled = await raw(
    "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  )
  assert.match(smuggled, /^HTTP\/1\.1 400 /)
})

test("headers over 8 KiB are 431 as a problem document", async () => {
  const answer = await raw(
    `GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-pad: ${"a".repeat(9000)}\r\n\r\n`,
  )
  assert.match(answer, /^HTTP\/1\.1 431 [^]*"code":"headers-too-large"/)
})

test("a sender too slow is cut off with 408, in its headers and in its body", async () => {
  assert.match(
    await raw("GET /healthz HTTP/1.1\r\nhost:"),
    /^HTTP\/1\.1 408 [^]*"code":"request-timeout"/,
  )
  const head = `POST /api/v1/risk/score HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${service.key ?? ""}\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n`
  assert.match(await raw(head, '{"email":'), /^HTTP\/1\.1 408 /)
})

test("what comes after its sender was told that it is too slow is not done", async () => {
  const decided = async (): Promise<number> => {
    const response = await service.request("/api/v1/decisions?limit=100")
    assert.equal(response.status, 200)
    return ((await response.json()) as { decisions: unknown[] }).decisions.length
  }
  const before = await decided()
  const head = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${service.key ?? ""}\r\ncontent-type: application/json\r\ncontent-length: 31\r\n`
  const body = '{"email":"late@mail.example"}  '
  const paths = ["/api/v1/risk/score", "/api/v1/risk/score?explain=true"]
  // Both ways in which requests are served, and both parts that may be late.
  const late = paths.flatMap((path) => [
    [head(path), `\r\n${body}`] as const,
    [`${head(path)}\r\n{"email":`, body.slice(9)] as const,
  ])
  for (const answer of await Promise.all(late.map(([first, rest]) => tooLate(first, rest)))) {
    assert.match(answer, /^HTTP\/1\.1 408 /)
    assert.equal(answer.split("HTTP/1.1 ").length, 2, answer)
  }
  // One that is asked now is there once all from before it are.
  const response = await service.request("/api/v1/risk/score", {
    json: { email: "in-time@mail.example" },
  })
  const id = response.headers.get("x-decision-id")
  assert.equal((await service.request(`/api/v1/decisions/${id}`)).status, 200)
  assert.equal(await decided(), before + 1)
})

test("a hundred slow senders do not keep others from being answered", async () => {
  const slow = Array.from({ length: 100 }, () =>
    raw("POST /api/v1/risk/score HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n"),
  )
  for (let n = 0; n < 5; n++) assert.equal((await service.request("/healthz")).status, 200)
  for (const answer of await Promise.all(slow)) assert.match(answer, /^HTTP\/1\.1 408 |^$/)
})
