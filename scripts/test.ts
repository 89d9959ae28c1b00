// npm test: every check of the repository, or those named as arguments.
import type { SkipRecord } from "./test-record.ts"
import { runCommand } from "./run-command.ts"
import { runTests, type TestRun } from "./run-tests.ts"
import { markdownTable } from "./table.ts"

interface StageResult {
  readonly name: string
  readonly ok: boolean
  readonly seconds: number
  readonly tests: TestRun | null
}

const testOptions = { concurrency: 2, timeoutMs: 10 * 60_000 }

const commands: Record<string, readonly [string, ...string[]]> = {
  types: ["tsc", "-p", "tsconfig.json"],
  // Node reads the TypeScript configuration itself; without the flag ESLint wants another loader.
  lint: ["eslint", "."],
  format: ["prettier", "--check", "."],
  docs: ["node", "--conditions=source", "scripts/generate-docs.ts", "--check"],
}

const suites: Record<string, string> = {
  unit: "packages/*/src/**/*.test.ts",
  eval: "eval/**/*.test.ts",
  packages: "tests/packages/**/*.test.ts",
  http: "tests/http/**/*.test.ts",
  cli: "tests/cli/**/*.test.ts",
  browser: "tests/browser/**/*.test.ts",
}

const stages = [...Object.keys(commands), ...Object.keys(suites)]

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !stages.includes(name))
if (unknown.length > 0) {
  console.error(`No such stage: ${unknown.join(", ")}. Stages: ${stages.join(", ")}`)
  process.exit(1)
}

const results: StageResult[] = []
for (const name of stages.filter((stage) => chosen.length === 0 || chosen.includes(stage))) {
  console.log(`\n=== ${name} ===\n`)
  const result = await stageResult(name)
  console.log(`\n${name} ${outcome(result)} after ${result.seconds.toFixed(1)} s`)
  results.push(result)
}
report(results)
process.exitCode = results.every((result) => result.ok) ? 0 : 1

async function stageResult(name: string): Promise<StageResult> {
  const startedAt = performance.now()
  const command = commands[name]
  const suite = suites[name]
  const tests = suite === undefined ? null : await runTests(suite, testOptions)
  const ok = tests?.ok ?? (command !== undefined && (await runCommand(command)) === 0)
  return { name, ok, tests, seconds: (performance.now() - startedAt) / 1000 }
}

/** The table, what was skipped, and the totals alone on the last line, where continuous integration looks. */
function report(finished: readonly StageResult[]): void {
  const runs = finished.map((result) => result.tests).filter((tests) => tests !== null)
  const rows = finished.map((result) => [
    result.name,
    outcome(result),
    ...counts(result.tests),
    Number(result.seconds.toFixed(1)),
  ])
  console.log(`\n${markdownTable(["stage", "outcome", "passed", "failed", "skipped", "s"], rows)}`)
  const skips = runs.flatMap((run) => run.skips)
  if (skips.length > 0) console.log(`\nSkipped:\n${skips.map(skipLine).join("\n")}`)
  const passed = runs.reduce((sum, run) => sum + run.passed, 0)
  const failed = runs.reduce((sum, run) => sum + run.failed, 0)
  const broken = finished.filter((result) => !result.ok).map((result) => result.name)
  console.log(broken.length > 0 ? `\nFailed: ${broken.join(", ")}` : "\nAll stages passed")
  console.log(`${passed} passed, ${failed} failed`)
}

function counts(tests: TestRun | null): (string | number)[] {
  return tests === null ? ["", "", ""] : [tests.passed, tests.failed, tests.skipped]
}

function outcome({ ok }: StageResult): string {
  return ok ? "passed" : "FAILED"
}

function skipLine({ name, reason }: SkipRecord): string {
  return `  ${name}${reason === "" ? "" : `: ${reason}`}`
}
