import assert from "node:assert/strict"
import { once } from "node:events"
import { test } from "node:test"
import { Worker } from "node:worker_threads"
import { fastify } from "fastify"
import type { App } from "./app.ts"
import { listen } from "./listen.ts"

/** Asks once, keeps the connection, and asks again when it may. Says what came each time. */
const CLIENT = `
import { connect } from "node:net"
import { parentPort, workerData } from "node:worker_threads"
const { port, turns } = workerData
const socket = connect(port, "127.0.0.1")
const ask = (done) => socket.write("GET / HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n", done)
const say = (what) => parentPort.postMessage(what)
socket.on("error", () => undefined)
ask()
socket.once("data", () => {
  say("idle")
  Atomics.wait(turns, 0, 0)
  ask(() => {
    Atomics.store(turns, 1, 1)
    Atomics.notify(turns, 1)
  })
  socket.once("data", (answer) => say(answer.toString("latin1")))
  socket.once("close", () => say("closed"))
})
`

test("a request that has arrived when idle connections are ended is answered", async (t) => {
  const app = fastify() as unknown as App
  app.get("/", async () => ({ status: "ok" }))
  const listening = await listen(app, 0, "127.0.0.1")
  const turns = new Int32Array(new SharedArrayBuffer(8))
  const client = new Worker(CLIENT, {
    eval: true,
    workerData: { port: listening.port, turns },
  })
  t.after(() => client.terminate())
  assert.deepEqual(await once(client, "message"), ["idle"])

  const { promise: swept, resolve } = Promise.withResolvers<() => void>()
  t.mock.method(globalThis, "setInterval", resolve)
  const closed = listening.close(0)
  const second = once(client, "message")
  const sweep = await swept
  // The request comes while this process does something else, and the sweep is due before anything
  // was read.
  Atomics.store(turns, 0, 1)
  Atomics.notify(turns, 0)
  Atomics.wait(turns, 1, 0)
  sweep()

  const [answer] = (await second) as [string]
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(answer, /^connection: close\r$/im)
  await closed
})
