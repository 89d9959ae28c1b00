import assert from "node:assert/strict"
import { connect } from "node:net"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openApplication } from "./application.ts"

const application = await openApplication({ streamIdleSeconds: 1 })
after(() => application.close())
const { port, connections } = await application.listen()

/** More than the buffers of the two kernels take. */
const REQUESTS = 8

/**
 * Sends requests and takes of the answers what `read` says. `ended` is how many bytes that were, at
 * the end.
 */
function asked(read: "nothing" | "slowly"): { readonly ended: Promise<number>; leave(): void } {
  const emails = Array.from({ length: 1000 }, (_, n) => `person${n}@mail.example`)
  const body = JSON.stringify({ emails })
  const socket = connect(port, "127.0.0.1").pause()
  socket.on("error", () => undefined)
  for (let n = 1; n <= REQUESTS; n++) {
    socket.write(
      `POST /api/v1/risk/score/batch?explain=true HTTP/1.1\r\nhost: x\r\n` +
        `connection: ${n === REQUESTS ? "close" : "keep-alive"}\r\n` +
        `authorization: Bearer ${application.key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    )
  }
  const { promise: ended, resolve } = Promise.withResolvers<number>()
  let bytes = 0
  socket.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  socket.pause()
  socket.once("close", () => resolve(bytes))
  if (read === "slowly") socket.resume()
  return { ended, leave: () => void socket.destroy() }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const endsAt = performance.now() + 300_000; !(await holds());) {
    assert.ok(performance.now() < endsAt, "it does not come about")
    await delay(50)
  }
}

test("an answer that nobody takes is not held for ever; one that is taken slowly is given whole", async (t) => {
  const slow = asked("slowly")
  const bytes = await slow.ended
  assert.ok(bytes > REQUESTS * 1_000_000, `${bytes} bytes`)
  const deaf = Array.from({ length: 3 }, () => asked("nothing"))
  t.after(() => deaf.forEach(({ leave }) => leave()))
  await until(async () => (await connections()) === deaf.length)
  await until(async () => (await connections()) === 0)
})
