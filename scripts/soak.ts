// npm run soak: every suite that has large counts, with them; the others would only be npm test
// once more. With a pattern of files, of those alone:
//   npm run soak -- 'tests/http/{feedback,crash}.test.ts'
// with a name, the files of that name: npm run soak -- hostile
import { globSync, mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism, release, totalmem, type as systemName } from "node:os"
import { join } from "node:path"
import { reached, textOf } from "./reached-by-test.ts"
import { root } from "./repository.ts"
import { runTests, type FileResult } from "./run-tests.ts"
import { markdownTable } from "./table.ts"

const everything = "{packages/*/src,eval,tests/{http,cli,browser}}/**/*.test.ts"
const [some] = process.argv.slice(2)
const isName = some !== undefined && /^[\w-]+$/.test(some)
const pattern = isName ? `{packages/*/src,eval,tests}/**/${some}.test.ts` : (some ?? everything)

// A suite that several test files share may be what reads it, so what they import counts too.
const files = globSync(pattern, { cwd: root }).filter((file) =>
  [...reached(file)].some((each) => /process\.env\W+ASSAY_SOAK\b/.test(textOf(each))),
)
if (files.length === 0) {
  console.error(`No test file with large counts matches ${pattern}`)
  process.exit(1)
}

// One file at a time: suites that measure or kill processes must not disturb each other.
const run = await runTests(files, {
  atOnce: { least: 1, most: 1 },
  timeoutMs: 6 * 60 * 60_000,
  env: { ASSAY_SOAK: "1", ASSAY_COMMAND_MINUTES: "360" },
})
const date = new Date().toISOString().slice(0, 10)
const table = markdownTable(["suite", "tests", "skipped", "seconds", "outcome"], run.files.map(row))
console.log(`\n${table}\n`)
if (run.files.length > 0) {
  const folder = join(root, "docs", "soak")
  mkdirSync(folder, { recursive: true })
  // A partial run does not replace a full one, so it gets its own file.
  const name = some === undefined ? `${date}.md` : `${date}-${isName ? some : "part"}.md`
  writeFileSync(join(folder, name), page(date, table))
  console.log(`Written to docs/soak/${name}`)
}
console.log(`${run.passed} passed, ${run.failed} failed`)
process.exitCode = run.ok ? 0 : 1

function row(result: FileResult): (string | number)[] {
  const { file, passed, failed, skipped, seconds, ok } = result
  const outcome = ok ? (passed + failed === 0 ? "skipped" : "passed") : `FAILED (${failed})`
  return [file, passed + failed, skipped, Math.round(seconds), outcome]
}

function page(day: string, results: string): string {
  const gibibytes = (totalmem() / 2 ** 30).toFixed(1)
  return `# Soak of ${day}

Printed by \`npm run soak\`: ${some === undefined ? "every suite that has large counts" : `the suites of \`${some}\``}, with large counts.

- Machine: ${systemName()} ${release()} on ${process.arch}, ${availableParallelism()} cores, ${gibibytes} GiB memory
- Node ${process.versions.node}

${results}

${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped.
${run.skips.map(({ name, reason }) => `\n- Skipped: ${name}${reason === "" ? "" : ` (${reason})`}`).join("")}
`
}
