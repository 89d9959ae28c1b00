import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { inspect } from "node:util"
import { type ClientOptions, createClient, type Failover } from "./index.ts"
import { KEY } from "../testing/test-server.ts"

const good = { baseUrl: "https://assay.example", apiKey: KEY }

/** What a program without types could pass. */
function created(options: object): object {
  return createClient(options as ClientOptions<Failover>)
}

suite("options", () => {
  const wrong: Record<string, readonly unknown[]> = {
    baseUrl: [
      undefined,
      "",
      "assay.example",
      "/assay",
      "ftp://assay.example",
      "javascript:alert(1)",
      "https://user:hunter2@assay.example",
      "https://assay.example/?tenant=1",
      "https://assay.example/#top",
    ],
    apiKey: [undefined, "", "ask_live_ 1", "ask_live_1\n", "ask_live_\u{e9}", 7],
    timeoutMs: [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "500"],
    retries: [-1, 1.5, 11, Number.NaN, "1"],
    failover: ["clean", "Allow", "", null, "toString"],
    fetch: ["https://assay.example", {}, 1],
  }
  for (const [name, values] of Object.entries(wrong)) {
    test(`a wrong ${name} is named in a TypeError that does not repeat it`, () => {
      for (const value of values) {
        assert.throws(
          () => created({ ...good, [name]: value }),
          (error) => {
            assert.ok(error instanceof TypeError)
            assert.match(error.message, new RegExp(`^${name} `))
            assert.doesNotMatch(error.message, /hunter2|ask_live_/)
            return true
          },
          `${name}: ${String(value)}`,
        )
      }
    })
  }

  test("the least that is needed is an address and a key", () => {
    assert.deepEqual(Object.keys(created(good)).sort(), [
      "compareDecision",
      "countDecisions",
      "decisionViews",
      "drop",
      "eraseSubject",
      "events",
      "exportSubject",
      "getDecision",
      "getEvent",
      "getUsage",
      "listAudit",
      "listDecisions",
      "listEvents",
      "listSources",
      "review",
      "scoreEmail",
      "scoreEmailStream",
      "scoreEmails",
      "scorePhone",
      "scorePhoneStream",
      "scorePhones",
      "searchDecisions",
      "sendEvidence",
      "sendFeedback",
      "sharedSignals",
      "undoFeedback",
      "watchList",
      "webhooks",
    ])
  })

  test("every option at the edge of its range is taken", () => {
    created({ ...good, timeoutMs: 0.5, retries: 0 })
    created({ ...good, timeoutMs: 2 ** 31 - 1, retries: 10 })
    for (const failover of ["throw", "allow", "deny", "challenge"]) created({ ...good, failover })
  })

  test("a client does not show its key", () => {
    assert.doesNotMatch(inspect(created(good), { depth: null, showHidden: true }), /ask_live_/)
  })
})

test("a key in a browser is refused unless the danger is named", () => {
  const scope = globalThis as { window?: unknown; document?: unknown }
  scope.window = globalThis
  try {
    created(good)
    scope.document = {}
    assert.throws(() => created(good), { name: "TypeError", message: /dangerouslyAllowBrowser/ })
    assert.throws(() => created({ ...good, dangerouslyAllowBrowser: false }), TypeError)
    created({ ...good, dangerouslyAllowBrowser: true })
  } finally {
    delete scope.window
    delete scope.document
  }
})
