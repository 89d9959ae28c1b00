// npm run soak: the same tests as npm test with the large counts that ASSAY_SOAK asks for. With a
// pattern of files, those alone: npm run soak -- 'tests/http/{feedback,decisions-crash}.test.ts';
// with a name, the files of that name: npm run soak -- hostile
import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism, release, totalmem, type as systemName } from "node:os"
import { join } from "node:path"
import { root } from "./repository.ts"
import { runTests, type FileResult } from "./run-tests.ts"
import { markdownTable } from "./table.ts"

// All of them, since a conformance suite that reads ASSAY_SOAK is run by test files that do not
// mention it.
const everything = "{packages/*/src,eval,tests/{http,cli,browser}}/**/*.test.ts"
const [some] = process.argv.slice(2)
const isName = some !== undefined && /^[\w-]+$/.test(some)
const pattern = isName ? `{packages/*/src,eval,tests}/**/${some}.test.ts` : (some ?? everything)

// One file at a time: suites that measure or kill processes must not disturb each other.
const run = await runTests([pattern], {
  atOnce: { least: 1, most: 1 },
  timeoutMs: 6 * 60 * 60_000,
  env: { ASSAY_SOAK: "1" },
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

Printed by \`npm run soak\`: ${some === undefined ? "every suite" : `the suites of \`${some}\``} with its large counts.

- Machine: ${systemName()} ${release()} on ${process.arch}, ${availableParallelism()} cores, ${gibibytes} GiB memory
- Node ${process.versions.node}

${results}

${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped.
${run.skips.map(({ name, reason }) => `\n- Skipped: ${name}${reason === "" ? "" : ` (${reason})`}`).join("")}
`
}
