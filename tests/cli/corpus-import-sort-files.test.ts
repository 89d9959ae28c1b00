import assert from "node:assert/strict"
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import { promisify } from "node:util"
import { assayProgram } from "../../scripts/program.ts"
import { COMMAND_MS } from "./command-time.ts"
import { combolist } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-sort-files-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))

/** More than the command sorts itself, and much less than memory holds. */
const ROWS = 140_000

test("an import that fits in memory makes no file to sort in, in any of its processes", async (context) => {
  if (spawnSync("strace", ["-V"]).status !== 0) {
    if (process.env["CI"] === "true") assert.fail("no strace on this machine")
    context.skip("no strace on this machine")
    return
  }
  const list = combolist(join(directory, "list.txt"), ROWS)
  assert.ok(statSync(list).size > 4e6)
  const data = join(directory, "data")
  const secretFile = join(directory, "secret")
  writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })
  const trace = join(directory, "trace")
  const args = ["-f", "-qq", "-s", "500", "-e", "trace=open,openat,creat", "-o", trace]
  const command = [process.execPath, ...assayProgram(), "corpus", "import"]
  const env = { PATH: process.env["PATH"], ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile }
  const { stdout } = await promisify(execFile)(
    "strace",
    [...args, ...command, list, "--source", "s", "--date", "2024-05-01"],
    { env, timeout: COMMAND_MS },
  )
  assert.match(stdout, new RegExp(`^imported +${ROWS.toLocaleString("en")}$`, "m"))
  const made = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => /O_CREAT|creat\(/.test(line))
    .flatMap((line) => /"([^"]+)"/.exec(line)?.[1] ?? [])
  // What the sorter writes is seen.
  assert.ok(
    made.some((path) => path.startsWith(join(data, "segments"))),
    made.join("\n"),
  )
  // Beside the note of a segment, an import has a folder to sort in. The one to measure in is
  // locked.
  const sorting = made.filter(
    (path) =>
      path.startsWith(`${data}/import/`) &&
      dirname(path) !== `${data}/import` &&
      !/\/circulation-[^/]+\/lock$/.test(path),
  )
  assert.deepEqual(sorting, [])
})
