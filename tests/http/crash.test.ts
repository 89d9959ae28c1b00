import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { dayOf } from "../../packages/runtime/src/time.ts"
import { assay } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const KILLS = process.env["ASSAY_SOAK"] === undefined ? 1 : 20

test("kill -9 under load at random moments: the next start is clean, no key is missing", async () => {
  const data = join(temporary, "data")
  const keys: string[] = []
  let answered = 0
  for (let round = 0; round < KILLS; round++) {
    const service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
    let running = true
    const load = async (key: string | null): Promise<void> => {
      while (running) {
        const answer = await service
          .request("/api/v1/risk/score", { key, json: { email: "mei.tanaka@mail.example" } })
          .catch(() => null)
        if (answer?.status === 200) answered++
      }
    }
    const loads = [load(service.key), load(service.key)]
    const made = await assay(["keys", "create", "--tenant", `t${round}`, "--plan", "enterprise"], {
      ASSAY_DATA: data,
    })
    if (made.code === 0) keys.push(made.out.trim())
    await delay(200 + ((round * 7919) % 1900))
    await service.kill()
    running = false
    await Promise.all(loads)

    const again = await startService({ dataDirectory: data })
    for (const key of keys) {
      assert.equal(
        (
          await again.request("/api/v1/risk/score", {
            key,
            json: { email: "sofia.rossi@mail.example" },
          })
        ).status,
        200,
      )
      answered++
    }
    const body = (await (
      await again.request("/api/v1/risk/score", { json: { email: "sofia.rossi@mail.example" } })
    ).json()) as { threat_stage: string }
    answered++
    assert.equal(body.threat_stage, "ATTACKED")
    assert.equal((await assay(["doctor"], { ASSAY_DATA: data })).code, 0)
    assert.equal(await again.stop(), 0)
  }
  assert.equal(keys.length, KILLS)
  const records = await openRecordsOf(data)
  const rows = await records.usage({ from: "2000-01-01", to: dayOf(Date.now()) })
  await records.close()
  const counted = rows.reduce((sum, { count }) => sum + count, 0)
  // A kill may lose up to a second of counts, and an answer may be on its way when it is counted:
  // two loads, so two.
  assert.ok(counted <= answered + 2 * KILLS, `${counted} counted, ${answered} answered`)
  assert.ok(counted > 0)
})

test("usage older than a second survives kill -9 to the last count", async () => {
  const data = join(temporary, "usage")
  const service = await startService({ dataDirectory: data })
  for (let n = 0; n < 25; n++)
    await service.request("/api/v1/risk/score", { json: { email: "mei.tanaka@mail.example" } })
  const recorded = async (): Promise<number> => {
    const records = await openRecordsOf(data)
    const rows = await records.usage({ from: "2000-01-01", to: dayOf(Date.now()) })
    await records.close()
    return rows.reduce((sum, { count }) => sum + count, 0)
  }
  for (let n = 0; n < 50 && (await recorded()) < 25; n++) await delay(100)
  await service.kill()
  assert.equal(await recorded(), 25)
})
