import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { MessageChannel } from "node:worker_threads"
import { socketChannel, threadChannel } from "./channels.ts"
import { offer, openCalls, portOf, remote, RemoteError, serve } from "./rpc.ts"

const methods = {
  add: async (a: number, b: number) => a + b,
  echo: async (value: unknown) => value,
  fail: async () =>
    Promise.reject(Object.assign(new Error("no such tenant"), { code: "not-found" })),
  never: () => new Promise<never>(() => undefined),
}

const temporary = mkdtempSync(join(tmpdir(), "assay-rpc-"))
after(() => rmSync(temporary, { recursive: true }))
let paths = 0

async function sockets(): Promise<{ near: Socket; far: Socket; close(): void }> {
  const path = join(temporary, String(++paths))
  const server = createServer()
  server.listen(path)
  await once(server, "listening")
  const near = connect(path)
  const [far] = (await once(server, "connection")) as [Socket]
  return { near, far, close: () => void (near.destroy(), far.destroy(), server.close()) }
}

test("a call over a socket brings back its own result, bytes and all, also when many are under way", async () => {
  const { near, far, close } = await sockets()
  serve(socketChannel(far), methods)
  const call = openCalls(socketChannel(near))(2000)
  const sums = await Promise.all(Array.from({ length: 200 }, (_, n) => call("add", n, 1)))
  assert.deepEqual(
    sums,
    Array.from({ length: 200 }, (_, n) => n + 1),
  )
  const big = new Uint8Array(300_000).fill(9)
  assert.deepEqual(await call("echo", { big, map: new Map([[1, "a"]]) }), {
    big,
    map: new Map([[1, "a"]]),
  })
  close()
})

test("a failure keeps its code; an unknown or inherited method is refused", async () => {
  const { port1, port2 } = new MessageChannel()
  serve(threadChannel(port1), methods)
  const call = openCalls(threadChannel(port2))(2000)
  await assert.rejects(
    call("fail"),
    (error) => error instanceof RemoteError && error.code === "not-found",
  )
  await assert.rejects(
    call("toString"),
    (error) => error instanceof RemoteError && error.code === "unknown-method",
  )
  port1.close()
})

interface Greeter {
  greet(name: string): Promise<string>
}
const greeterPort = portOf<Greeter>("greeter", { greet: true })

test("a port is reached by the methods it names, beside others of one channel", async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const otherPort: typeof greeterPort = { ...greeterPort, name: "other" }
  const greeter = { greet: async (name: string) => `Hello ${name}`, hidden: methods.echo }
  serve(threadChannel(port1), {
    ...offer(greeterPort, greeter),
    ...offer(otherPort, { greet: methods.fail }),
  })
  const call = openCalls(threadChannel(port2))(2000)
  assert.equal(await remote(greeterPort, call).greet("Ana"), "Hello Ana")
  const failing = remote(otherPort, call, ({ code }) => new TypeError(`over there: ${code}`))
  await assert.rejects(failing.greet("Ana"), /^TypeError: over there: not-found$/)
  await assert.rejects(call("greeter.hidden"), { code: "unknown-method" })
})

test("calls wait for an implementation that is being opened, and fail as its opening does", async (t) => {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const opening = Promise.withResolvers<Greeter>()
  const failed = Promise.reject<Greeter>(Object.assign(new Error("damaged"), { code: "damaged" }))
  const otherPort: typeof greeterPort = { ...greeterPort, name: "other" }
  serve(threadChannel(port1), {
    ...offer(greeterPort, opening.promise),
    ...offer(otherPort, failed),
  })
  const call = openCalls(threadChannel(port2))(2000)
  const greeting = remote(greeterPort, call).greet("Ana")
  await assert.rejects(remote(otherPort, call).greet("Ana"), { code: "damaged" })
  opening.resolve({ greet: async () => "at last" })
  assert.equal(await greeting, "at last")
})

test("a call fails instead of hanging when time is over or the other side goes", async () => {
  const { near, far, close } = await sockets()
  serve(socketChannel(far), methods)
  const calls = openCalls(socketChannel(near))
  await assert.rejects(calls(20)("never"), /in time/)
  const waiting = calls(60_000)("never")
  setTimeout(() => far.destroy(), 10)
  await assert.rejects(waiting, /gone/)
  close()
})

test("bytes that are no message close the connection and reach no method", async () => {
  const { near, far, close } = await sockets()
  serve(socketChannel(far), methods)
  near.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 2, 3]))
  await once(near, "close")
  close()
})
