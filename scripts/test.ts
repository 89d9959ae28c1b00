// npm test: every check of the repository, or those named as arguments.
import { matchesGlob, relative } from "node:path"
import { processorTimes } from "./processor-time.ts"
import { root } from "./repository.ts"
import { type Command, commandOutput } from "./run-command.ts"
import { type FileResult, runTests, type TestRun } from "./run-tests.ts"
import { markdownTable } from "./table.ts"
import type { FailRecord, SkipRecord, TestCounts } from "./test-record.ts"

interface StageResult {
  readonly name: string
  readonly ok: boolean
  readonly seconds: number
  readonly processorSeconds: number
  readonly tests: TestCounts | null
}

const commands: Record<string, readonly [string, ...string[]]> = {
  // Types too, each folder's by its own tsconfig.json. Each of its threads looks through the types
  // again: two take a quarter more of the processor than one. Collected a fourth as often, it takes
  // a third less, and 3.8 GB of memory in place of 3.3.
  lint: ["env", "GOMAXPROCS=1", "GOGC=400", "oxlint"],
  format: ["oxfmt", "--check", "."],
  docs: ["node", "--conditions=source", "scripts/generate-docs.ts", "--check"],
}

// In the order in which they are begun: short files last, so that no core is idle at the end.
const suites = {
  packages: "tests/packages/**/*.test.ts",
  browser: "tests/browser/**/*.test.ts",
  http: "tests/http/**/*.test.ts",
  cli: "tests/cli/**/*.test.ts",
  eval: "eval/**/*.test.ts",
  unit: "packages/*/src/**/*.test.ts",
}

/**
 * How many files share a process: enough that loading no longer counts, and few enough that no core
 * waits for the last group.
 */
const TOGETHER = {
  [suites.browser]: 4,
  [suites.http]: 4,
  [suites.cli]: 4,
  [suites.eval]: 6,
  [suites.unit]: 24,
}

/** The unit tests that take longest are begun before all others: the run may not end with one. */
const LONGEST = [
  "packages/stores/src/lmdb/compact.test.ts",
  "packages/stores/src/lmdb/exposure-index.test.ts",
  "packages/stores/src/redis/exposure-index.test.ts",
  "packages/stores/src/postgres/records.test.ts",
  "packages/stores/src/postgres/decisions.test.ts",
  "packages/corpus/src/import.test.ts",
]

const COMMANDS_AT_ONCE = 2
/** Many files of http wait for most of their time: ten at once left two cores a third idle. */
const FILES_AT_ONCE = { least: 5, most: 16 }
const FILE_MS = 20 * 60_000

/** The number of slowest files listed at the end: the place to start for a shorter run. */
const SLOWEST = 12

const stages = [...Object.keys(commands), ...Object.keys(suites)]

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !stages.includes(name))
if (unknown.length > 0) {
  console.error(`No such stage: ${unknown.join(", ")}. Stages: ${stages.join(", ")}`)
  process.exit(1)
}

const isChosen = ([name]: readonly [string, unknown]): boolean =>
  chosen.length === 0 || chosen.includes(name)
// Lint has one core to itself; tests are begun while another is idle.
const [checks, tests] = await Promise.all([
  checkResults(Object.entries(commands).filter(isChosen)),
  suiteResults(Object.entries(suites).filter(isChosen)),
])
report([...checks, ...tests.results], tests.run)

/** Runs commands beside each other; each one's output is printed whole, when it has ended. */
async function checkResults(named: [string, Command][]): Promise<StageResult[]> {
  const results: StageResult[] = []
  const pids: (number | undefined)[] = []
  const over = new AbortController()
  const times = processorTimes(process.pid, over)
  const waiting = named.entries()
  const lane = async (): Promise<void> => {
    for (const [n, [name, command]] of waiting) {
      const startedAt = performance.now()
      const { pid, exitCode, output } = await commandOutput(command)
      const seconds = (performance.now() - startedAt) / 1000
      const result = { name, ok: exitCode === 0, seconds, processorSeconds: 0, tests: null }
      results[n] = result
      pids[n] = pid
      console.log(`\n=== ${name} ===\n\n${output}`)
      console.log(`${name} ${outcome(result)} after ${seconds.toFixed(1)} s`)
    }
  }
  await Promise.all(Array.from({ length: COMMANDS_AT_ONCE }, lane)).finally(() => over.abort())
  const taken = new Map((await times).map(({ pid, seconds }) => [pid, seconds]))
  return results.map((result, n) => ({
    ...result,
    processorSeconds: taken.get(pids[n] ?? 0) ?? 0,
  }))
}

