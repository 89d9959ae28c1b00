// What a free key can take when it tries everything, from two workers and a primary that does not
// answer.
import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { plans } from "../../packages/server/src/accounts/plans.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { createKey } from "../cli/assay.ts"
import { type Answer, openStream, type Stream } from "./ndjson.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const dataDirectory = join(temporaryDirectory(), "attacked")
const LEFT = 12

let service: Service
let spentKey: string
before(async () => {
  spentKey = await freeKey("spent")
  const records = await openSqliteRecords({ file: join(dataDirectory, "records.sqlite") })
  const [spent] = await records.keys()
  const count = plans.free.limits.lookupsPerMonth - LEFT
  const day = dayOf(Date.now())
  await records.addUsage([{ keyId: spent?.id ?? "", day, operation: "email", count }])
  await records.close()
  service = await startService({ args: ["--workers", "2"], dataDirectory })
})
after(() => service.stop())

function freeKey(tenant: string): Promise<string> {
  return createKey({ dataDirectory }, "--tenant", tenant)
}

const line = (email: string): string => `${JSON.stringify({ email })}\n`

/** The answers of a stream up to its end; none if it was not let in. */
async function answersOf(stream: Stream): Promise<Answer[]> {
  try {
    const { statusCode } = await stream.response
    return statusCode === 200 ? await stream.rest() : []
  } catch {
    return []
  }
}

/** The different addresses that got a result. */
function answered(answers: readonly Answer[]): Set<string> {
  return new Set(answers.flatMap(({ result }) => (result ? [String(result["email"])] : [])))
}

/** The primary stands still for half a second at a time, so that workers ask it in vain. */
async function whileStalling<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const stalls = (async () => {
    for (let n = 0; n < 8 && !over.signal.aborted; n++) {
      process.kill(service.pid, "SIGSTOP")
      await delay(500)
      process.kill(service.pid, "SIGCONT")
      await delay(100)
    }
  })()
  try {
    return await work
  } finally {
    over.abort()
    await stalls
  }
}

test("40 streams at once never see more than the day's 100 identities, also while the primary stands still now and then", async () => {
  const key = await freeKey("greedy")
  const streams = Array.from({ length: 40 }, () => openStream(service, { key }))
  await delay(200)
  const attacks = streams.map(async (stream, s) => {
    for (let n = 0; n < 150; n++) stream.request.write(line(`s${s}n${n}@mail.example`))
    stream.end()
    return await answersOf(stream)
  })
  const seen = answered((await whileStalling(Promise.all(attacks))).flat())
  assert.ok(seen.size <= 100, `${seen.size} identities were answered`)
  assert.ok(seen.size > 0, "nothing was answered: the test shows nothing")
})

test("streams get no more than what is left of a month, at once and one after the other, also from a stalling primary", async () => {
  const attack = async (): Promise<number> => {
    let lookups = 0
    for (let round = 0; round < 4; round++) {
      const stream = openStream(service, { key: spentKey })
      for (let n = 0; n < 30; n++) stream.request.write(line(`p${n % 3}@mail.example`))
      stream.end()
      lookups += (await answersOf(stream)).filter(({ result }) => result !== undefined).length
      await delay(300)
    }
    return lookups
  }
  const counts = await whileStalling(Promise.all(Array.from({ length: 10 }, attack)))
  const lookups = counts.reduce((sum, count) => sum + count, 0)
  assert.ok(lookups <= LEFT, `${lookups} lookups of ${LEFT}`)
  assert.ok(lookups > 0, "nothing was answered: the test shows nothing")
})

test("a stream whose primary does not answer gets 503 line by line, never an answer that is not counted", async () => {
  const key = await freeKey("patient")
  const stream = openStream(service, { key })
  await stream.send(line("first@mail.example"))
  assert.equal((await stream.next())?.result?.["email"], "first@mail.example")
  process.kill(service.pid, "SIGSTOP")
  try {
    for (let n = 0; n < 60; n++) await stream.send(line(`unmetered${n}@mail.example`))
    for (let n = 0; n < 60; n++)
      assert.equal((await stream.next())?.problem?.code, "limits-unavailable")
  } finally {
    process.kill(service.pid, "SIGCONT")
  }
  stream.request.destroy()
})
