// What node:test knows of its tests by scripts/test-context.ts, which takes its hook away.
import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { test } from "node:test"
import { root } from "../../scripts/repository.ts"
import { innerRun } from "./inner-run.ts"

const FILE = `
import assert from "node:assert/strict"
import { executionAsyncId } from "node:async_hooks"
import { after, before, suite, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"

const order = []
test("throws in a timer", async () => {
  setTimeout(() => { throw new Error("thrown late") }, 1)
  await delay(50)
})
test("rejects beside itself", async () => {
  void delay(1).then(() => { throw new Error("rejected late") })
  await delay(50)
})
test("has tests of its own at the same time", async (t) => {
  const one = async (name, ms) => await t.test(name, async () => {
    await delay(ms)
    await test("inner of " + name, (inner) => assert.match(inner.fullName, new RegExp(name)))
  })
  await Promise.all([one("first", 20), one("second", 10)])
})
suite("a suite", () => {
  before(async () => { await delay(1); order.push("before") })
  test("cleans up what it began later", async () => {
    await delay(1)
    after(() => order.push("after"))
    order.push("end")
  })
  test("comes next", () => assert.deepEqual(order, ["before", "end", "after"]))
})
test("has no hook on its promises", async () => {
  await null
  assert.equal(executionAsyncId(), 0)
})
`

test("a test is failed by what it leaves to throw, has its own subtests and hooks, and no hook on promises", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "assay-context-"))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "a.test.mjs"), FILE)
  writeFileSync(
    join(folder, "b.test.mjs"),
    'import { test } from "node:test"\ntest("passes", () => {})\n',
  )
  const { run } = await innerRun(`${relative(root, folder)}/*.test.mjs`, { timeoutMs: 60_000 })
  assert.deepEqual(
    run.failures.map(({ name, error }) => [name, /(?:thrown|rejected) late/.exec(error)?.[0]]),
    [
      ["throws in a timer", "thrown late"],
      ["rejects beside itself", "rejected late"],
    ],
  )
  assert.deepEqual(
    run.files.map(({ ok, passed, failed }) => ({ ok, passed, failed })),
    [
      { ok: false, passed: 8, failed: 2 },
      { ok: true, passed: 1, failed: 0 },
    ],
  )
})
