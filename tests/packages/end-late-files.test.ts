import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { test } from "node:test"
import { root } from "../../scripts/repository.ts"
import { innerRun } from "./inner-run.ts"

test("a test file whose process does not end is ended and fails, and the next one runs", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-late-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const passing = 'import { test } from "node:test"\ntest("passes", () => {})\n'
  writeFileSync(join(folder, "a-stays.test.mjs"), `${passing}setInterval(() => {}, 1000)`)
  writeFileSync(join(folder, "b-ends.test.mjs"), passing)
  const { run, said } = await innerRun(`${relative(root, folder)}/*.test.mjs`, {
    timeoutMs: 1000,
  })
  assert.match(said, /Ended, because it took too long: \S+a-stays\.test\.mjs/)
  assert.match(said, /"type": "timer"/)
  assert.equal(run.ok, false)
  assert.deepEqual(
    run.files.map(({ ok, passed, failed }) => ({ ok, passed, failed })),
    [
      { ok: false, passed: 1, failed: 1 },
      { ok: true, passed: 1, failed: 0 },
    ],
  )
})
