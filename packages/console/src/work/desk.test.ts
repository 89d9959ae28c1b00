// What is kept for whom, over HTTP, with a service that says who is signed in.
import assert from "node:assert/strict"
import { test } from "node:test"
import {
  cut,
  emailResult,
  json,
  phoneResult,
  problem,
  type Reply,
  type Seen,
  startTestServer,
} from "../../../client/testing/test-server.ts"
import { type AnswerMessage, type CallName, PROTOCOL } from "./calls.ts"
import { createDesk, type Desk } from "./desk.ts"
import type { Batch } from "./kinds.ts"

const PHONES = "/api/v1/phone-risk/batch"

/** The session whose cookie the browser has; null: none. */
let cookie: string | null = null
let scoring: Reply = scored

function scored(response: Parameters<Reply>[0], seen: Seen): void {
  const { emails, phone_numbers: phones } = JSON.parse(seen.body) as Record<string, string[]>
  const results =
    seen.url === PHONES
      ? phones?.map((phone_number, index) => ({ index, result: { ...phoneResult, phone_number } }))
      : emails?.map((email, index) =>
          email.includes("@")
            ? { index, result: { ...emailResult, email } }
            : { index, problem: { code: "not-an-email", status: 422 } },
        )
  json(200, { results })(response, seen)
}

const { url, seen } = await startTestServer((response, asked) => {
  const session = { csrf_token: cookie, name: "Ana", roles: ["owner"] }
  const unknown = problem(401, { code: "unauthenticated" })
  const reply =
    cookie === null
      ? unknown
      : asked.url === "/api/v1/session"
        ? json(200, session)
        : asked.headers["x-csrf-token"] === cookie
          ? scoring
          : problem(403, { code: "cross-site" })
  reply(response, asked)
})

interface Opened {
  readonly desk: Desk
  ask(owner: string, name: CallName, ...args: unknown[]): Promise<AnswerMessage>
  batch(owner: string): Promise<Batch | undefined>
  /** Resolves when work has begun, ended or gone, after the last time it did. */
  change(): Promise<void>
}

function open(signedIn: string | null): Opened {
  cookie = signedIn
  scoring = scored
  let told = Promise.withResolvers<null>()
  const desk = createDesk(url, () => told.resolve(null))
  const ask: Opened["ask"] = (owner, name, ...args) =>
    desk.answer({ protocol: PROTOCOL, owner, name, args })
  return {
    desk,
    ask,
    async batch(owner) {
      const answer = await ask(owner, "list")
      return "result" in answer ? (answer.result as Batch[])[0] : undefined
    },
    async change() {
      await told.promise
      told = Promise.withResolvers()
    },
  }
}

const file = (...lines: string[]): object => ({
  kind: "batch",
  file: new File([lines.join("\n")], "list.csv"),
})

test("a file is scored in its order, addresses and numbers, and what could not be is counted", async () => {
  const { ask, batch, change } = open("a")
  await ask("a", "begin", file("email", "x@mail.example", "+61491570156", "=1", "y@mail.example"))
  await change()
  await change()
  const work = await batch("a")
  assert.deepEqual([work?.state, work?.done, work?.total, work?.failed], ["done", 4, 4, 1])
  const answer = await ask("a", "scores", work?.id)
  assert.ok("result" in answer)
  assert.deepEqual((answer.result as string[]).join("").split("\r\n"), [
    "identity,risk_score,stage_or_level,action,reasons,problem",
    "x@mail.example,42,LEAKED,step_up_auth,Password exposed in plain text,",
    "'+61491570156,88,CRITICAL,block,SIM changed 2 hours ago,",
    "'=1,,,,,not-an-email",
    "y@mail.example,42,LEAKED,step_up_auth,Password exposed in plain text,",
    "",
  ])
})

test("what the plan's rate refused is asked again, the whole request or the rest of it", async () => {
  const { ask, batch, change } = open("a")
  const before = seen.length
  const limited = { code: "rate-limited", status: 429 }
  const replies: Reply[] = [
    problem(429, limited, { "retry-after": "0" }),
    // The client asks once more by itself.
    problem(429, limited, { "retry-after": "0" }),
    json(200, {
      results: [
        { index: 0, result: { ...emailResult, email: "x@mail.example" } },
        { index: 1, problem: limited },
      ],
    }),
  ]
  scoring = (response, asked) => (replies.shift() ?? scored)(response, asked)
  await ask("a", "begin", file("x@mail.example", "y@mail.example"))
  await change()
  await change()
  const work = await batch("a")
  assert.deepEqual([work?.state, work?.done, work?.failed], ["done", 2, 0])
  assert.deepEqual(
    seen.slice(before + 1).map(({ body }) => body),
    [
      ...Array.from({ length: 3 }, () => '{"emails":["x@mail.example","y@mail.example"]}'),
      '{"emails":["y@mail.example"]}',
    ],
  )
})

