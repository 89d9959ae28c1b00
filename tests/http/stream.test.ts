import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { after, before, suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { processTree } from "../../bench/process-figures.ts"
import { demoEmails, demoPhones } from "../../packages/server/src/demo/demo-identities.ts"
import { assay, createKey } from "../cli/assay.ts"
import { type Answer, openStream } from "./ndjson.ts"
import { type Service, startService } from "./service.ts"
import { usageOf } from "./usage.ts"

const SOAK = process.env["ASSAY_SOAK"] !== undefined
const MANY = SOAK ? 200_000 : 5_000

const line = (email: string): string => `${JSON.stringify({ email })}\n`
const codeOf = ({ problem }: Answer): string => problem?.code ?? "answered"

suite("a stream that moves", () => {
  let service: Service
  before(async () => {
    // Less time than the longest stream here takes: it bounds requests, not streams.
    service = await startService({ env: { ASSAY_REQUEST_SECONDS: "1" } })
  })
  after(() => service.stop())

  test("answers each line as the identity is answered alone, in order", async () => {
    const emails = openStream(service)
    for (const { email } of demoEmails) await emails.send(line(email))
    emails.end()
    const answers = await emails.rest()
    assert.equal((await emails.response).headers["content-type"], "application/x-ndjson")
    for (const [n, { email }] of demoEmails.entries()) {
      const alone = await service.request("/api/v1/risk/score", { json: { email } })
      assert.deepEqual(answers[n], { index: n, result: await alone.json() })
    }
    const phones = openStream(service, { path: "/api/v1/phone-risk/batch" })
    for (const { phone } of demoPhones) await phones.send(JSON.stringify(phone) + "\n")
    phones.end()
    const phoneAnswers = await phones.rest()
    assert.deepEqual(
      phoneAnswers.map(({ result }) => result?.["phone_number"]),
      demoPhones.map(({ phone }) => phone),
    )
  })

  test("answers a line before the next one is sent", async () => {
    const stream = openStream(service)
    for (const [n, { email }] of demoEmails.entries()) {
      await stream.send(line(email))
      const answer = await stream.next()
      assert.deepEqual([answer?.index, answer?.result?.["email"]], [n, email])
    }
    stream.end()
    assert.equal(await stream.next(), null)
  })

  test("takes objects and bare texts, LF and CRLF, blank lines, and a last line without an end", async () => {
    const stream = openStream(service)
    await stream.send('{"email":"a@mail.example"}\n\n  \n"b@mail.example"\r\n\r\n')
    await stream.send('{"more":[1],"email":"c@mail.example"}')
    stream.end()
    assert.deepEqual(
      (await stream.rest()).map(({ index, result }) => [index, result?.["email"]]),
      [
        [0, "a@mail.example"],
        [1, "b@mail.example"],
        [2, "c@mail.example"],
      ],
    )
    const empty = openStream(service)
    empty.end()
    assert.deepEqual(await empty.rest(), [])
  })

  test("reads characters that arrive in two pieces", async () => {
    const stream = openStream(service)
    const bytes = Buffer.from('\ufeff"zoë@münchen.example"\n"日本@mail.example"\n')
    for (const byte of bytes) {
      await stream.send(Uint8Array.of(byte))
      // Each in a packet of its own, or nearly.
      await new Promise((resolve) => setImmediate(resolve))
    }
    stream.end()
    assert.deepEqual(
      (await stream.rest()).map(({ result }) => result?.["email"]),
      ["zoë@münchen.example", "日本@mail.example"],
    )
  })

  test("a line that cannot be read has a problem of its own, and the next is answered", async () => {
    const stream = openStream(service)
    const longest = `{"email":"a@mail.example","pad":"${"x".repeat(4096 - 35)}"}`
    assert.equal(longest.length, 4096)
    for (const piece of [
      Buffer.concat([Buffer.from('"a'), Buffer.from([0xc3, 0x28]), Buffer.from('@b.example"\n')]),
      "{\n",
      "7\n",
      "[]\n",
      "null\n",
      "{}\n",
      '{"email":null}\n',
      '{"__proto__":{"email":"a@mail.example"}}\n',
      '"not an address"\n',
      `${longest}\n`,
      `${longest} \n`,
      `"${"x".repeat(300_000)}"\n`,
      '"a@mail.example"\n',
    ])
      await stream.send(piece)
    stream.end()
    const answers = await stream.rest()
    assert.deepEqual(
      answers.map(({ index }) => index),
      answers.map((_, n) => n),
    )
    assert.deepEqual(answers.map(codeOf), [
      "malformed-json",
      "malformed-json",
      "invalid-request",
      "invalid-request",
      "invalid-request",
      "invalid-request",
      "invalid-request",
      "invalid-request",
      "not-an-email",
      "answered",
      "body-too-large",
      "body-too-large",
      "answered",
    ])
    assert.deepEqual(answers[6]?.problem?.errors, [
      { pointer: "#/email", detail: "must be of type string" },
    ])
    assert.doesNotMatch(JSON.stringify(answers.slice(0, 9)), /not an address|b\.example/)
  })

  test("goes on past the time a request may take", async () => {
    const stream = openStream(service)
    const count = 10
    for (let n = 0; n < count; n++) {
      await stream.send(line(`slow${n}@mail.example`))
      assert.equal((await stream.next())?.index, n)
      await delay(300)
    }
    stream.end()
    assert.equal(await stream.next(), null)
    // The connection of a stream is exempt, its neighbours are not.
    const socket = connect(service.port, "127.0.0.1")
    socket.write(
      "POST /api/v1/risk/score/batch HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
        `authorization: Bearer ${service.key ?? ""}\r\ncontent-length: 100\r\n\r\n{`,
    )
    let text = ""
    for await (const chunk of socket) text += String(chunk)
    assert.match(text, /^HTTP\/1\.1 408 /)
  })

  test(`answers ${MANY} lines while both sides go as fast as they can, and its memory stays bounded`, async () => {
    const residentBytes = (): number =>
      processTree(service.pid)
        .map((pid) => /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
        .reduce((sum, kibibytes) => sum + Number(kibibytes ?? 0) * 1024, 0)
    const before = SOAK ? residentBytes() : 0
    const stream = openStream(service, { path: "/api/v1/risk/score/batch?explain=true" })
    const sending = (async () => {
      for (let n = 0; n < MANY; n++) await stream.send(line(`person${n}@mail.example`))
      stream.end()
    })()
    let seen = 0
    for (let answer = await stream.next(); answer !== null; answer = await stream.next()) {
      assert.equal(answer.index, seen)
      assert.equal(answer.result?.["email"], `person${seen}@mail.example`)
      seen++
    }
    await sending
    assert.equal(seen, MANY)
    if (SOAK) {
      const grown = residentBytes() - before
      assert.ok(grown < 300 * 2 ** 20, `${Math.round(grown / 2 ** 20)} MiB more`)
    }
  })

  test("a client that goes away stops the work", async () => {
    const key = await createKey(service, "--tenant", "leaving", "--plan", "enterprise")
    const stream = openStream(service, { key })
    const body = Array.from({ length: 200_000 }, (_, n) => line(`l${n}@mail.example`)).join("")
    stream.request.write(body)
    assert.equal((await stream.next())?.index, 0)
    stream.request.destroy()
    assert.equal((await service.request("/healthz")).status, 200)
    const counted = await usageOf(service.dataDirectory, "leaving", 1)
    assert.ok(counted > 0 && counted < 200_000, `${counted} lines were answered`)
    await delay(2500)
    const later = await usageOf(service.dataDirectory, "leaving", 1)
    await delay(2500)
    assert.equal(await usageOf(service.dataDirectory, "leaving", 1), later)
  })

  test("a revoked key ends the stream it opened, and says so in a line without an index", async () => {
    const key = await createKey(service, "--tenant", "revoked", "--label", "of-the-stream")
    const stream = openStream(service, { key })
    await stream.send(line("first@mail.example"))
    assert.equal((await stream.next())?.index, 0)
    const env = { ASSAY_DATA: service.dataDirectory }
    const listed = (await assay(["keys", "list", "--tenant", "revoked"], env)).out
    const id = /key_[0-9a-f]{16}/.exec(listed)?.[0] ?? ""
    assert.equal((await assay(["keys", "revoke", id], env)).code, 0)
    const deadline = Date.now() + 300_000
    let answer: Answer | null = null
    do {
      assert.ok(Date.now() < deadline, "the stream goes on")
      await stream.send(line("first@mail.example"))
      answer = await stream.next()
      await delay(200)
    } while (answer?.index !== undefined)
    assert.equal(answer === null ? null : codeOf(answer), "unauthenticated")
    assert.equal(await stream.next(), null)
  })

  test("limits hold line by line: past the day's identities lines are refused and others answered", async () => {
    const key = await createKey(service, "--tenant", "limited")
    const stream = openStream(service, { key })
    for (let n = 0; n < 120; n++) await stream.send(line(`p${n}@mail.example`))
    await stream.send(line("p5@mail.example"))
    stream.end()
    const answers = await stream.rest()
    assert.equal(answers.filter((answer) => codeOf(answer) === "answered").length, 101)
    assert.equal(answers.filter((answer) => codeOf(answer) === "identities-exceeded").length, 20)
    assert.equal(answers.at(-1)?.result?.["email"], "p5@mail.example")
    assert.match(String((await stream.response).headers["ratelimit"]), /^"second";r=\d+;t=1, /)
    assert.equal(await usageOf(service.dataDirectory, "limited", 101), 101)
  })

  test("is refused before any line is read: without a key, compressed, or on a route that takes none", async () => {
    for (const [settings, status] of [
      [{ key: null }, 401],
      [{ headers: { "content-encoding": "gzip" } }, 415],
      [{ path: "/api/v1/risk/score" }, 415],
    ] as const) {
      const stream = openStream(service, settings)
      const response = await stream.response
      assert.equal(response.statusCode, status)
      assert.match(String(response.headers["content-type"]), /^application\/problem\+json/)
      stream.request.destroy()
    }
  })

  test("leaves nothing of what was sent in the log", () => {
    assert.doesNotMatch(service.stdout() + service.stderr(), /person\d|p\d@|slow\d|not an address/)
  })
})

suite("a stream that stands still", () => {
  let service: Service
  before(async () => {
    service = await startService({ env: { ASSAY_STREAM_IDLE_SECONDS: "1" } })
  })
  after(() => service.stop())

  test("because nothing is sent ends with a line that says so", async () => {
    const stream = openStream(service)
    await stream.send(`${line("first@mail.example")}"half a li`)
    const answers = await stream.rest()
    assert.deepEqual(answers.map(codeOf), ["answered", "request-timeout"])
    assert.ok(!Object.hasOwn(answers[1] ?? {}, "index"))
  })

  test("because nothing is read is cut off, and was read no further than buffers reach", async () => {
    const key = await createKey(service, "--tenant", "deaf", "--plan", "enterprise")
    const count = 400_000
    const socket = connect(service.port, "127.0.0.1").pause()
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.on("error", () => undefined)
    const body = line("person@mail.example").repeat(count)
    socket.write(
      "POST /api/v1/risk/score/batch HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\n" +
        `authorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
    await closed
    const counted = await usageOf(service.dataDirectory, "deaf", 1)
    assert.ok(counted > 0 && counted < count, `${counted} lines were answered`)
    assert.equal((await service.request("/healthz")).status, 200)
  })
})

test("a service that stops answers the lines it has begun, says that it ends the stream, and ends it whole", async () => {
  const service = await startService()
  const stream = openStream(service)
  await stream.send(line("first@mail.example"))
  assert.equal((await stream.next())?.index, 0)
  const stopped = service.stop()
  const last = await stream.next()
  assert.equal(last === null ? null : codeOf(last), "stream-interrupted")
  assert.ok(!Object.hasOwn(last ?? {}, "index"))
  assert.equal(await stream.next(), null)
  assert.equal(await stopped, 0)
})
