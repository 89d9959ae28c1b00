import assert from "node:assert/strict"
import { connect } from "node:net"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { startService, type Service } from "./service.ts"

const email = { email: "ana.silva@mail.example" }

// One for the tests that leave two workers running as they found them.
let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
})
after(() => service.stop())

/** The process ids of the workers: the primary's children that run the same program. */
function workersOf({ pid }: Service): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8")
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid
      } catch {
        return false
      }
    })
    .map(Number)
}

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 300; n++) {
    if (condition()) return
    await delay(100)
  }
  assert.fail("it did not come to that in 30 s")
}

/** A request of which the last byte is sent when `finish` is called. */
function slowRequest({ port, key }: Service): { finish(): void; answer: Promise<string> } {
  const body = JSON.stringify(email)
  const socket = connect(port, "127.0.0.1")
  socket.write(
    `POST /api/v1/risk/score HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key ?? ""}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  )
  const answer = new Promise<string>((resolve, reject) => {
    let text = ""
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      if (/"model_version":"1.1"\}/.test(text)) socket.end()
    })
    socket.once("close", () => resolve(text))
    socket.once("error", reject)
  })
  return { finish: () => void socket.write(body.slice(-1)), answer }
}

test(
  "SIGHUP replaces every worker one after the other, and no request fails meanwhile",
  { skip: process.platform !== "linux" },
  async () => {
    const replaced = workersOf(service)
    assert.equal(replaced.length, 2)
    let asking = true
    const failures: unknown[] = []
    let answered = 0
    const ask = async (): Promise<void> => {
      while (asking) {
        await service
          .request("/api/v1/risk/score", { json: email, headers: { connection: "close" } })
          .then(
            ({ status }) => (status === 200 ? answered++ : failures.push(status)),
            (error: unknown) => failures.push(error),
          )
      }
    }
    const load = Promise.all([ask(), ask(), ask()])
    process.kill(service.pid, "SIGHUP")
    await until(() => service.stderr().includes('"msg":"workers restarted"'))
    asking = false
    await load
    assert.deepEqual(failures, [])
    assert.ok(answered > 0)
    const now = workersOf(service)
    assert.equal(now.length, 2)
    assert.ok(now.every((pid) => !replaced.includes(pid)))
  },
)

test(
  "a worker that dies is replaced and the service goes on",
  { skip: process.platform !== "linux" },
  async () => {
    // Those that an earlier test had replaced may still be on their way out.
    await until(() => workersOf(service).length === 2)
    const [victim = 0] = workersOf(service)
    process.kill(victim, "SIGKILL")
    await until(() => {
      // One look: between two of them the victim may go and its successor not be there yet.
      const workers = workersOf(service)
      return workers.length === 2 && !workers.includes(victim)
    })
    await until(() => /worker died and is replaced/.test(service.stderr()))
    for (let n = 0; n < 8; n++) {
      assert.equal(
        (
          await service.request("/api/v1/risk/score", {
            json: email,
            headers: { connection: "close" },
          })
        ).status,
        200,
      )
    }
  },
)

test("a stop answers the requests in flight before it ends, and takes no new ones", async () => {
  const service = await startService()
  const slow = slowRequest(service)
  await delay(300)
  const stopped = service.stop()
  await delay(300)
  await assert.rejects(fetch(`${service.baseUrl}/healthz`, { headers: { connection: "close" } }))
  slow.finish()
  assert.match(await slow.answer, /^HTTP\/1\.1 200 /)
  assert.equal(await stopped, 0)
})

test("a request that never ends does not hold up a stop for longer than it may", async () => {
  const service = await startService({
    env: { ASSAY_STOP_SECONDS: "1", ASSAY_REQUEST_SECONDS: "300" },
  })
  const slow = slowRequest(service)
  await delay(300)
  assert.equal(await service.stop(), 0)
  assert.doesNotMatch(await slow.answer.catch(() => ""), /200 OK/)
})

test("SIGHUP with a list that cannot be used changes nothing: the workers that run go on", async () => {
  const broken = join(service.dataDirectory, "lists", "broken.csv")
  writeFileSync(broken, "x.example,nonsense,\n")
  process.kill(service.pid, "SIGHUP")
  await until(() => service.stderr().includes('"msg":"workers could not be restarted"'))
  assert.match(service.stderr(), /broken\.csv, line 1/)
  assert.equal((await service.request("/api/v1/risk/score", { json: email })).status, 200)
  rmSync(broken)
})
