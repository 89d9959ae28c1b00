import assert from "node:assert/strict"
import { statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { openDataDirectory } from "../../packages/runtime/src/data-directory.ts"
import { openEnvironment } from "../../packages/stores/src/lmdb/environment.ts"
import { alterIdentity, bucketsOf } from "../../packages/stores/testing/lmdb/buckets-suite.ts"
import { startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay } from "./assay.ts"

const dataDirectory = temporaryDirectory()

/** Makes every shared set of the index one that does not have its checksum. */
async function damageAll(index: string): Promise<number> {
  const environment = openEnvironment(index, "write", 2 ** 30)
  let count = 0
  await environment.root.transaction(() => {
    const buckets = bucketsOf(environment)
    for (const { key } of [...buckets.range({})]) {
      alterIdentity(buckets, key, (stored) => Buffer.from(stored.map((byte) => byte ^ 1)))
      count++
    }
  })
  await environment.close()
  return count
}

test("a damaged index refuses by name, is found by a reading, fails readiness and is mended by a rebuild", async () => {
  const service = await startService({ dataDirectory })
  const env = { ASSAY_DATA: dataDirectory }
  const { index } = openDataDirectory(dataDirectory)
  const email = "ana.silva@mail.example"
  const score = async (): Promise<Response> =>
    await service.request("/api/v1/risk/score", { json: { email } })
  const metric = async (name: string): Promise<number> => {
    const text = await (await service.request("/metrics")).text()
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
  }
  const whole = { code: 0, err: "" }
  const first = await assay(["corpus", "verify"], env)
  assert.deepEqual({ code: first.code, err: first.err }, whole)
  assert.equal((await score()).status, 200)
  assert.ok((await metric("assay_index_verified_timestamp_seconds")) > 1_700_000_000)

  assert.ok((await damageAll(index)) > 10)
  const refused = await score()
  assert.equal(refused.status, 503)
  assert.match(await refused.text(), /store-unavailable/)
  assert.equal(await metric("assay_index_damaged_total"), 1)
  assert.equal((await service.request("/readyz")).status, 200)

  const verified = await assay(["corpus", "verify"], env)
  assert.equal(verified.code, 1)
  assert.match(
    verified.out,
    /^fault {2}shared: a value that does not have its checksum \(\d+ times\)$/m,
  )
  assert.match(verified.err, /^assay: \d+ faults? found\n$/)
  const unready = await service.request("/readyz")
  assert.equal(unready.status, 503)
  assert.match(await unready.text(), /The index was found damaged/)
  assert.equal(await metric("assay_index_faults"), 1)
  const { code, out } = await assay(["doctor"], env)
  assert.equal(code, 1)
  assert.match(out, /^fault +index +/m)

  const rebuilt = await assay(["corpus", "rebuild"], env)
  assert.match(rebuilt.err, /^assay: \d+ identities could not be read before; /)
  assert.equal((await service.request("/readyz")).status, 200)
  assert.equal((await assay(["corpus", "verify"], env)).code, 0)
  assert.equal((await score()).status, 200)
  await service.stop()
  assert.match(service.stderr(), /index value damaged/)
  assert.doesNotMatch(service.stderr(), /ana\.silva/)

  // LMDB follows pages that are no longer there, and the kernel ends its process.
  const file = join(index, "data.mdb")
  truncateSync(file, Math.ceil(statSync(file).size / 2 / 4_096) * 4_096)
  const cut = await assay(["corpus", "verify"], env)
  assert.equal(cut.code, 1)
  assert.match(
    cut.out,
    /^fault {2}the index cannot be read through.* `npx assay corpus rebuild --lost-index`$/m,
  )
})
