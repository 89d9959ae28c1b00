import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { after, suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { type Client, createClient, type ScoredItem } from "./index.ts"
import { emailResult, json, KEY, problem, startTestServer } from "../testing/test-server.ts"

function clientOf(baseUrl: string): Client {
  return createClient({ baseUrl, apiKey: KEY })
}

type Line = object | "end" | "cut" | "silence"
const servers = new Set<ReturnType<typeof createServer>>()
after(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})

/** Answers every line as it comes with the result of `answer`, and ends after `most` lines. */
async function startLineServer(
  answer: (email: string, index: number) => Line,
  most = Infinity,
): Promise<{ url: string; gone: Promise<unknown> }> {
  const gone = Promise.withResolvers()
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.once("close", gone.resolve)
    response.writeHead(200, { "content-type": "application/x-ndjson" }).flushHeaders()
    let index = 0
    for await (const line of createInterface({ input: request })) {
      const odd = answer(JSON.parse(line) as string, index++)
      if (odd === "silence") return
      if (odd === "end") break
      if (odd === "cut") return void response.destroy()
      if (!response.write(`${JSON.stringify(odd)}\n`)) await once(response, "drain")
      if (index === most) break
    }
    response.end()
  }
  const server = createServer((request, response) => {
    request.on("error", () => undefined)
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  servers.add(server)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, gone: gone.promise }
}

const answered = (email: string, index: number): Line => ({
  index,
  result: { ...emailResult, email },
})

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const people = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `p${n}@mail.example`)

