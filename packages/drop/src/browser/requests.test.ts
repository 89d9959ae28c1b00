import assert from "node:assert/strict"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { test, type TestContext } from "node:test"
import { Failure } from "./failure.ts"
import { fetchChallenge, fetchKeys, fetchMailbox, upload } from "./requests.ts"

const PATIENCE_MS = 600_000

/** A page whose server gives the answers of the test and whose ten minutes are over in a moment. */
async function impatientPage(
  t: TestContext,
  answer: (response: ServerResponse) => void,
): Promise<void> {
  const server = createServer((_request, response) => answer(response)).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { fetch } = globalThis
  t.mock.method(globalThis, "fetch", (path: string, init: RequestInit) =>
    fetch(new URL(path, `http://127.0.0.1:${port}`), init),
  )
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  t.mock.method(AbortSignal, "timeout", (ms: number) => {
    assert.equal(ms, PATIENCE_MS)
    return timeout(200)
  })
}

const offline = (error: unknown): boolean =>
  error instanceof Failure && error.text === "failure-offline"

test(
  "a server that never answers, or stops in the middle, is told as no connection",
  { timeout: 20_000 },
  async (t) => {
    const stops = [
      () => undefined,
      (response: ServerResponse) =>
        void response.writeHead(200, { "content-length": 100 }).write("the beginning"),
    ]
    for (const stop of stops) {
      await impatientPage(t, stop)
      await assert.rejects(fetchKeys("/drop/keys"), offline)
      await assert.rejects(fetchChallenge("0", 1), offline)
      await assert.rejects(fetchMailbox(new Uint8Array(32)), offline)
      t.mock.restoreAll()
    }
  },
)

/** A browser's request, as far as an upload uses it; the test decides when its time is over. */
class TestRequest extends EventTarget {
  static last: TestRequest
  readonly upload = new EventTarget()
  timeout = 0
  status = 0
  responseText = ""
  constructor() {
    super()
    TestRequest.last = this
  }
  open(): void {}
  setRequestHeader(): void {}
  send(): void {}
  progress(loaded: number): void {
    this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded, total: 10 }))
  }
  ends(event: "load" | "timeout"): void {
    this.dispatchEvent(new Event(event))
    this.dispatchEvent(new Event("loadend"))
  }
}

function uploading(t: TestContext): { sent: Promise<void>; request: TestRequest } {
  Object.assign(globalThis, { XMLHttpRequest: TestRequest })
  t.after(() => Reflect.deleteProperty(globalThis, "XMLHttpRequest"))
  const letter = { sealed: new Uint8Array(10), withdrawVerifier: "v" }
  const sent = upload(letter, "ticket", () => undefined)
  return { sent, request: TestRequest.last }
}

test("an upload has ten minutes from each piece that left, however long it takes in all", async (t) => {
  const { sent, request } = uploading(t)
  assert.equal(request.timeout, PATIENCE_MS)
  await new Promise((resolve) => setTimeout(resolve, 300))
  request.progress(5)
  const over = request.timeout - PATIENCE_MS
  assert.ok(over > 250 && over < 5_000, `${over} ms after the beginning`)
  request.status = 201
  request.ends("load")
  await sent
})

test("an upload that stops is no connection before all has left, and uncertain after", async (t) => {
  const early = uploading(t)
  early.request.progress(5)
  early.request.ends("timeout")
  await assert.rejects(early.sent, offline)
  const late = uploading(t)
  late.request.upload.dispatchEvent(new Event("load"))
  late.request.ends("timeout")
  await assert.rejects(
    late.sent,
    (error) => error instanceof Failure && error.text === "failure-uncertain",
  )
})
