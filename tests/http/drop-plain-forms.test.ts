// Every form of the drop that can be wrong, answered in this process by what sealers run, over a
// real store.
import assert from "node:assert/strict"
import { once } from "node:events"
import { type AddressInfo, createServer, type Server } from "node:net"
import { after, before, test } from "node:test"
import { FILE_MAX, MESSAGE_MAX, type OpenedMessage } from "@assay/core/drop"
import { DEADLINES } from "../../packages/drop/src/sealer/deadlines.ts"
import { plainRequests } from "../../packages/drop/src/sealer/plain-requests.ts"
import { takeConnection } from "../../packages/drop/src/sealer/take-connection.ts"
import {
  openTestDrop,
  TEST_PAGE_FILES,
  type TestDrop,
} from "../../packages/drop/testing/sealer/test-drop.ts"
import { type FormValues, messageIn, pageOf, type PlainPage, textOf } from "./drop-plain-visitor.ts"

let store: TestDrop
let server: Server
before(async () => {
  store = await openTestDrop({
    DROP_QUESTION: "Which animal barks? = Dog",
    DROP_FILES_PER_HOUR: "1",
  })
  const handler = plainRequests(store.drop, { pageFiles: TEST_PAGE_FILES })
  server = createServer((socket) => {
    const options = { deadlines: DEADLINES.upload, reportMs: 1000, report: () => undefined }
    socket.once("data", (head: Buffer) => void takeConnection(socket, head, handler, options))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
})
after(async () => {
  server.close()
  await store[Symbol.asyncDispose]()
})

async function post(
  path: string,
  values: FormValues,
  headers: Record<string, string> = {},
): Promise<PlainPage> {
  const body = new FormData()
  for (const [name, value] of Object.entries(values))
    for (const each of typeof value === "string" ? [value] : value) body.append(name, each)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/drop${path}`
  return await pageOf(await fetch(url, { method: "POST", body, headers }))
}

/** Sends a message as a person who took their time and knows the answer. */
async function send(values: FormValues, headers?: Record<string, string>): Promise<PlainPage> {
  return await post("/form", { token: store.token(), answer: " dog", ...values }, headers)
}

async function storedAs(text: string): Promise<OpenedMessage[]> {
  return (await store.messages()).filter(({ message }) => message === text)
}

const small = (name: string): File => new File(["x"], name)
const PDF =
  "%PDF-1.4\n1 0 obj\n<< /Author (Canary Author) >>\nendobj\ntrailer << /Info 1 0 R >>\n%%EOF\n"
const refusals: [string, () => FormValues, number, string, RegExp][] = [
  ["an empty form", () => ({ message: " \n" }), 422, "message-fault", /Write a message/],
  ["a message that is too long", () => ({ message: "é".repeat(MESSAGE_MAX / 2) + "!" }), 413, "message-fault", /too long/],
  ["four files", () => ({ files: ["a", "b", "c", "d"].map(small) }), 413, "files-fault", /more than 3 files/],
  ["a file of 10 MiB and a byte", () => ({ files: [small("a"), new File([new Uint8Array(FILE_MAX + 1)], "b")] }), 413, "files-fault", /File 2 is larger/],
  ["an empty file", () => ({ files: [small("a"), new File([], "b")] }), 422, "files-fault", /File 2 is empty/],
  ["a picture that cannot be cleaned", () => ({ files: [new File([Uint8Array.from(Buffer.from("ffd8ffe1", "hex"))], "b.jpg")] }), 422, "files-fault", /File 1 looks like a picture/],
  ["a document that says who wrote it", () => ({ files: [new File([PDF], "b.pdf")] }), 422, "files-fault", /File 1 .*Author: Canary Author/],
  ["a wrong answer", () => ({ answer: "cat" }), 422, "question-fault", /not right/],
  ["a form that came back at once", () => ({ token: store.token(1000) }), 422, "form-fault", /Wait 15 seconds/],
  ["a form that was open for two days", () => ({ token: store.token(48 * 3_600_000) }), 422, "form-fault", /more than a day/],
  ["a form from elsewhere", () => ({ token: "AAAA" }), 422, "form-fault", /does not come from this drop/],
  ["a field that only machines fill in", () => ({ website: "https://spam.example" }), 422, "form-fault", /does not come from this drop/],
  ["a mode that there is not", () => ({ mode: "three-way" }), 400, "form-fault", /could not be read/],
  ["a thread that cannot be read", () => ({ code: "1 2 3" }), 422, "form-fault", /code could not be read/],
] // oxfmt-ignore

for (const [what, values, status, where, sentence] of refusals) {
  test(`T40: ${what} gets a sentence and a status, keeps what was typed, and stores nothing`, async () => {
    const before = (await store.messages()).length
    const typed = { message: "Still & here\n\nat the end ", mode: "one-way", names: "keep", ...values() } // oxfmt-ignore
    const page = await send(typed)
    assert.equal(page.status, status, textOf(page, "form-fault"))
    assert.match(textOf(page, where), sentence)
    assert.equal(messageIn(page.html), typed.message)
    assert.match(page.html, /id="names"[^>]* checked/)
    if (typed.mode === "one-way") assert.match(page.html, /id="mode-one-way"[^>]* checked/)
    assert.equal((await store.messages()).length, before)
  })
}

test("a token that can still be used comes back with the form, and any other is replaced", async () => {
  const token = store.token()
  const kept = await send({ message: "", token })
  assert.match(kept.html, new RegExp(`name="token" value="${token}"`))
  const replaced = await send({ message: "x", token: "AAAA" })
  assert.doesNotMatch(replaced.html, /name="token" value="AAAA"/)
})

test("a form that is sent twice is taken once, and its text is not lost", async () => {
  const token = store.token()
  assert.equal((await send({ message: "only once", token })).status, 200)
  const twice = await send({ message: "only once", token })
  assert.equal(twice.status, 409)
  assert.match(textOf(twice, "form-fault"), /used before/)
  assert.equal(messageIn(twice.html), "only once")
  assert.equal((await storedAs("only once")).length, 1)
})

test("a file is sent untouched where its own sender says so, and no other file is", async () => {
  const files = [new File([], ""), new File([PDF], "a.pdf"), new File([PDF], "b.pdf")]
  const page = await send({ message: "one of two", mode: "one-way", "untouched-3": "keep", files })
  assert.equal(page.status, 422)
  // The first field was empty: files have the numbers of their fields.
  assert.match(textOf(page, "files-fault"), /^File 2 carries[^]*untouched\.$/)
  assert.match(page.html, /id="untouched-3"[^>]* checked/)
  assert.doesNotMatch(page.html, /id="untouched-[12]"[^>]* checked/)
})

test("T41: files go out untouched when their sender says so; past the hour's messages with files, those without are still taken", async () => {
  const files = [new File([], ""), new File([PDF], "b.pdf"), small("c.txt")]
  const kept = { mode: "one-way", "untouched-2": "keep", files }
  const page = await send({ ...kept, message: "as it is" })
  assert.equal(page.status, 200)
  assert.match(textOf(page, "sent-files"), /^File 3 was not looked into/)
  const [sent] = await storedAs("as it is")
  assert.equal(sent?.files[0]?.metadata, "kept")
  assert.equal(sent.files[0].original_name, undefined)
  assert.equal(Buffer.from(sent.files[0].bytes).toString(), PDF)
  assert.equal(sent.files[1]?.metadata, "unknown")

  const busy = await send({ ...kept, message: "one more" })
  assert.equal(busy.status, 503)
  assert.match(textOf(busy, "form-fault"), /Too many messages/)
  assert.equal(messageIn(busy.html), "one more")
  assert.deepEqual(await storedAs("one more"), [])
  assert.equal((await send({ message: "one more", mode: "one-way" })).status, 200)
})

test("T15: an unknown code and one without replies are answered alike, to the byte count", async () => {
  const sent = await send({ message: "alike" })
  const known = await post("/replies", { code: textOf(sent, "code-line") })
  // The first vector of the format, which nobody was given here.
  const code = "abandon amount liar amount expire adjust cage candy arch gather drum echo"
  const unknown = await post("/replies", { code })
  assert.equal(known.bytes, 1536 * 1024)
  assert.deepEqual(
    [unknown.status, unknown.bytes, [...unknown.headers]],
    [known.status, known.bytes, [...known.headers]],
  )
})

for (const [typed, sentence] of [
  ["", /Type your code/],
  ["one two three", /twelve words/],
  ["abandon amount liar amount expire adjust cage candy arch gather drum zzzzz", /Part 12/],
  ["abandon amount liar amount expire adjust cage candy arch gather drum drum", /not right/],
] as const) {
  test(`T13: a code that cannot be right is told as that without JavaScript too: ${sentence.source}`, async () => {
    for (const path of ["/replies", "/replies/delete", "/withdraw", "/confirm"]) {
      const refused = await post(path, { code: typed })
      assert.equal(refused.status, 422)
      assert.match(textOf(refused, "code-fault"), sentence)
      if (typed !== "") assert.ok(!refused.html.includes(typed))
    }
  })
}

test("T14: codes of one language are read on the pages of another, and German pages show digits first", async () => {
  const values = { message: "auf Deutsch", token: store.token(), answer: "DOG" }
  const sent = await post("/de/form", values)
  assert.match(textOf(sent, "code-line"), /^(\d{4} ){11}\d{4}$/)
  const words = textOf(sent, "code-numbers")
  assert.match(words, /^([a-z]+ ){11}[a-z]+$/)
  assert.equal((await post("/ar/replies", { code: words.toUpperCase() })).status, 200)
})

test("T25: a form that another site posts is refused, and one of a browser that names no origin is not", async () => {
  const values = { message: "from where", mode: "one-way" }
  const refused = await send(values, { "sec-fetch-site": "cross-site" })
  assert.equal(refused.status, 403)
  assert.match(refused.html, /another site/)
  assert.deepEqual(await storedAs("from where"), [])
  const taken = await send(values, { origin: "null", "sec-fetch-site": "same-origin" })
  assert.equal(taken.status, 200)
  assert.equal((await storedAs("from where")).length, 1)
})

test("a body that is no form gets a page and a status", async () => {
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/drop/form`
  const page = await pageOf(await fetch(url, { method: "POST", body: "{}" }))
  assert.equal(page.status, 415)
  assert.match(textOf(page, "form-fault"), /could not be read/)
})