async function suiteResults(
  named: [string, string][],
): Promise<{ results: StageResult[]; run: TestRun | null }> {
  if (named.length === 0) return { results: [], run: null }
  console.log(`\n=== ${named.map(([name]) => name).join(", ")} ===\n`)
  const startedAt = performance.now()
  const patterns = named.map(([, pattern]) => pattern)
  const first = LONGEST.filter((file) => patterns.some((pattern) => matchesGlob(file, pattern)))
  const run = await runTests([...first, ...patterns], {
    atOnce: FILES_AT_ONCE,
    timeoutMs: FILE_MS,
    together: TOGETHER,
  })
  console.log(`\nTests ran for ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  // A run that broke off although none of its files failed counts against all of them.
  const brokeOff = !run.ok && run.files.every(({ ok }) => ok)
  const results = named.map(([name, pattern]) => {
    const files = run.files.filter(({ file }) => matchesGlob(file, pattern))
    const sum = (count: Exclude<keyof FileResult, "file" | "ok">): number =>
      files.reduce((total, file) => total + file[count], 0)
    const counts = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") }
    const ok = !brokeOff && files.every((file) => file.ok)
    const [seconds, processorSeconds] = [sum("seconds"), sum("processorSeconds")]
    return { name, ok, tests: counts, seconds, processorSeconds }
  })
  return { results, run }
}

/**
 * The table, with the times of a suite's files added up; the slowest files; what was skipped; each
 * failure once more, because thousands of lines stand between it and the end; and the totals alone
 * on the last line, where continuous integration looks.
 */
function report(finished: readonly StageResult[], run: TestRun | null): void {
  const rows = finished.map((result) => [
    result.name,
    outcome(result),
    ...counts(result.tests),
    Number(result.seconds.toFixed(1)),
    Number(result.processorSeconds.toFixed(1)),
  ])
  const head = ["stage", "outcome", "passed", "failed", "skipped", "s", "CPU s"]
  console.log(`\n${markdownTable(head, rows)}`)
  const slowest = (run?.files ?? []).toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  if (slowest.length > 0) console.log(`\nSlowest:\n${slowest.map(fileLine).join("\n")}`)
  const skips = run?.skips ?? []
  if (skips.length > 0) console.log(`\nSkipped:\n${skips.map(skipLine).join("\n")}`)
  const failures = run?.failures ?? []
  if (failures.length > 0) console.log(`\nFailures:\n\n${failures.map(failure).join("\n\n")}`)
  const broken = finished.filter((result) => !result.ok).map((result) => result.name)
  console.log(broken.length > 0 ? `\nFailed: ${broken.join(", ")}` : "\nAll stages passed")
  console.log(`${run?.passed ?? 0} passed, ${run?.failed ?? 0} failed`)
  process.exitCode = broken.length > 0 ? 1 : 0
}

function counts(tests: TestCounts | null): (string | number)[] {
  return tests === null ? ["", "", ""] : [tests.passed, tests.failed, tests.skipped]
}

function outcome({ ok }: StageResult): string {
  return ok ? "passed" : "FAILED"
}

function fileLine({ file, seconds, processorSeconds }: FileResult): string {
  const [wall, own] = [seconds, processorSeconds].map((each) => each.toFixed(1).padStart(6))
  return `  ${wall} s  ${own} s of CPU  ${file}`
}

function skipLine({ name, reason }: SkipRecord): string {
  return `  ${name}${reason === "" ? "" : `: ${reason}`}`
}

function failure({ name, file, error }: FailRecord): string {
  return `${relative(root, file)}: ${name}\n${error.replaceAll(/^/gm, "  ")}`
}
