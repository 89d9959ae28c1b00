// Imports over HTTP with the records and decisions in PostgreSQL, and with the index in a cluster.
import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { clusterForFile } from "../../packages/stores/testing/redis/cluster-suite.ts"
import { testServerOrSkip } from "../../packages/stores/testing/postgres/test-server.ts"
import { createKey } from "../cli/assay.ts"
import { combolist, emailAt, filesWithCanary } from "../cli/corpus.ts"
import { ended, halfSent, imports, isExposed, sends } from "./half-sent.ts"
import { startService } from "./service.ts"
import { joins, printedToken, signsIn } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const ROWS = 2_000
const list = readFileSync(combolist(join(temporary, "list.txt"), ROWS))
const ADDRESS = "ada@people.example"
const PATH = "/api/v1/corpus/imports?source=uploaded"

/** Leaves a service that was killed while an upload came in. */
async function killedInUpload(dataDirectory: string, env: Record<string, string>): Promise<void> {
  const service = await startService({ dataDirectory, env })
  const ada = await joins(service, printedToken(service), ADDRESS)
  const socket = await halfSent(service, ada, "broken", list)
  await service.kill()
  socket.destroy()
}

test("with PostgreSQL an import counts whom all tenants decided about, and its state outlives a kill", async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const env = { DATABASE_URL: await postgres.createDatabase() }
  const dataDirectory = join(temporary, "postgres")
  await killedInUpload(dataDirectory, env)
  await using service = await startService({ dataDirectory, env })
  const back = await signsIn(service, ADDRESS)
  const interrupted = await ended(back)
  assert.deepEqual([interrupted.source, interrupted.state], ["broken", "failed"])
  const other = await createKey({ dataDirectory, env }, "--tenant", "other")
  for (const n of [1, 2, ROWS + 5]) assert.equal(await isExposed(service, emailAt(n)), false)
  for (const n of [2, 3]) assert.equal(await isExposed(service, emailAt(n), other), false)
  const { status, body } = await sends(service, back, PATH, list)
  assert.equal(status, 202, JSON.stringify(body))
  const { state, report, detail } = await ended(back)
  assert.deepEqual([state, detail, report?.identities], ["done", null, ROWS])
  assert.deepEqual(report?.decided, { identities: 3, days: 30 })
  assert.equal(await isExposed(service, emailAt(3)), true)
  assert.deepEqual(
    (await imports(back)).imports.map((each) => each.state),
    ["done", "failed"],
  )
  assert.ok(!existsSync(join(dataDirectory, "records.sqlite")))
  assert.ok(!existsSync(join(dataDirectory, "decisions")))
  assert.deepEqual(filesWithCanary(dataDirectory), [])
})

const cluster = await clusterForFile()
if (cluster !== null) {
  test("with the index in a cluster an upload is in the next score; without decisions nobody is counted", async () => {
    const dataDirectory = join(temporary, "cluster")
    const env = {
      ASSAY_INDEX_URL: cluster.urls,
      ASSAY_INDEX_BUCKET_BITS: "6",
      ASSAY_INDEX_TIMEOUT_MS: "10000",
      ASSAY_DECISIONS: "off",
    }
    await killedInUpload(dataDirectory, env)
    await using service = await startService({ dataDirectory, env })
    const back = await signsIn(service, ADDRESS)
    // The catalogue of the cluster says that nothing went live.
    assert.equal((await ended(back)).state, "failed")
    assert.equal(await isExposed(service, emailAt(1)), false)
    const { status, body } = await sends(service, back, PATH, list)
    assert.equal(status, 202, JSON.stringify(body))
    const { state, report, detail } = await ended(back)
    assert.deepEqual([state, report?.identities], ["done", ROWS], detail ?? "")
    assert.deepEqual([report?.decided, detail], [null, "Decisions are not recorded here"])
    assert.equal(await isExposed(service, emailAt(1)), true)
    assert.equal(await isExposed(service, emailAt(ROWS)), false)
    assert.deepEqual(filesWithCanary(dataDirectory), [])
  })
}
