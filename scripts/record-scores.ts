// node --conditions=source scripts/record-scores.ts [file...]: runs the HTTP suites and writes the
// scoring requests that their services got to tests/http/both-ways-requests.ndjson, which
// tests/http/both-ways.test.ts sends by both ways. With files it runs only those, and adds to it.
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "./repository.ts"
import { runTests } from "./run-tests.ts"
import type { GotRequest } from "./score-recorder.ts"

const FILE = join(root, "tests", "http", "both-ways-requests.ndjson")
const FILE_MS = 10 * 60_000
/** Those that a client adds by itself, or that say how a request was sent. */
const UNSAID = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "host",
  "sec-fetch-mode",
  "transfer-encoding",
  "user-agent",
])
/** The moment at which the test stands still. */
const NOW_MS = Date.UTC(2026, 10, 14, 9, 30)
const NEAR_MS = 3 * 24 * 3_600_000
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
/** Of the addresses that a load numbers, so many are enough. */
const NUMBERED_MAX = 40
const API_KEY = /\bask_(live|demo)_[0-9A-Za-z]{36}/

const named = process.argv.slice(2)
/** The test makes the requests of the last two itself. */
const LEFT_OUT = ["both-ways", "every-operation", "dearest-request"]
const suites = globSync("tests/http/**/*.test.ts", {
  cwd: root,
  exclude: LEFT_OUT.map((name) => `tests/http/${name}.test.ts`),
})
const folder = mkdtempSync(join(tmpdir(), "assay-scores-"))
try {
  const recorder = pathToFileURL(join(import.meta.dirname, "score-recorder.ts"))
  const { ok } = await runTests(named.length > 0 ? named : suites, {
    atOnce: { least: 2, most: 2 },
    timeoutMs: FILE_MS,
    env: { NODE_OPTIONS: `--import=${recorder.href}`, RECORD_SCORES_TO: folder },
  })
  const before = named.length > 0 ? linesOf(FILE) : []
  const got = readdirSync(folder).flatMap((file) => linesOf(join(folder, file)).map(recorded))
  const lines = fewerNumbered([...new Set([...before, ...got])].sort())
  writeFileSync(FILE, lines.map((line) => `${line}\n`).join(""))
  console.log(`${lines.length} requests${ok ? "" : "; some are missing, since a suite failed"}`)
  process.exitCode = ok ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean)
}

function fewerNumbered(lines: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return lines.filter((line) => {
    const like = line.replace(/\d+@/, "@")
    const count = (counts.get(like) ?? 0) + 1
    counts.set(like, count)
    return count <= NUMBERED_MAX
  })
}

/**
 * The request without its answer, with a name for its key, which is another in each run, and with
 * times as far from those of the test as they were from the recording's.
 */
function recorded(line: string): string {
  const { method, target, headers, body, chunked, status, atMs } = JSON.parse(line) as GotRequest
  const key = status === 401 ? "{unknown}" : status === 403 ? "{unscoped}" : "{key}"
  const said = Object.entries(headers)
    .filter(([name]) => !UNSAID.has(name))
    .map(([name, value]) => [name, value.replace(API_KEY, key)])
    .sort()
  const moved = (time: string): string => {
    const sinceMs = Date.parse(time) - atMs
    if (!(Math.abs(sinceMs) < NEAR_MS)) return time
    return new Date(NOW_MS + Math.round(sinceMs / 1000) * 1000).toISOString()
  }
  return JSON.stringify({
    method,
    target: target.replace(API_KEY, "ask_demo_none"),
    headers: Object.fromEntries(said) as Record<string, string>,
    ...(body !== undefined && { body: body.replaceAll(TIME, moved) }),
    ...(chunked && { chunked }),
  })
}
