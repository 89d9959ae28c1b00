import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { after, before, test } from "node:test"
import { type FormBody, readFormBody } from "./form-body.ts"

const LIMITS = { fileField: "files", filesMax: 3, fileMax: 1000, drainedMax: 64 * 1024 * 1024 }
const BOUNDARY = "----assay"

let server: Server
let read: PromiseWithResolvers<FormBody | null>
let slow: AbortController
before(async () => {
  server = createServer((request, response) => {
    readFormBody(request, LIMITS, slow.signal).then((body) => {
      read.resolve(body)
      response.end()
    }, read.reject)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
})
after(() => server.close())

/** Sends a request unchanged and returns what was read of it. */
async function sent(head: string[], body: Buffer | string, end = true): Promise<FormBody> {
  read = Promise.withResolvers()
  slow = new AbortController()
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  socket.on("error", () => undefined).resume()
  socket.write(`POST /drop/form HTTP/1.1\r\nHost: x\r\n${head.join("\r\n")}\r\n\r\n`)
  socket.write(body)
  if (!end) setImmediate(() => slow.abort("too-slow"))
  try {
    const body = await read.promise
    assert.ok(body !== null)
    return body
  } finally {
    socket.destroy()
  }
}

const multipart = (parts: readonly (string | Buffer)[], boundary = BOUNDARY): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [
      Buffer.from(`--${boundary}\r\n`),
      Buffer.from(part),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
const field = (name: string, value: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const file = (name: string, bytes: string, at = "files"): string =>
  `Content-Disposition: form-data; name="${at}"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n${bytes}`
const posted = (parts: readonly (string | Buffer)[]): Promise<FormBody> => {
  const body = multipart(parts)
  return sent(headFor(body.length), body)
}
const headFor = (length: number): string[] => [
  `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
  `Content-Length: ${length}`,
]

test("a form is read with its fields and files, and an empty choice of files is none", async () => {
  const body = await posted([
    field("message", "Grüße\r\nNUL \0 and <b>"),
    file("Bild ü.png", "png"),
    file("b.png", ""),
    'Content-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n',
  ])
  assert.equal(body.fault, null)
  assert.equal(body.fields.get("message"), "Grüße\r\nNUL \0 and <b>")
  assert.deepEqual(
    body.files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    [
      ["Bild ü.png", "png"],
      ["b.png", ""],
    ],
  )
  assert.equal(body.drained, true)
})

test("a plain form without files is read too", async () => {
  const text = "code=a+b%2Dc&word4=%C3%A9"
  const body = await sent(
    ["Content-Type: application/x-www-form-urlencoded", `Content-Length: ${text.length}`],
    text,
  )
  assert.deepEqual([...body.fields], [["code", "a b-c"], ["word4", "é"]]) // oxfmt-ignore
  assert.equal(body.fault, null)
})

test("T40: a form sent in chunks without a length is a form like any other", async () => {
  const parts = multipart([field("message", "in chunks")])
  const body = await sent(
    [headFor(0)[0] ?? "", "Transfer-Encoding: chunked"],
    `${parts.length.toString(16)}\r\n${parts.toString()}\r\n0\r\n\r\n`,
  )
  assert.equal(body.fault, null)
  assert.equal(body.fields.get("message"), "in chunks")
})

const text = field("message", "still here")
const hostile: [string, FormBody["fault"], () => Promise<FormBody>][] = [
  ["four files", "too-many-files", () => posted([text, ...["1", "2", "3", "4"].map((n) => file(n, n))])],
  ["a file one byte too large", "file-too-large", () => posted([text, file("a", "x".repeat(1001))])],
  ["a thousand fields", "broken", () => posted([text, ...Array.from({ length: 1000 }, (_, n) => field(`f${n}`, ""))])],
  ["a thousand files", "too-many-files", () => posted([text, ...Array.from({ length: 1000 }, (_, n) => file(`f${n}`, "x"))])],
  ["a field name of a megabyte", "broken", () => posted([text, field("n".repeat(1_000_000), "x")])],
  ["a file name of a megabyte", "broken", () => posted([text, file("n".repeat(1_000_000), "x")])],
  ["a field of more than a megabyte", "broken", () => posted([text, field("filler", "x".repeat(1_100_000))])],
  ["a field twice", "broken", () => posted([text, field("message", "another")])],
  ["a file in a field of text", "broken", () => posted([text, file("a", "x", "token")])],
  ["a field without a name", "broken", () => posted([text, "Content-Disposition: form-data\r\n\r\nx"])],
  ["a form without an end", "broken", () => sent(headFor(20), `--${BOUNDARY}\r\nContent-`)],
  ["a length that is too short", "broken", () => {
    const body = multipart([text, field("b", "lost")])
    return sent(headFor(body.length - 20), body)
  }],
  ["66 MiB", "too-large", () => posted([text, file("a", "x".repeat(66 * 1024 * 1024))])],
] // oxfmt-ignore

for (const [what, fault, send] of hostile) {
  test(`T40: ${what} is told as what it is, without its files and with the text that came`, async () => {
    const body = await send()
    assert.equal(body.fault, fault)
    assert.deepEqual(body.files, [])
    if (what !== "a form without an end") assert.equal(body.fields.get("message"), "still here")
    assert.equal(body.drained, what !== "66 MiB")
  })
}

test("T40: a multipart inside a multipart is text, not files", async () => {
  const inner = multipart([file("inner.png", "x")], "inner").toString()
  const body = await posted([
    text,
    `Content-Disposition: form-data; name="nested"\r\nContent-Type: multipart/mixed; boundary=inner\r\n\r\n${inner}`,
  ])
  assert.deepEqual(body.files, [])
})

for (const [what, head] of Object.entries({
  "no type": [],
  "another type": ["Content-Type: application/json"],
  "no boundary": ["Content-Type: multipart/form-data"],
  "a packed body": ["Content-Encoding: gzip", headFor(2)[0] ?? ""],
})) {
  test(`a body with ${what} is not a form, and is read to its end`, async () => {
    const body = await sent([...head, "Content-Length: 2"], "{}")
    assert.equal(body.fault, "not-a-form")
    assert.equal(body.drained, true)
  })
}

test("a sender who is too slow is told so, with the text that came", async () => {
  const body = await sent(headFor(10_000), multipart([text]), false)
  assert.equal(body.fault, "too-slow")
  assert.equal(body.fields.get("message"), "still here")
  assert.equal(body.drained, false)
})

test("a sender who goes away in the middle leaves nothing to answer", async () => {
  read = Promise.withResolvers()
  slow = new AbortController()
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\n${headFor(1000).join("\r\n")}\r\n\r\n--${BOUNDARY}`,
    () => socket.destroy(),
  )
  assert.equal(await read.promise, null)
})
