import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { test } from "node:test"
import { promisify } from "node:util"
import { root } from "../../scripts/repository.ts"
import type { TestRun } from "../../scripts/run-tests.ts"

test("a test file whose process does not end is ended and fails, and the next one runs", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-late-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const passing = 'import { test } from "node:test"\ntest("passes", () => {})\n'
  writeFileSync(join(folder, "a-stays.test.mjs"), `${passing}setInterval(() => {}, 1000)`)
  writeFileSync(join(folder, "b-ends.test.mjs"), passing)
  const { run, said } = await runOf(`${relative(root, folder)}/*.test.mjs`)
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

/**
 * A run in a process of its own, so that its failure is not printed among the outcomes of this one.
 */
async function runOf(pattern: string): Promise<{ run: TestRun; said: string }> {
  const script = `import { runTests } from "./scripts/run-tests.ts"
    const run = await runTests(["${pattern}"], { atOnce: { least: 1, most: 1 }, timeoutMs: 1000 })
    console.log("\\n" + JSON.stringify(run))`
  // Without the variable the runner inside would take itself for a file of the one outside.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    { cwd: root, env },
  )
  return { run: JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as TestRun, said: stderr }
}