suite("a stream of identities", () => {
  test("gives an item for each, in order, from a list and from what comes slowly", async () => {
    const server = await startLineServer(answered)
    const fromList = await collected(clientOf(server.url).scoreEmailStream(people(50)))
    assert.deepEqual(
      fromList.map(({ index, result }) => [index, result?.email]),
      people(50).map((email, n) => [n, email]),
    )
    async function* slowly(): AsyncGenerator<string> {
      for (const email of people(3)) {
        await delay(20)
        yield email
      }
    }
    assert.equal((await collected(clientOf(server.url).scoreEmailStream(slowly()))).length, 3)
    assert.deepEqual(await collected(clientOf(server.url).scoreEmailStream([])), [])
  })

  test("an item can be had before the next identity is known", async () => {
    const server = await startLineServer(answered)
    const odd = Promise.withResolvers<unknown>()
    async function* inTurn(): AsyncGenerator<string> {
      yield "first@mail.example"
      assert.equal(await odd.promise, "first@mail.example")
      yield "second@mail.example"
    }
    const emails: unknown[] = []
    for await (const { result } of clientOf(server.url).scoreEmailStream(inTurn())) {
      emails.push(result?.email)
      odd.resolve(result?.email)
    }
    assert.deepEqual(emails, ["first@mail.example", "second@mail.example"])
  })

  test("takes no more than a thousand identities that have no answer", async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let taken = 0
    async function* counted(): AsyncGenerator<string> {
      for (const email of people(1500)) {
        taken++
        yield email
      }
    }
    const held = createServer((request, response) => {
      let pending = 0
      response.writeHead(200).flushHeaders()
      request.on("error", () => undefined)
      const lines = createInterface({ input: request })
      lines.on("line", (line) => {
        const index = pending++
        const text = `${JSON.stringify(answered(JSON.parse(line) as string, index))}\n`
        void released.then(() => response.write(text))
        // All that may be on their way have come: nothing more does until one is answered.
        if (pending === 1000) setTimeout(release, 100)
      })
      lines.on("close", () => void released.then(() => response.end()))
    })
    await new Promise<void>((resolve) => void held.listen(0, "127.0.0.1", resolve))
    servers.add(held)
    const url = `http://127.0.0.1:${(held.address() as AddressInfo).port}`
    let most = 0
    const items: ScoredItem<unknown>[] = []
    for await (const item of clientOf(url).scoreEmailStream(counted())) {
      if (items.length === 0) most = taken
      items.push(item)
    }
    assert.ok(most <= 1001, `${most} were taken before the first answer`)
    assert.equal(items.length, 1500)
  })

  test("an item's problem is the item's; a line without an index ends the stream with its problem", async () => {
    const server = await startLineServer((email, index) =>
      index === 1
        ? { index, problem: { code: "not-an-email", status: 422 } }
        : index === 3
          ? { problem: { code: "stream-interrupted", status: 503 } }
          : answered(email, index),
    )
    const codes: unknown[] = []
    await assert.rejects(
      async () => {
        for await (const { problem: odd } of clientOf(server.url).scoreEmailStream(people(9)))
          codes.push(odd?.code)
      },
      { name: "AssayProblem", code: "stream-interrupted", status: 503 },
    )
    assert.deepEqual(codes, [undefined, "not-an-email", undefined])
  })

  for (const [what, odd] of Object.entries<Line>({
    "ends before its last answer": "end",
    "is cut": "cut",
  })) {
    test(`a response that ${what} is not taken for whole`, async () => {
      const server = await startLineServer((email, index) =>
        index === 2 ? odd : answered(email, index),
      )
      await assert.rejects(collected(clientOf(server.url).scoreEmailStream(people(5))), {
        name: "AssayUnavailable",
        reason: "network",
      })
    })
  }

  test("a response that ends while the source has more is not taken for whole, though all sent was answered", async () => {
    const server = await startLineServer((email, index) => answered(email, index), 1)
    async function* waiting(): AsyncGenerator<string> {
      yield "p0@mail.example"
      await new Promise(() => undefined)
    }
    await assert.rejects(collected(clientOf(server.url).scoreEmailStream(waiting())), {
      name: "AssayUnavailable",
      reason: "network",
    })
  })

  test("an answer about another identity is refused", async () => {
    const server = await startLineServer((_, index) => answered("other@mail.example", index))
    await assert.rejects(collected(clientOf(server.url).scoreEmailStream(people(5))), {
      name: "AssayUnavailable",
      reason: "protocol",
    })
  })

  test("a refusal before the first line is the problem it is", async () => {
    const server = await startTestServer(problem(429, { code: "rate-limited" }))
    await assert.rejects(collected(clientOf(server.url).scoreEmailStream(people(5))), {
      code: "rate-limited",
    })
  })

  test("an answer that does not come is late; one the caller has not asked for yet is not", async () => {
    const silent = await startLineServer(() => "silence")
    await assert.rejects(
      collected(clientOf(silent.url).scoreEmailStream(people(5), { timeoutMs: 100 })),
      { name: "AssayUnavailable", reason: "timeout" },
    )
    const server = await startLineServer(answered)
    let seen = 0
    for await (const item of clientOf(server.url).scoreEmailStream(people(3), {
      timeoutMs: 2000,
    })) {
      assert.equal(item.index, seen++)
      if (seen === 1) await delay(2500)
    }
    assert.equal(seen, 3)
  })

  test("a response whose end does not come is late, after the last answer and where nothing was asked", async () => {
    const server = createServer((request, response) => {
      response.writeHead(200).flushHeaders()
      request.on("error", () => undefined)
      let index = 0
      createInterface({ input: request }).on("line", (line) => {
        response.write(`${JSON.stringify(answered(JSON.parse(line) as string, index++))}\n`)
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    servers.add(server)
    const client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const late = { name: "AssayUnavailable", reason: "timeout" }
    for (const [asked, timeoutMs] of [
      [3, 2000],
      [0, 100],
    ] as const) {
      let seen = 0
      await assert.rejects(async () => {
        for await (const item of client.scoreEmailStream(people(asked), { timeoutMs }))
          assert.equal(item.index, seen++)
      }, late)
      assert.equal(seen, asked, "what was answered was given all the same")
    }
  })

  test("what the source throws reaches the caller as it is", async () => {
    const server = await startLineServer(answered)
    const fault = new Error("the file broke off")
    async function* broken(): AsyncGenerator<string> {
      yield "a@mail.example"
      await delay(20)
      throw fault
    }
    await assert.rejects(collected(clientOf(server.url).scoreEmailStream(broken())), fault)
  })

  test("a caller that stops listening, or cancels, ends the request and the source", async () => {
    const server = await startLineServer(answered)
    let ended = false
    async function* endless(): AsyncGenerator<string> {
      try {
        for (let n = 0; ; n++) yield `p${n}@mail.example`
      } finally {
        ended = true
      }
    }
    for await (const { index } of clientOf(server.url).scoreEmailStream(endless()))
      if (index === 3) break
    await server.gone
    assert.equal(ended, true)
    const cancelling = new AbortController()
    await assert.rejects(async () => {
      const { signal } = cancelling
      for await (const { index } of clientOf(server.url).scoreEmailStream(people(9), { signal }))
        if (index === 0) cancelling.abort(new Error("enough"))
    }, /enough/)
  })

  test("goes in parts of a batch where no stream can be sent", async () => {
    const server = await startTestServer((response, seen) => {
      const { emails } = JSON.parse(seen.body) as { emails: string[] }
      json(200, { results: emails.map((email, index) => answered(email, index)) })(response, seen)
    })
    const client = clientOf(server.url)
    const scope = globalThis as { window?: unknown; document?: unknown }
    scope.window = globalThis
    scope.document = {}
    try {
      const items = await collected(client.scoreEmailStream(people(1100)))
      assert.ok(
        items.every(
          ({ index, result }, n) => index === n && result?.email === `p${n}@mail.example`,
        ),
      )
      assert.equal(items.length, 1100)
      assert.equal(server.seen.length, 3)
    } finally {
      delete scope.window
      delete scope.document
    }
  })
})
