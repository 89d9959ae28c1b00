import assert from "node:assert/strict"
import type { ServerResponse } from "node:http"
import { suite, test } from "node:test"
import { AssayProblem, AssayUnavailable } from "./index.ts"
import { clientOf, cut, EMAIL, json, problem, startTestServer } from "../testing/test-server.ts"

const added = (
  emails: readonly string[],
  phones: readonly string[] = [],
  existed = 0,
  domains: readonly object[] = [],
) =>
  json(200, {
    added: emails.length + phones.length - existed,
    already_existed: existed,
    refs: { emails, phone_numbers: phones },
    domains,
  })

suite("the watch list", () => {
  test("takes any number of identities, in requests of as many as the service takes", async () => {
    const emails = Array.from({ length: 1_001 }, (_, n) => `a${n}@mail.example`)
    const refs = emails.map((_, n) => `ref-${n}`)
    const server = await startTestServer(
      added(refs.slice(0, 1_000), [], 2),
      added(refs.slice(1_000)),
      added([], ["phone-ref"]),
      added([], [], 0, [{ domain: "mail.example" }]),
    )
    const phone = { value: "+61491570156", ref: "phone-ref", deliver_identity: true }
    const result = await clientOf(server.url).watchList.add({
      ...{ emails, phone_numbers: [phone], domains: ["mail.example"] },
    })
    assert.deepEqual(result, {
      added: 1_000,
      already_existed: 2,
      refs: { emails: refs, phone_numbers: ["phone-ref"] },
      domains: [{ domain: "mail.example" }],
    })
    assert.deepEqual(
      server.seen.map(({ method, url }) => `${method} ${url}`),
      Array.from({ length: 4 }, () => "POST /api/v1/watchlist"),
    )
    assert.deepEqual(JSON.parse(server.seen[2]?.body ?? ""), { phone_numbers: [phone] })
    assert.deepEqual(JSON.parse(server.seen[3]?.body ?? ""), { domains: ["mail.example"] })
  })

  test("is sent again when an answer breaks off, and sends nothing for nobody", async () => {
    const server = await startTestServer(cut, added(["a"]))
    const { watchList } = clientOf(server.url)
    assert.equal((await watchList.add({ emails: [EMAIL] })).added, 1)
    assert.equal(server.seen.length, 2)
    assert.equal((await watchList.add({})).added, 0)
    assert.equal(server.seen.length, 2)
  })

  test("is ended by identity and by ref with one request, and listed page by page", async () => {
    const page = { items: [], total: 0, next: null }
    const server = await startTestServer(json(200, { deleted: 1, not_found: 1 }), json(200, page))
    const { watchList } = clientOf(server.url)
    const removal = { emails: [EMAIL], refs: ["customer-4711"] }
    assert.deepEqual(await watchList.remove(removal), { deleted: 1, not_found: 1 })
    assert.deepEqual(await watchList.list({ ref: "customer-4711", limit: 20 }), page)
    const [removed, listed] = server.seen
    assert.deepEqual([removed?.method, removed?.url], ["DELETE", "/api/v1/watchlist"])
    assert.deepEqual(JSON.parse(removed?.body ?? ""), removal)
    assert.equal(listed?.url, "/api/v1/watchlist?ref=customer-4711&limit=20")
  })

  test("takes lines, and says of each what became of it", async () => {
    const refused = { code: "not-an-email", status: 422, detail: "It has no @." }
    const results = [
      { index: 0, status: "added", ref: "r-0" },
      { index: 1, problem: refused },
      { index: 2, status: "already_existed", ref: "r-2", domain: { domain: "mail.example" } },
    ]
    const body = results.map((each) => JSON.stringify(each)).join("\n")
    const lined = (text: string) => (response: ServerResponse) =>
      void response.writeHead(200, { "content-type": "application/x-ndjson" }).end(text)
    const server = await startTestServer(lined(body), lined(""))
    const { watchList } = clientOf(server.url)
    const lines = [{ email: EMAIL, ref: "r-0" }, { email: "nobody" }, { domain: "mail.example" }]
    const outcomes = await watchList.addLines(lines)
    assert.deepEqual(outcomes[2], results[2])
    assert.deepEqual(
      outcomes.map(({ index, status, problem }) => [index, status ?? problem.code]),
      [
        [0, "added"],
        [1, "not-an-email"],
        [2, "already_existed"],
      ],
    )
    const [sent] = server.seen
    assert.equal(sent?.headers["content-type"], "application/x-ndjson")
    assert.equal(sent.body, lines.map((line) => JSON.stringify(line)).join("\n"))
    // Fewer answers than lines are no answer.
    await assert.rejects(watchList.addLines(lines), AssayUnavailable)
    assert.deepEqual(await watchList.addLines([]), [])
    assert.equal(server.seen.length, 2)
  })

  test("rejects with the service's problem", async () => {
    const server = await startTestServer(problem(409, { code: "watch-list-full" }))
    await assert.rejects(
      clientOf(server.url).watchList.add({ emails: [EMAIL] }),
      (error) => error instanceof AssayProblem && error.code === "watch-list-full",
    )
  })
})
