// The tests of this folder against three nodes behind a balancer: some of them, and with ASSAY_SOAK
// all that are not about one node. For one file:
//   ASSAY_TEST_NODES=3 node --conditions=source --test FILE
import assert from "node:assert/strict"
import { globSync } from "node:fs"
import { basename } from "node:path"
import { test } from "node:test"
import { reached } from "../../scripts/reached-by-test.ts"
import { root } from "../../scripts/repository.ts"
import { innerRun } from "../packages/inner-run.ts"
import { aboutOneNode, FILES_ABOUT_ONE_NODE } from "./about-one-node.ts"
import { nginxProgram } from "./balancer.ts"

/** The cheapest that reach most: keys, limits and usage; rights of all there is to ask for. */
const SMALL = ["keys.test.ts", "rights.test.ts"]
const FILE_MS = 30 * 60_000
/** Beside other work some took four minutes and one nine; none begins after this. */
const WHOLE_MS = 3 * 60 * 60_000

const startingFiles = globSync("tests/http/**/*.test.ts", { cwd: root })
  .filter((file) => reached(file).has("tests/http/service.ts"))
  .sort()
const isSoak = process.env["ASSAY_SOAK"] !== undefined
const onNodes = startingFiles.filter((file) => aboutOneNode(file) === null)
const chosen = onNodes.filter((file) => isSoak || SMALL.includes(basename(file)))
const skip = nginxProgram() === null && process.env["CI"] !== "true" && "no nginx on this machine"

test("every file that is not run on several nodes is there, starts a service and says why", () => {
  const names = startingFiles.map((file) => basename(file))
  for (const [name, reason] of Object.entries(FILES_ABOUT_ONE_NODE)) {
    assert.ok(names.includes(name), `${name} starts no service`)
    assert.match(reason, /\w+ \w+ \w+/)
  }
  assert.ok(onNodes.length > Object.keys(FILES_ABOUT_ONE_NODE).length)
})

const begun = performance.now()
for (const file of chosen)
  test(`${file} passes on three nodes behind a balancer`, { skip }, async (context) => {
    const since = performance.now()
    assert.ok(since - begun < WHOLE_MS, "not begun: those before it took too long")
    const { run, said } = await innerRun(file, {
      timeoutMs: FILE_MS,
      env: { ASSAY_TEST_NODES: "3", ...(isSoak && { ASSAY_TEST_NODES_WHOLE: "true" }) },
    })
    for (const { name, reason } of run.skips) context.diagnostic(`skipped: ${name} (${reason})`)
    const seconds = Math.round((performance.now() - since) / 1000)
    context.diagnostic(
      `${seconds} s: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`,
    )
    const failures = run.failures.map(({ name, error }) => `${name}\n${error}`)
    // A run that broke off has said why, and maybe no test of it failed.
    assert.ok(run.ok && run.passed > 0, [...failures, said].join("\n\n"))
  })

// Counted where all are run.
for (const [name, reason] of isSoak ? Object.entries(FILES_ABOUT_ONE_NODE) : [])
  test(`${name} is not run on several nodes`, { skip: `${name}: ${reason}` }, () => undefined)
