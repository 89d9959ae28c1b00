import assert from "node:assert/strict"
import { once } from "node:events"
import { request as ask, Agent } from "node:http"
import { connect, type Socket } from "node:net"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openOf, processesBelow, type RunningProcess } from "./processes.ts"
import { type Service, startService } from "./service.ts"

const linux = { skip: process.platform !== "linux" && "needs /proc" }
const OPEN_FILES_MAX = 256
const CONNECTIONS = 600
/** More than Node asks the kernel to keep, and fewer than any kernel keeps if asked. */
const BURST = 1_500

let service: Service
before(async () => {
  service = await startService({
    drop: true,
    openFilesMax: OPEN_FILES_MAX,
    env: { ASSAY_SILENT_SECONDS: "4" },
  })
})
after(() => service.stop())

function running(kind: RunningProcess["kind"]): RunningProcess[] {
  return processesBelow(service.pid).filter((each) => each.kind === kind)
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `not in two minutes: ${what}\n${service.stderr()}`)
    await delay(50)
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    // A drop without keys answers too: that it takes no messages.
    return (await fetch(url, { signal: AbortSignal.timeout(5000) })).status > 0
  } catch {
    return false
  }
}

test(
  "no process holds a file of the data directory or a port that it did not open",
  linux,
  async () => {
    const { dataDirectory, pid } = service
    await until("there are sealers", () => running("sealer").length > 0)
    const held = (process: RunningProcess): string[] =>
      openOf(process.pid).map((path) => path.replace(`${dataDirectory}/`, ""))
    assert.ok(
      openOf(pid).some((path) => path.endsWith("data.mdb")),
      "the primary holds the index, so that it could be inherited",
    )
    const workers = running("worker")
    assert.ok(workers.length > 0)
    for (const worker of workers) {
      const files = held(worker)
      // LMDB's own, and the one that says how long the file is.
      assert.equal(files.filter((path) => path.endsWith("data.mdb")).length, 2, files.join())
      assert.ok(!files.includes("listening"), "connections come from the primary")
    }
    const [drop] = running("drop")
    assert.ok(drop !== undefined)
    const ofDrop = held(drop)
    assert.deepEqual(
      ofDrop.filter((path) => !path.startsWith("drop/") && path !== "listening"),
      [],
    )
    // At its start it also listens for the connection by which it overwrites its own read buffer.
    await until(
      "the drop listens on its own port only, by both protocols",
      () => held(drop).filter((path) => path === "listening").length <= 2,
    )
    for (const sealer of running("sealer"))
      await until("a sealer holds nothing", () => held(sealer).length === 0)
  },
)

/** Opens connections that send nothing; those that are closed at once count too. */
async function openMany(port: number): Promise<Socket[]> {
  return await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => undefined)
      await Promise.race([once(socket, "connect"), once(socket, "close")])
      return socket
    }),
  )
}

for (const place of ["API", "drop"] as const) {
  test(`more connections than the system allows do not end the ${place}`, linux, async () => {
    const base = place === "API" ? service.baseUrl : (service.dropUrl ?? "")
    const page = place === "API" ? "/healthz" : "/drop"
    const { port } = new URL(base)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const onKept = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        ask(base + page, { agent, timeout: 20_000 }, (response) => {
          response.resume().once("end", () => resolve(response.statusCode))
        })
          .once("error", reject)
          .end()
      })
    if (place === "API") assert.equal(await onKept(), 200)
    const sockets = await openMany(Number(port))
    await until(
      "fewer stay open than files may be",
      () => sockets.filter((socket) => !socket.destroyed).length < OPEN_FILES_MAX,
    )
    // The drop keeps no connection for a second request.
    if (place === "API") assert.equal(await onKept(), 200, "who was there is still answered")
    for (const socket of sockets) socket.destroy()
    agent.destroy()
    await until("it answers again", () => answers(base + page))
    assert.doesNotMatch(service.stderr(), /died|does not answer/)
  })
}

for (const kind of ["worker", "drop"] as const) {
  test(`a ${kind} that runs and does nothing is ended and replaced`, linux, async () => {
    const [old] = running(kind)
    assert.ok(old !== undefined)
    process.kill(old.pid, "SIGSTOP")
    await until("it is replaced", () => {
      const now = running(kind)
      return now.length > 0 && now.every(({ pid }) => pid !== old.pid)
    })
    const url = kind === "worker" ? `${service.baseUrl}/healthz` : `${service.dropUrl ?? ""}/drop`
    await until("the new one answers", () => answers(url))
    assert.match(service.stderr(), new RegExp(`"${kind} does not answer and is ended"`))
  })
}

test("a burst of connections while a process stands still is kept for it", linux, async () => {
  // One with patience: the process that is stopped must not be replaced.
  await using patient = await startService({ drop: true })
  const [drop] = processesBelow(patient.pid).filter(({ kind }) => kind === "drop")
  const places = [
    [patient.pid, patient.baseUrl],
    [drop?.pid, patient.dropUrl],
  ] as const
  for (const [pid, url] of places) {
    assert.ok(pid !== undefined && url !== null)
    const { port } = new URL(url)
    process.kill(pid, "SIGSTOP")
    const sockets = Array.from({ length: BURST }, () => connect(Number(port), "127.0.0.1"))
    const late = new AbortController()
    try {
      // The kernel says nothing to those it turns away, and they try again for minutes.
      const turnedAway = delay(120_000, false, { signal: late.signal }).catch(() => false)
      const kept = Promise.all(sockets.map((socket) => once(socket, "connect"))).then(() => true)
      assert.ok(await Promise.race([kept, turnedAway]), `some were turned away from ${url}`)
    } finally {
      late.abort()
      process.kill(pid, "SIGCONT")
      for (const socket of sockets) socket.on("error", () => undefined).destroy()
    }
  }
})
