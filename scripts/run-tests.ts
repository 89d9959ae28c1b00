import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { bundledLibraries } from "./bundled-libraries.ts"
import { endLateFiles, reportArguments } from "./end-late-files.ts"
import { fileGroups } from "./file-groups.ts"
import type { Turns } from "./in-turns.ts"
import { type ProcessorTime, processorTimes } from "./processor-time.ts"
import { root } from "./repository.ts"
import { type Command, runCommand } from "./run-command.ts"
import type {
  FailRecord,
  OutcomeRecord,
  SkipRecord,
  SummaryRecord,
  TestCounts,
  TestRecord,
} from "./test-record.ts"

export interface FileResult extends TestCounts {
  readonly file: string
  readonly seconds: number
  /** Of the processors, also by the processes that the file started. */
  readonly processorSeconds: number
  readonly ok: boolean
}

export interface TestRun extends TestCounts {
  readonly ok: boolean
  readonly files: readonly FileResult[]
  readonly skips: readonly SkipRecord[]
  readonly failures: readonly FailRecord[]
}

export interface TestRunOptions {
  /** How many files are under way at any time, and how many while the cores have time left. */
  readonly atOnce: Pick<Turns, "least" | "most">
  /** How long one file may take. */
  readonly timeoutMs: number
  /** How many files of a pattern share a process at most, where they may. */
  readonly together?: Readonly<Record<string, number>>
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Runs the test files that the patterns match, those of the first pattern first. A pattern that
 * matches none is a failure, not an empty success.
 */
export async function runTests(
  patterns: readonly string[],
  options: TestRunOptions,
): Promise<TestRun> {
  const matches = patterns.map((pattern) => globSync(pattern, { cwd: root }).sort())
  const empty = patterns.filter((_, n) => matches[n]?.length === 0)
  if (empty.length > 0) {
    console.error(`No test file matches ${empty.join(", ")}`)
    return { ok: false, passed: 0, failed: 1, skipped: 0, files: [], skips: [], failures: [] }
  }
  const files = [...new Set(matches.flat())]
  const first = (file: string): number => matches.findIndex((each) => each.includes(file))
  const groups = patterns.flatMap((pattern, n) => {
    const own = files.filter((file) => first(file) === n)
    return fileGroups(own, options.together?.[pattern] ?? 1)
  })
  const libraries = pathToFileURL(await bundledLibraries())
  const context = pathToFileURL(join(import.meta.dirname, "test-context.ts"))
  const folder = mkdtempSync(join(tmpdir(), "assay-tests-"))
  try {
    const recordFile = join(folder, "record.ndjson")
    const command: Command = [
      "node",
      "--conditions=source",
      `--import=${libraries.href}`,
      `--import=${context.href}`,
      ...reportArguments(folder),
      join(import.meta.dirname, "test-runner.ts"),
      `--least=${options.atOnce.least}`,
      `--most=${options.atOnce.most}`,
      `--timeout-ms=${options.timeoutMs}`,
      `--record=${recordFile}`,
      ...groups.map((group) => group.join()),
    ]
    const over = new AbortController()
    const times: Promise<ProcessorTime[]>[] = []
    const watch = (runner: number): void => {
      void endLateFiles(runner, options.timeoutMs, folder, over)
      times.push(processorTimes(runner, over))
    }
    // See packages/stores/testing/postgres/new-data.ts.
    const env = { TEST_POSTGRES_DATA: join(folder, "postgres"), ...options.env }
    const exitCode = await runCommand(command, { env, watch }).finally(() => over.abort())
    return testRun(groups, readRecords(recordFile), exitCode, (await Promise.all(times)).flat())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readRecords(file: string): TestRecord[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TestRecord)
}

function testRun(
  groups: readonly (readonly string[])[],
  records: readonly TestRecord[],
  exitCode: number,
  times: readonly ProcessorTime[],
): TestRun {
  const outcomes = records.filter((record) => record.type === "outcome")
  const summaries = records.filter((record) => record.type === "summary")
  const skips = records.filter((record) => record.type === "skip")
  const failures = records.filter((record) => record.type === "fail")
  const whole = summaries.find((summary) => summary.file === null)
  const files = groups.flatMap((group) => {
    const results = group.map((file) => fileResult(file, summaries, outcomes))
    const taken = times.find((each) => each.lastArgument === group.at(-1))?.seconds ?? 0
    // What a process took is divided among its files by their time.
    const seconds = results.reduce((sum, each) => sum + each.seconds, 0)
    const shareOf = (result: { readonly seconds: number }): number =>
      group.length === 1 ? 1 : result.seconds / seconds || 0
    return results.map((result) => ({ ...result, processorSeconds: taken * shareOf(result) }))
  })
  for (const { file } of files.filter((each) => each.passed + each.failed + each.skipped === 0)) {
    console.error(`${file} could not be loaded or holds no test`)
  }
  const ok = exitCode === 0 && whole?.ok === true && files.every((file) => file.ok)
  const { passed, failed, skipped } = whole?.counts ?? { passed: 0, failed: 0, skipped: 0 }
  // A run that broke off without a failing test has still failed once.
  const atLeastOne = ok ? failed : Math.max(1, failed)
  return { ok, passed, failed: atLeastOne, skipped, files, skips, failures }
}

function fileResult(
  file: string,
  summaries: readonly SummaryRecord[],
  outcomes: readonly OutcomeRecord[],
): Omit<FileResult, "processorSeconds"> {
  const isThis = (path: string | null): boolean => path !== null && relative(root, path) === file
  const summary = summaries.find((each) => isThis(each.file))
  if (summary !== undefined) {
    return { file, ...summary.counts, seconds: summary.seconds, ok: summary.ok }
  }
  const own = outcomes.filter((each) => isThis(each.file))
  const count = (outcome: OutcomeRecord["outcome"]): number =>
    own.filter((each) => each.outcome === outcome).length
  const counts = { passed: count("passed"), failed: count("failed"), skipped: count("skipped") }
  const seconds = own.reduce((sum, each) => sum + each.seconds, 0)
  // A file that could not be loaded, or that holds no test, has nothing to show.
  return { file, ...counts, seconds, ok: own.length > 0 && counts.failed === 0 }
}
