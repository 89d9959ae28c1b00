import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { after, test } from "node:test"
import { openStreams } from "../../http/streams.ts"
import { countedSlices } from "../../../testing/http/test-slices.ts"
import { openRefusedLines } from "./refused-lines.ts"
import { streamedAnswers } from "./stream.ts"
import { testCaller } from "../../../testing/score/many/test-caller.ts"

const BODY = '"a@mail.example"\n'.repeat(2000)
const LARGE = { pad: "x".repeat(20_000) }

const responses: ServerResponse[] = []
const server = createServer((request, response) => {
  responses.push(response)
  streamedAnswers(request, response, {
    requestId: "r",
    member: "email",
    score: async (index) => ({ index, result: LARGE }),
    callerNow: async () => testCaller,
    refused: openRefusedLines({ chargeRefused: () => 0 }),
    idleSeconds: 0.3,
    streams: openStreams(),
    onFault: (problem) => assert.fail(problem),
    onDone: () => undefined,
  }).pipe(response)
})
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
after(() => {
  server.close()
  server.closeAllConnections()
})

test("a reader that takes nothing is cut off also where all was sent", async () => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
  socket.on("error", () => undefined)
  const asked = once(server, "request")
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`)
  await asked
  const [response] = responses
  assert.ok(response !== undefined)
  await once(response, "close")
  assert.equal(response.req.complete, true, "the test is about a request that came whole")
  assert.equal(response.writableFinished, false)
  assert.equal(response.destroyed, true)
  socket.destroy()
})

test("lines that are dear are worked on a few at a time, however many come at once", async () => {
  const { slices, work, longestMs } = countedSlices()
  const server = createServer((request, response) => {
    streamedAnswers(request, response, {
      requestId: "r",
      member: "email",
      score: async (index) => {
        work(2)
        return { index, result: {} }
      },
      callerNow: async () => testCaller,
      refused: openRefusedLines({ chargeRefused: () => 0 }),
      idleSeconds: 30,
      streams: openStreams(),
      onFault: (problem) => assert.fail(problem),
      onDone: () => undefined,
      slices,
    }).pipe(response)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: BODY })
  const lines = (await answer.text()).trimEnd().split("\n")
  server.close()
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { index: number }).index),
    Array.from({ length: 2000 }, (_, n) => n),
  )
  assert.ok(longestMs() <= 4, `${longestMs()} ms in one slice`)
})
