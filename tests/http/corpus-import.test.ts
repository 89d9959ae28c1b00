import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { combolist, emailAt, filesWithCanary, startImport } from "../cli/corpus.ts"
import { openRecordsOf } from "./records-of.ts"
import { startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

interface Score {
  readonly exposed: boolean
  readonly exposure_count: number
  readonly last_seen: string | null
  readonly threat_stage: string
}

test("a running service answers throughout an import, and by it in the next answer after it", async () => {
  await using service = await startService({ env: { ASSAY_LOG_LEVEL: "debug" } })
  const ask = async (n: number): Promise<Score> => {
    const response = await service.request("/api/v1/risk/score", { json: { email: emailAt(n) } })
    assert.equal(response.status, 200)
    return (await response.json()) as Score
  }
  const list = combolist(join(temporary, "list.txt"), 5_000)
  const data = service.dataDirectory
  const running = startImport([list, "--source", "fresh", "--date", "2026-01-05"], {
    ASSAY_DATA: data,
  })
  const answers: Score[] = []
  // Of one identity, so that the answers show the moment the batch went live, and that it was one.
  while (running.running()) {
    answers.push(await ask(7))
    await delay(20)
  }
  assert.equal(await running.ended, 0, running.output())

  for (const n of [0, 7, 4_999]) {
    const { exposed, exposure_count, last_seen, threat_stage } = await ask(n)
    assert.deepEqual([exposed, exposure_count, last_seen], [true, 1, "2026-01-05"])
    assert.notEqual(threat_stage, "CLEAN")
  }
  assert.equal((await ask(5_000)).exposed, false)
  const seen = answers.map(({ exposed }) => exposed)
  assert.ok(answers.length > 0)
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => Number(one) - Number(other)),
  )

  const records = await openRecordsOf(data)
  const audit = await records.audit({ limit: 1 })
  await records.close()
  assert.deepEqual(
    audit.map(({ action, detail }) => [action, detail["source"], detail["rows"]]),
    [["corpus.import", "fresh", 5_000]],
  )
  assert.deepEqual(filesWithCanary(data), [])
  assert.doesNotMatch(service.stderr(), /zqxjkv/)
})
