import assert from "node:assert/strict"
import { once } from "node:events"
import { connect } from "node:net"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { type Service, startService } from "./service.ts"

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

const CLIENTS = 20
const RELOADS = 2

interface Visit {
  readonly answers: number
  /** Connections closed although the last answer had not announced it. */
  readonly cutOff: number
  /** Connections closed as the last answer had announced. */
  readonly closed: number
}

/**
 * Asks again and again, over one connection for as long as that is kept, with a short rest in
 * between.
 */
async function visit(until: () => boolean): Promise<Visit> {
  let [answers, cutOff, closed] = [0, 0, 0]
  while (!until()) {
    const socket = connect(service.port, "127.0.0.1")
    const ended = once(socket, "close").catch(() => undefined)
    socket.on("error", () => undefined)
    let text = ""
    socket.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")))
    let announced = false
    while (!until() && !announced) {
      text = ""
      socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
      while (!socket.destroyed && !/\r\n\r\n.+/s.test(text))
        await Promise.race([once(socket, "data"), ended])
      if (!/\r\n\r\n.+/s.test(text)) break
      answers++
      announced = /^connection: close\r$/im.test(text)
      if (!announced) await delay(20)
      if (socket.destroyed && !announced) break
    }
    if (announced) closed++
    else if (socket.destroyed && !until()) cutOff++
    socket.destroy()
  }
  return { answers, cutOff, closed }
}

test("a client on a kept connection learns when it ends, through reload after reload", async () => {
  let over = false
  const visits = Array.from({ length: CLIENTS }, () => visit(() => over))
  const restarts = (): number => service.stderr().split('"workers restarted"').length - 1
  for (let n = 0; n < RELOADS; n++) {
    await delay(300)
    process.kill(service.pid, "SIGHUP")
    const deadline = performance.now() + 300_000
    while (restarts() <= n) {
      assert.ok(performance.now() < deadline, "the workers were not restarted in a minute")
      await delay(50)
    }
  }
  await delay(300)
  over = true
  const all = await Promise.all(visits)
  assert.equal(
    all.reduce((sum, { cutOff }) => sum + cutOff, 0),
    0,
    "no connection was closed without a word",
  )
  assert.ok(
    all.every(({ closed }) => closed >= RELOADS),
    "each client was told, once a reload",
  )
})
