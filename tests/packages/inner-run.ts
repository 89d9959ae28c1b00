import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { root } from "../../scripts/repository.ts"
import type { TestRun, TestRunOptions } from "../../scripts/run-tests.ts"

/** What services said that a test could not use is printed with its failure. */
const SAID_BYTES_MAX = 64 * 2 ** 20

/**
 * A run of test files in a process of its own, so that its failures are not printed among the
 * outcomes of this one. Their counts are the ordinary ones, whatever those of this run.
 */
export async function innerRun(
  pattern: string,
  options: Omit<TestRunOptions, "atOnce">,
): Promise<{ run: TestRun; said: string }> {
  const given = { atOnce: { least: 1, most: 1 }, ...options }
  const script = `import { runTests } from "./scripts/run-tests.ts"
    const run = await runTests(["${pattern}"], ${JSON.stringify(given)})
    console.log("\\n" + JSON.stringify(run))`
  // Without the variable the runner inside would take itself for a file of the one outside.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, ASSAY_SOAK: undefined }
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    { cwd: root, env, maxBuffer: SAID_BYTES_MAX },
  )
  return { run: JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as TestRun, said: stderr }
}