test("a stream that breaks off fails with its reason, and keeps what was scored before", async () => {
  const { ask, batch, change } = open("a")
  let parts = 0
  scoring = (response, asked) => (parts++ === 0 ? scored : cut)(response, asked)
  const lines = Array.from({ length: 600 }, (_, n) => `p${n}@mail.example`)
  await ask("a", "begin", file(...lines))
  await change()
  await change()
  const work = await batch("a")
  assert.deepEqual([work?.state, work?.done, work?.total], ["failed", 500, 600])
  assert.equal(work?.failure?.title, "The service did not answer")
  const answer = await ask("a", "scores", work.id)
  assert.ok("result" in answer)
  assert.equal((answer.result as string[]).join("").trim().split("\r\n").length, 501)
})

test("what is stopped sends nothing more, and one of a kind runs at a time", async () => {
  const { ask, batch, change } = open("a")
  const held = Promise.withResolvers<null>()
  const arrived = Promise.withResolvers<null>()
  scoring = (response, asked) => {
    arrived.resolve(null)
    void held.promise.then(() => scored(response, asked))
  }
  const lines = Array.from({ length: 600 }, (_, n) => `p${n}@mail.example`)
  const begun = await ask("a", "begin", file(...lines))
  await arrived.promise
  const asked = seen.length
  assert.deepEqual("result" in begun && (begun.result as Batch).id, (await batch("a"))?.id)
  const again = await ask("a", "begin", file("other@mail.example"))
  assert.deepEqual("result" in again && (again.result as Batch).id, (await batch("a"))?.id)
  await change()
  await ask("a", "stop", (await batch("a"))?.id)
  await change()
  held.resolve(null)
  assert.equal((await batch("a"))?.state, "stopped")
  assert.equal(seen.length, asked)
})

test("another session sees nothing of it and ends it, and a tab from before that ends nothing", async () => {
  const { desk, ask, batch } = open("a")
  scoring = () => undefined
  await ask("a", "begin", file("x@mail.example"))
  assert.equal((await batch("a"))?.state, "running")
  // The tab of somebody whom the service does not know by now.
  assert.deepEqual(await ask("b", "list"), { signedOut: true })
  await ask("b", "forget")
  assert.equal((await batch("a"))?.state, "running")
  cookie = "b"
  assert.deepEqual(await ask("b", "list"), { result: [] })
  assert.ok(desk.isEmpty())
  await ask("b", "begin", file("y@mail.example"))
  assert.deepEqual(await ask("a", "list"), { signedOut: true })
  assert.equal((await batch("b"))?.state, "running")
  await ask("b", "forget")
  assert.ok(desk.isEmpty())
})

test("a session that ends takes all of its work with it, also what had ended", async () => {
  const { desk, ask, batch, change } = open("a")
  scoring = cut
  await ask("a", "begin", { kind: "shadow" })
  await change()
  await change()
  assert.equal((await batch("a"))?.state, "failed")
  cookie = null
  await ask("a", "begin", file("x@mail.example"))
  while (!desk.isEmpty()) await change()
  assert.deepEqual(await ask("a", "list"), { result: [] })
  assert.deepEqual(await ask("a", "begin", file("x@mail.example")), { signedOut: true })
})

test("scores are given to nobody once the session is over, and looking on does not lengthen it", async () => {
  const { desk, ask, batch, change } = open("a")
  await ask("a", "begin", file("x@mail.example"))
  await change()
  await change()
  const id = (await batch("a"))?.id
  const asked = seen.length
  await batch("a")
  await ask("a", "see", id)
  assert.equal(seen.length, asked)
  cookie = null
  assert.deepEqual(await ask("a", "scores", id), { signedOut: true })
  assert.ok(desk.isEmpty())
})

test("a page of another version ends the work, as nobody could show it", async () => {
  const { desk, ask } = open("a")
  scoring = () => undefined
  await ask("a", "begin", file("x@mail.example"))
  const other = { protocol: PROTOCOL + 1, owner: "a", name: "list", args: [] } as const
  assert.deepEqual(await desk.answer(other), { outdated: true })
  assert.ok(desk.isEmpty())
})
