import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { inspect } from "node:util"
import { AssayProblem, AssayUnavailable, createClient, type EmailRiskResult } from "./index.ts"
import {
  AMPLE,
  clientOf,
  cut,
  deadUrl,
  EMAIL,
  emailResult,
  json,
  KEY,
  PHONE,
  phoneResult,
  problem,
  type Reply,
  silence,
  startTestServer,
} from "../testing/test-server.ts"

/** What a call failed with, and how long that took. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    (value) => assert.fail(`resolved to ${inspect(value)}`),
    (reason: unknown) => reason,
  )
}

async function unavailable(call: Promise<unknown>): Promise<AssayUnavailable> {
  const error = await failureOf(call)
  assert.ok(error instanceof AssayUnavailable, inspect(error))
  return error
}

async function refused(call: Promise<unknown>): Promise<AssayProblem> {
  const error = await failureOf(call)
  assert.ok(error instanceof AssayProblem, inspect(error))
  return error
}

suite("a call that is answered", () => {
  test("sends the address with the key and gives back the result as it came", async () => {
    const server = await startTestServer(json(200, emailResult))
    const result: EmailRiskResult = await clientOf(server.url).scoreEmail(EMAIL)
    assert.deepEqual(result, emailResult)
    const [seen] = server.seen
    assert.equal(seen?.method, "POST")
    assert.equal(seen.url, "/api/v1/risk/score")
    assert.equal(seen.body, JSON.stringify({ email: EMAIL }))
    assert.equal(seen.headers.authorization, `Bearer ${KEY}`)
    assert.equal(seen.headers["content-type"], "application/json")
    assert.equal(seen.headers["x-request-id"], undefined)
    assert.equal(server.seen.length, 1)
  })

  test("sends the number and gives back the result as it came", async () => {
    const server = await startTestServer(json(200, phoneResult))
    assert.deepEqual(await clientOf(server.url).scorePhone(PHONE), phoneResult)
    assert.equal(server.seen[0]?.url, "/api/v1/phone-risk")
    assert.equal(server.seen[0].body, JSON.stringify({ phone_number: PHONE }))
  })

  test("asks for an explanation and has one, by its type too", async () => {
    const explanation = { base: -3 }
    const email = await startTestServer(json(200, { ...emailResult, explanation }))
    const phone = await startTestServer(json(200, { ...phoneResult, explanation }))
    const explained = await clientOf(email.url).scoreEmail(EMAIL, { explain: true })
    assert.equal(explained.explanation["base"], -3)
    const { explanation: ofPhone } = await clientOf(phone.url).scorePhone(PHONE, { explain: true })
    assert.equal(ofPhone["base"], -3)
    assert.equal(email.seen[0]?.url, "/api/v1/risk/score?explain=true")
    assert.equal(phone.seen[0]?.url, "/api/v1/phone-risk?explain=true")
    const plain = await clientOf(email.url).scoreEmail(EMAIL)
    // @ts-expect-error without `explain: true` there may be no explanation
    assert.equal(plain.explanation["base"], -3)
  })

  test("sends the request id it is given", async () => {
    const server = await startTestServer(json(200, emailResult))
    await clientOf(server.url).scoreEmail(EMAIL, { requestId: "sign-up:7.1_a" })
    assert.equal(server.seen[0]?.headers["x-request-id"], "sign-up:7.1_a")
  })

  test("keeps a path of the base URL, with or without a slash at its end", async () => {
    const server = await startTestServer(json(200, emailResult))
    await clientOf(`${server.url}/risk`).scoreEmail(EMAIL)
    await clientOf(`${server.url}/risk/`).scoreEmail(EMAIL)
    await clientOf(`${server.url}/`).scoreEmail(EMAIL)
    assert.deepEqual(
      server.seen.map(({ url }) => url),
      ["/risk/api/v1/risk/score", "/risk/api/v1/risk/score", "/api/v1/risk/score"],
    )
  })

  test("goes through the fetch it is given", async () => {
    const server = await startTestServer(json(200, emailResult))
    const urls: unknown[] = []
    const client = clientOf("http://assay.example", {
      fetch(url, init) {
        urls.push(url)
        return fetch(`${server.url}/api/v1/risk/score`, init)
      },
    })
    assert.deepEqual(await client.scoreEmail(EMAIL), emailResult)
    assert.deepEqual(urls, ["http://assay.example/api/v1/risk/score"])
  })

  test("takes members it does not know, of a newer service", async () => {
    const newer = { ...emailResult, threat_stage: "RESOLD", extra: 1 }
    const server = await startTestServer(json(200, newer))
    assert.deepEqual(await clientOf(server.url).scoreEmail(EMAIL), newer)
  })
})

suite("a wrong argument of a call", () => {
  test("is a TypeError before anything is sent", async () => {
    const server = await startTestServer(json(200, emailResult))
    const client = clientOf(server.url)
    for (const requestId of ["", "a b", "a\r\nb: c", "x".repeat(129), EMAIL]) {
      const error = await failureOf(client.scoreEmail(EMAIL, { requestId }))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /^requestId /)
      assert.ok(!error.message.includes(EMAIL))
    }
    const error = await failureOf(client.scorePhone(PHONE, { timeoutMs: 0 }))
    assert.match((error as TypeError).message, /^timeoutMs /)
    assert.equal(server.seen.length, 0)
  })
})

suite("a problem", () => {
  test("keeps everything its document says", async () => {
    const errors = [{ pointer: "/email", detail: "must be a string" }]
    const body = { code: "invalid-request", detail: "One member.", request_id: "r-1", errors }
    const server = await startTestServer(problem(400, body))
    const error = await refused(clientOf(server.url).scoreEmail(EMAIL))
    const { code, status, title, detail, requestId, retryAfterSeconds } = error
    assert.deepEqual(
      { code, status, title, detail, requestId, retryAfterSeconds, errors: error.errors },
      {
        code: "invalid-request",
        status: 400,
        title: "The request does not fit its description",
        detail: "One member.",
        requestId: "r-1",
        retryAfterSeconds: null,
        errors,
      },
    )
    assert.equal(error.message, "The request does not fit its description (400 invalid-request)")
    assert.equal(error.name, "AssayProblem")
  })

  test("without the optional members is complete, with the id of the header", async () => {
    const bare = problem(401, { code: "unauthenticated" }, { "x-request-id": "r-2" })
    const server = await startTestServer(bare)
    const error = await refused(clientOf(server.url).scorePhone(PHONE))
    assert.equal(error.code, "unauthenticated")
    assert.equal(error.detail, null)
    assert.equal(error.requestId, "r-2")
    assert.deepEqual(error.errors, [])
  })

  test("with members of the wrong type loses those and no more", async () => {
    const errors = [{ pointer: "/email", detail: "kept" }, { pointer: 1 }, null, "text"]
    const body = { code: "invalid-request", detail: 7, request_id: {}, errors }
    const server = await startTestServer(problem(400, body), problem(400, { ...body, errors: 1 }))
    const error = await refused(clientOf(server.url).scoreEmail(EMAIL))
    assert.deepEqual(error.errors, errors.slice(0, 1))
    assert.equal(error.detail, null)
    assert.equal(error.requestId, null)
    assert.deepEqual((await refused(clientOf(server.url).scoreEmail(EMAIL))).errors, [])
  })

  for (const status of [400, 401, 403, 404, 413, 422, 500]) {
    test(`of status ${status} is not sent again`, async () => {
      const server = await startTestServer(
        problem(status, { code: "internal-error" }, { "retry-after": "0" }),
        json(200, emailResult),
      )
      await refused(clientOf(server.url, { retries: 3 }).scoreEmail(EMAIL))
      assert.equal(server.seen.length, 1)
    })
  }
})

suite("a 429 or 503", () => {
  const limited = (after: string): Reply =>
    problem(429, { code: "rate-limited" }, { "retry-after": after })
  const busy = (after: string): Reply =>
    problem(503, { code: "overloaded" }, { "retry-after": after })

  for (const [name, reply] of [
    ["429", limited],
    ["503", busy],
  ] as const) {
    test(`is sent again after Retry-After where that fits in the time left: ${name}`, async () => {
      const server = await startTestServer(reply("1"), json(200, emailResult))
      const startedAt = performance.now()
      assert.deepEqual(await clientOf(server.url).scoreEmail(EMAIL), emailResult)
      assert.ok(performance.now() - startedAt >= 999)
      assert.equal(server.seen.length, 2)
    })

    test(`is thrown at once where Retry-After does not fit: ${name}`, async () => {
      const server = await startTestServer(reply("30"), json(200, emailResult))
      const error = await failureOf(clientOf(server.url).scoreEmail(EMAIL))
      assert.ok(error instanceof AssayProblem)
      assert.equal(error.status, Number(name))
      assert.equal(error.retryAfterSeconds, 30)
      assert.equal(server.seen.length, 1)
    })

    test(`is not sent more often than retries says: ${name}`, async () => {
      const server = await startTestServer(reply("0"))
      await refused(clientOf(server.url, { retries: 2 }).scoreEmail(EMAIL))
      assert.equal(server.seen.length, 3)
      await refused(clientOf(server.url, { retries: 0 }).scoreEmail(EMAIL))
      assert.equal(server.seen.length, 4)
    })
  }

  test("without Retry-After: a 503 is sent again, a 429 is not", async () => {
    const store = await startTestServer(
      problem(503, { code: "store-unavailable" }),
      json(200, emailResult),
    )
    assert.deepEqual(await clientOf(store.url).scoreEmail(EMAIL), emailResult)
    const quota = await startTestServer(
      problem(429, { code: "quota-exceeded" }),
      json(200, emailResult),
    )
    assert.equal((await refused(clientOf(quota.url).scoreEmail(EMAIL))).code, "quota-exceeded")
    assert.equal(quota.seen.length, 1)
  })

  test("of a proxy, which speaks no JSON, is sent again too", async () => {
    const page: Reply = (response) =>
      void response.writeHead(503, { "content-type": "text/html" }).end("<h1>503</h1>")
    const server = await startTestServer(page, json(200, emailResult))
    assert.deepEqual(await clientOf(server.url).scoreEmail(EMAIL), emailResult)
  })
})

suite("a network that fails", () => {
  test("before a response: the call is sent again and succeeds", async () => {
    const server = await startTestServer(cut, json(200, emailResult))
    assert.deepEqual(await clientOf(server.url).scoreEmail(EMAIL), emailResult)
    assert.equal(server.seen.length, 2)
  })

  test("each time: the call fails after its retries, with the cause", async () => {
    const server = await startTestServer(cut)
    const error = await unavailable(clientOf(server.url, { retries: 2 }).scoreEmail(EMAIL))
    assert.equal(error.reason, "network")
    assert.equal(error.status, null)
    assert.ok(error.cause instanceof Error)
    assert.equal(server.seen.length, 3)
  })

  test("because nothing listens", async () => {
    const error = await unavailable(clientOf(await deadUrl()).scorePhone(PHONE))
    assert.equal(error.reason, "network")
    assert.match(inspect(error, { depth: null }), /ECONNREFUSED/)
  })

  test("in the middle of a response: counted already, so it is not sent again", async () => {
    const half: Reply = (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "400" })
      response.write(JSON.stringify(emailResult).slice(0, 60), () => response.socket?.destroy())
    }
    const server = await startTestServer(half, json(200, emailResult))
    const error = await unavailable(clientOf(server.url, { retries: 3 }).scoreEmail(EMAIL))
    assert.equal(error.reason, "network")
    assert.equal(error.status, 200)
    assert.equal(server.seen.length, 1)
  })
})

suite("an answer that is not the service's", () => {
  const without = (member: string, result: object): object =>
    Object.fromEntries(Object.entries(result).filter(([name]) => name !== member))
  const answers: Record<string, Reply> = {
    "a page": (response) => void response.end("<!doctype html><title>Sign in</title>"),
    nothing: (response) => void response.end(),
    "half of the JSON": (response) => void response.end(JSON.stringify(emailResult).slice(0, 80)),
    "an array": json(200, [emailResult]),
    null: json(200, null),
    "a result without its score": json(200, without("risk_score", emailResult)),
    "a result with a text for a score": json(200, { ...emailResult, risk_score: "42" }),
    "a result about somebody else": json(200, { ...emailResult, email: "bo@mail.example" }),
    "the result of a phone": json(200, phoneResult),
    "a problem that claims success": problem(200, { code: "overloaded" }),
    "a result with another status": json(203, emailResult),
    "a problem nobody knows": problem(500, { code: "toString" }),
    "a failure without a code": json(502, { message: "bad gateway" }),
  }
  for (const [name, reply] of Object.entries(answers)) {
    test(`is a protocol failure and not sent again: ${name}`, async () => {
      const server = await startTestServer(reply, json(200, emailResult))
      const error = await unavailable(clientOf(server.url, { retries: 3 }).scoreEmail(EMAIL))
      assert.equal(error.reason, "protocol")
      assert.notEqual(error.status, null)
      assert.equal(server.seen.length, 1)
    })
  }

  for (const member of Object.keys(phoneResult)) {
    test(`is a protocol failure: a phone's result without ${member}`, async () => {
      const server = await startTestServer(json(200, without(member, phoneResult)))
      const error = await unavailable(clientOf(server.url).scorePhone(PHONE))
      assert.equal(error.reason, "protocol")
    })
  }

  test("is a protocol failure: a result without the explanation that was asked for", async () => {
    const server = await startTestServer(json(200, emailResult))
    const error = await unavailable(clientOf(server.url).scoreEmail(EMAIL, { explain: true }))
    assert.equal(error.reason, "protocol")
  })

  test("a redirect is not followed, so the identity goes nowhere else", async () => {
    const other = await startTestServer(json(200, emailResult))
    for (const status of [301, 302, 307, 308]) {
      const server = await startTestServer((response) =>
        response.writeHead(status, { location: `${other.url}/api/v1/risk/score` }).end(),
      )
      const error = await unavailable(clientOf(server.url).scoreEmail(EMAIL))
      assert.equal(error.reason, "protocol")
      assert.equal(error.status, status)
    }
    assert.equal(other.seen.length, 0)
  })
})

suite("the time-out", () => {
  const trickle: Reply = (response) => {
    response.writeHead(200, { "content-type": "application/json" })
    const timer = setInterval(() => response.write(" "), 20)
    response.on("close", () => clearInterval(timer))
  }
  for (const [name, reply] of [
    ["a server that says nothing", silence],
    ["a server that never finishes its answer", trickle],
  ] as const) {
    test(`ends the wait for ${name}`, async () => {
      const server = await startTestServer(reply)
      const client = clientOf(server.url, { timeoutMs: 150, retries: 3 })
      const error = await failureOf(client.scoreEmail(EMAIL))
      assert.ok(error instanceof AssayUnavailable)
      assert.equal(error.reason, "timeout")
      assert.match(error.message, /within 150 ms/)
      // On a busy machine the time may be over before the request is there; it never comes twice.
      assert.ok(server.seen.length <= 1)
    })
  }

  test("is half a second unless given", async () => {
    const server = await startTestServer(silence)
    const client = createClient({ baseUrl: server.url, apiKey: KEY })
    const error = await failureOf(client.scoreEmail(EMAIL))
    assert.match((error as Error).message, /within 500 ms/)
  })

  test("of a call wins over the client's", async () => {
    const server = await startTestServer(silence)
    const error = await unavailable(clientOf(server.url).scoreEmail(EMAIL, { timeoutMs: 100 }))
    assert.match(error.message, /within 100 ms/)
  })

  test("holds for the retries and their pauses together", async () => {
    const slow: Reply = (response) => void setTimeout(() => response.socket?.destroy(), 120)
    const server = await startTestServer(slow)
    const client = clientOf(server.url, { timeoutMs: 300, retries: 10 })
    const error = await failureOf(client.scoreEmail(EMAIL))
    assert.ok(error instanceof AssayUnavailable)
    assert.ok(server.seen.length <= 3, `sent ${server.seen.length} times`)
  })

  test("holds where fetch takes no notice of it", async () => {
    const deaf = (): Promise<Response> => new Promise(() => undefined)
    const client = clientOf("http://assay.example", { timeoutMs: 50, fetch: deaf })
    const error = await unavailable(client.scoreEmail(EMAIL))
    assert.equal(error.reason, "timeout")
  })

  test("closes the connection, so an abandoned call holds nothing", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<undefined>()
    const server = await startTestServer((response) => {
      response.on("close", () => resolve(undefined))
    })
    await unavailable(clientOf(server.url, { timeoutMs: 100 }).scoreEmail(EMAIL))
    await Promise.race([closed, delay(5000, null, { ref: false }).then(() => assert.fail("open"))])
  })
})

suite("a cancelled call", () => {
  test("rejects with the caller's own reason, whatever failover says", async () => {
    const server = await startTestServer(silence)
    const client = createClient({ baseUrl: server.url, apiKey: KEY, ...AMPLE, failover: "allow" })
    const controller = new AbortController()
    const reason = new Error("The visitor left")
    setTimeout(() => controller.abort(reason), 50)
    const error = await failureOf(client.scoreEmail(EMAIL, { signal: controller.signal }))
    assert.equal(error, reason)
  })

  test("is not sent at all if it was cancelled before", async () => {
    const server = await startTestServer(json(200, emailResult))
    const signal = AbortSignal.abort()
    const error = await failureOf(clientOf(server.url).scoreEmail(EMAIL, { signal }))
    assert.equal((error as Error).name, "AbortError")
    assert.equal(server.seen.length, 0)
  })

  test("is not sent again after the pause it was cancelled in", async () => {
    const controller = new AbortController()
    let sent = 0
    const server = await startTestServer((response, seen) => {
      problem(503, { code: "overloaded" }, { "retry-after": "1" })(response, seen)
      setTimeout(() => controller.abort(), 100)
    })
    const client = clientOf(server.url, {
      // Takes no notice of the signal, so nothing but the client itself keeps a request back.
      fetch(url, init) {
        sent++
        return fetch(url, { ...init, signal: null })
      },
    })
    const call = client.scoreEmail(EMAIL, { signal: controller.signal })
    const error = await failureOf(call)
    assert.equal((error as Error).name, "AbortError")
    await delay(1300)
    assert.equal(sent, 1)
  })
})

test("no failure tells the identity or the key, whatever the other side sends back", async () => {
  const echoing = `${EMAIL} ${PHONE} ${KEY}`
  const hostile = { code: "internal-error", title: echoing, detail: echoing, request_id: echoing }
  const replies: Reply[] = [
    (response) => void response.end(echoing),
    (response) => void response.end(`{"email": "${echoing}`),
    json(200, { ...emailResult, email: echoing }),
    json(403, { message: echoing }),
    problem(500, hostile),
    problem(422, { ...hostile, code: "not-an-email" }),
    problem(500, { ...hostile, code: echoing }),
    silence,
    cut,
  ]
  for (const reply of replies) {
    const server = await startTestServer(reply)
    const client = clientOf(server.url, { timeoutMs: 1000 })
    for (const call of [() => client.scoreEmail(EMAIL), () => client.scorePhone(PHONE)]) {
      const error = await failureOf(call())
      for (let each: unknown = error; each instanceof Error; each = each.cause) {
        for (const secret of [EMAIL, PHONE, KEY])
          assert.ok(!`${each.message}${String(each.stack)}`.includes(secret), inspect(error))
      }
    }
  }
})
