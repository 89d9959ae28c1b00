import assert from "node:assert/strict"
import { mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { lockImports, openDataDirectory } from "../../packages/runtime/src/data-directory.ts"
import { importWithSegment } from "../../packages/corpus/testing/written-segment-suite.ts"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { importRows, keyOf } from "../../packages/stores/testing/exposure-index-process-suite.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { startService } from "../http/service.ts"
import { assay } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true }))
const env = { ASSAY_DATA: join(directory, "data") }

const data = openDataDirectory(env.ASSAY_DATA)
const { checkValue } = openSecrets(join(env.ASSAY_DATA, "secret"), true)
const index = await openLmdbIndex({ path: data.index })
await index.checkKeyCheckValue(checkValue)
for (const name of ["first", "second"]) {
  await importWithSegment(index, data.segments, name, [...importRows(1, 2_500)], checkValue)
}
await index.removeBatch(2, 3)
await index.erase(keyOf(3))
await index.close()

test("stats say what there is and what it takes", async () => {
  const { code, out } = await assay(["corpus", "stats"], env)
  assert.equal(code, 0)
  assert.match(out, /^identities +2,500$/m)
  assert.match(out, /^erased +1$/m)
  assert.match(out, /^index +[\d,]+ bytes$/m)
  assert.match(out, /^per identity +\d+\.\d bytes$/m)
  assert.match(out, /^batches +1 live, 0 loading, 1 removed$/m)
  assert.match(out, /^rows removed +50\.0 %$/m)
  assert.match(out, /^segments +2 files, [\d,]+ bytes$/m)
  assert.match(out, /^compacted +never$/m)
  assert.match(out, /^KIND +ENTRIES\nstealer +[\d,]+\ncombolist +[\d,]+\n$/m)
})

test("compacting says how much it gained, and what is whole has no fault before and after", async () => {
  const whole = {
    code: 0,
    out: "ok     2,500 identities, segments of 1 batches, nothing wrong\n",
    err: "",
  }
  assert.deepEqual(await assay(["corpus", "verify"], env), whole)
  const idle = await assay(["corpus", "compact", "--if-needed"], env)
  assert.deepEqual([idle.code, idle.out], [0, "The index need not be compacted\n"])
  const { code, out } = await assay(["corpus", "compact"], env)
  assert.equal(code, 0)
  const figures = /^([\d,]+) bytes before, ([\d,]+) now\n$/.exec(out)?.slice(1)
  const [before, after] = figures?.map((text) => Number(text.replaceAll(",", ""))) ?? []
  assert.ok((after ?? Infinity) < (before ?? 0))
  assert.deepEqual(await assay(["corpus", "verify"], env), whole)
  assert.match((await assay(["corpus", "stats"], env)).out, /^rows removed +0\.0 %$/m)
})

test("rebuilding reads the segments again; one that is gone stops it and is a fault", async () => {
  const { code, out } = await assay(["corpus", "rebuild"], env)
  assert.equal(code, 0)
  assert.match(
    out,
    /^[\d,]+ rows of segments, feedback on 0, evidence on 0 identities, 0 erased, [\d,]+ bytes before, /,
  )
  const segment = join(data.segments, "first.parquet")
  renameSync(segment, `${segment}.away`)
  const verified = await assay(["corpus", "verify"], env)
  assert.equal(verified.code, 1)
  assert.match(verified.out, /^fault {2}batch 1: its segment is missing$/m)
  assert.match(verified.out, /^note {3}first\.parquet\.away is the segment of no batch$/m)
  assert.equal(verified.err, "assay: 1 fault found\n")
  const rebuilt = await assay(["corpus", "rebuild"], env)
  assert.deepEqual(
    [rebuilt.code, rebuilt.err],
    [
      1,
      "assay: The index stays as it is: not every segment can be used\nbatch 1: its segment is missing\n",
    ],
  )
  renameSync(`${segment}.away`, segment)
  assert.equal((await assay(["corpus", "verify"], env)).code, 0)
})

test("beside an import neither compaction nor rebuilding begins, and without data there is nothing to do", async () => {
  const lock = lockImports(data.path)
  assert.ok(lock !== null)
  for (const verb of ["compact", "rebuild"]) {
    const { code, err } = await assay(["corpus", verb], env)
    assert.deepEqual([code, err], [1, "assay: An import is running; try again when it is done\n"])
  }
  lock.release()
  for (const verb of ["stats", "compact"]) {
    const { code, err } = await assay(["corpus", verb], { ASSAY_DATA: join(directory, "none") })
    assert.equal(code, 1)
    assert.match(err, /^assay: No service was ever started on /)
  }
})

test("a running service answers the same and takes reports while its index is compacted and rebuilt", async () => {
  await using service = await startService({ args: ["--workers", "2"] })
  const running = { ASSAY_DATA: service.dataDirectory }
  const email = "ana.silva@mail.example"
  const score = async (): Promise<unknown> => {
    const response = await service.request("/api/v1/risk/score", { json: { email } })
    assert.equal(response.status, 200)
    return await response.json()
  }
  const before = await score()
  const outcome = "fraud_confirmed"
  const report = async (): Promise<number> =>
    (await service.request("/api/v1/feedback", { json: { email, outcome } })).status
  for (const verb of ["compact", "rebuild"]) {
    const state = { done: false }
    const command = assay(["corpus", verb], running).finally(() => (state.done = true))
    while (!state.done) assert.deepEqual(await score(), before)
    assert.deepEqual((await command).err, "")
  }
  assert.deepEqual(await score(), before)
  assert.equal(await report(), 202)
  assert.notDeepEqual(await score(), before)
})
