import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { inThread, keepChildren, startProcess, startThread, type Started } from "./children.ts"
import { openLog } from "./log.ts"
import { portOf } from "./rpc.ts"

/** A module whose thread answers every call with `answer`, an expression over `call`. */
const answering = (answer: string, first = ""): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from "node:worker_threads"
      parentPort.on("message", (call) => {
        if (call.rpc === "call")
          parentPort.postMessage({ rpc: "reply", id: call.id, result: ${answer} })
      })
      ${first}`)}`,
  )
const READY = `parentPort.postMessage({ rpc: "call", id: 1, method: "ready", args: [7] })`

interface Echo {
  echo(): Promise<string>
  close(): Promise<void>
}
const echoPort = portOf<Echo>("echo", { echo: true, close: true })

test("a port is served by a thread of its own, which its close ends", async () => {
  const echo = inThread(answering("call.method"), null, echoPort, { callMs: 60_000 })
  assert.equal(await echo.echo(), "echo.echo")
  await echo.close()
  await assert.rejects(echo.echo(), { code: "unavailable" })
})

test("a method has its own deadline where one is given", async () => {
  const silent = new URL("data:text/javascript,setInterval(() => undefined, 1000)")
  const deadlines = { close: 10 }
  const echo = inThread(silent, null, echoPort, { callMs: 60_000, deadlines })
  const waiting = assert.rejects(echo.echo(), /gone/)
  await assert.rejects(echo.close(), /in time/)
  await waiting
})

test("one that dies is replaced, is out of reach meanwhile, and stops with the rest", async () => {
  const lines: string[] = []
  const log = openLog("info", { write: (line) => void lines.push(line) })
  const started: Started[] = []
  const before: (number | null)[] = []
  const children = await keepChildren<number>({
    name: "clerk",
    start(said) {
      before.push(said)
      started.push(startThread(answering("call.method", READY), null))
      return started.at(-1) as Started
    },
    stopMs: 60_000,
    silentMs: 600_000,
    log,
  })
  assert.equal(children.ready, 7)
  assert.equal(await children.within(60_000)("hello"), "hello")
  await started[0]?.kill()
  await assert.rejects(children.within(60_000)("hello"), { code: "unavailable" })
  while (children.all(60_000).length === 0) await delay(20)
  assert.equal(await children.within(60_000)("hello"), "hello")
  assert.deepEqual(before, [null, 7])
  await children.stop()
  assert.equal(children.all(60_000).length, 0)
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ["clerk died and is replaced"],
  )
})

test("one that says that it is unable, or ends, fails the start and is left to nobody", async () => {
  const unable = READY.replace('"ready"', '"unable"').replace("7", '"no port"')
  for (const [first, message] of [
    [unable, "no port"],
    ["process.exit(0)", "The clerk ended before it was ready"],
  ] as const) {
    const started: Started[] = []
    await assert.rejects(
      keepChildren({
        name: "clerk",
        count: 2,
        start() {
          started.push(startThread(answering("null", first), null))
          return started.at(-1) as Started
        },
        stopMs: 60_000,
        silentMs: null,
        log: openLog("error"),
      }),
      { code: "start", message },
    )
    await Promise.all(started.map(({ ended }) => ended))
  }
})

test("a process has nothing of this one's environment, and its end is told", async () => {
  const program = { execPath: process.execPath, execArgv: ["-e"] }
  const script = "process.exit(Object.keys(process.env).includes('HOME') ? 1 : 3)"
  const child = startProcess(program, script, { stdio: ["ignore", "ignore", "ignore", "ipc"] })
  assert.deepEqual(await child.ended, { exitCode: 3, signal: null })
  const other = startProcess(program, "setInterval(() => {}, 1000)", {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  await other.kill()
  assert.deepEqual(await other.ended, { exitCode: null, signal: "SIGKILL" })
})
