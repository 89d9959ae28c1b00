import assert from "node:assert/strict"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join, sep } from "node:path"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { childrenOf } from "../../bench/process-figures.ts"
import { assay } from "./assay.ts"
import {
  combolist,
  filesWithCanary,
  type Held,
  heldIn,
  type RunningImport,
  startImport,
} from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))
const secretFile = join(directory, "secret")
writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })

/** Kills of each. */
const KILLS = process.env["ASSAY_SOAK"] === undefined ? 1 : 25
const ROWS = 10_000
/** More than the command sorts itself: its rows are merged while the segment is written. */
const MANY_ROWS = 140_000
const argsFor = (name: string, rows: number): string[] => [
  combolist(join(directory, name), rows),
  ...["--source", "s", "--date", "2024-05-01"],
]
const args = argsFor("list.txt", ROWS)
const manyArgs = argsFor("many.txt", MANY_ROWS)
assert.ok(statSync(manyArgs[0] as string).size > 4e6)
/** The shorter list, in a folder of small files. */
const folderArgs = [cutIntoFiles(args[0] as string, join(directory, "folder")), ...args.slice(1)]

function dataFor(name: string): { data: string; env: Record<string, string> } {
  const data = join(directory, name)
  return { data, env: { ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile } }
}

let reference: Held

test("neither addresses nor passwords are in any file while an import runs, or after it", async () => {
  const { data, env } = dataFor("reference")
  const running = startImport(args, env)
  let looks = 0
  const written = new Set<string>()
  while (running.running()) {
    for (const pid of [running.pid, ...childrenOf(running.pid)]) {
      for (const path of filesWrittenBy(pid)) written.add(path)
    }
    if (existsSync(data)) assert.deepEqual(filesWithCanary(data), [])
    looks++
    await delay(50)
  }
  assert.equal(await running.ended, 0, running.output())
  assert.deepEqual(filesWithCanary(data), [])
  assert.doesNotMatch(running.output(), /zqxjkv/)
  // The search covered everything: no process of the import wrote anywhere else.
  assert.ok(looks > 0 && written.size > 0)
  assert.deepEqual(
    [...written].filter((path) => !path.startsWith(data + sep)),
    [],
  )
  reference = await heldIn(data, secretFile, ROWS)
  assert.equal(reference.batches.length, 1)
  assert.equal(reference.entries.size, ROWS)
  for (const entries of reference.entries.values()) assert.equal(entries.length, 1)
})

/**
 * The moments a kill follows: the command begins, rows are on their way to the sorter, the segment
 * is being merged, and it is being written.
 */
const MOMENTS: ((data: string) => boolean)[] = [
  () => true,
  (data) => namesIn(join(data, "import")).some((name) => !name.endsWith(".json")),
  (data) => namesIn(join(data, "segments")).some((name) => name.endsWith(".parquet")),
  (data) => namesIn(join(data, "segments")).some((name) => name.endsWith(".parquet.new")),
]

for (const [what, list, rows] of [
  ["a small list", args, ROWS],
  ["a folder of small files", folderArgs, ROWS],
  ["a list that is merged while its segment is written", manyArgs, MANY_ROWS],
] as const) {
  test(`kill -9 at random moments of ${what}: what is served is as before or complete, and the same command completes it`, () =>
    killedAndCompleted(basename(list[0] as string), list, rows))
}

// The first rows of the longer list are those of the shorter one.
async function killedAndCompleted(
  name: string,
  args: readonly string[],
  rowsIn: number,
): Promise<void> {
  const random = seeded(20_261_115 + rowsIn + name.length)
  for (let round = 0; round < KILLS; round++) {
    const { data, env } = dataFor(`killed-${name}-${round}`)
    const running = startImport(args, env)
    const moment = MOMENTS[round % MOMENTS.length] as (data: string) => boolean
    while (running.running() && !moment(data)) await delay(2)
    await delay(random() * (round % MOMENTS.length === 0 ? 1500 : 200))
    killSome(running, random())
    await running.ended
    await gone(running.pid)

    assert.doesNotMatch(running.output(), /zqxjkv/)
    if (existsSync(data)) assert.deepEqual(filesWithCanary(data), [])
    // Killed before its index was made, there is none to say anything.
    const before = await heldIn(data, secretFile, 100).catch((error: unknown) => {
      if ((error as { code?: string }).code === "none") return null
      throw error
    })
    if (before !== null) {
      const { entries, batches } = before
      const live = batches.some(({ state }) => state === "live")
      for (const [email, found] of entries) {
        assert.deepEqual(found, live ? reference.entries.get(email) : [])
      }
    }
    const again = await assay(["corpus", "import", ...args], env)
    assert.equal(again.code, 0, again.err)
    const held = await heldIn(data, secretFile, ROWS)
    assert.deepEqual(held.entries, reference.entries)
    assert.deepEqual(
      held.batches
        .filter(({ state }) => state === "live")
        .map(({ rows, identities }) => [rows, identities]),
      [[rowsIn, rowsIn]],
    )
    assert.deepEqual(namesIn(join(data, "import")), [])
    assert.equal(namesIn(join(data, "segments")).length, 1)
    const verified = await assay(["corpus", "verify"], env)
    assert.equal(verified.code, 0, verified.out + verified.err)
    rmSync(data, { recursive: true })
  }
}

/** Writes the lines of a list as files of 26. Returns their folder. */
function cutIntoFiles(list: string, folder: string): string {
  const lines = readFileSync(list, "utf8").trimEnd().split("\n")
  for (let at = 0; at < lines.length; at += 26) {
    const inner = join(folder, String(at % 7))
    mkdirSync(inner, { recursive: true })
    writeFileSync(join(inner, `${at}.txt`), `${lines.slice(at, at + 26).join("\n")}\n`)
  }
  return folder
}

/** All of the import at once, the command alone, or one of its children. */
function killSome({ pid }: RunningImport, which: number): void {
  const children = childrenOf(pid)
  const victims = [-pid, pid, ...children]
  const victim = victims[Math.floor(which * victims.length)] ?? pid
  try {
    process.kill(victim, "SIGKILL")
  } catch (error) {
    // The import finished first.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/**
 * Resolves when no process of the group runs: children must notice by themselves that their parent
 * was killed.
 */
async function gone(group: number): Promise<void> {
  for (let n = 0; n < 3000; n++) {
    if (groupIsGone(group)) return
    await delay(10)
  }
  assert.fail("a process outlives its import")
}

/** Where process 1 does not collect orphans, the dead stay as zombies, which signals still find. */
function groupIsGone(group: number): boolean {
  return namesIn("/proc").every((name) => {
    if (!/^\d+$/.test(name)) return true
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return Number(pgrp) !== group || state === "Z"
    } catch {
      return true
    }
  })
}

/** proc_pid_fdinfo(5): the low two bits of `flags` say whether a file is open for writing. */
function filesWrittenBy(pid: number): string[] {
  return namesIn(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${name}`, "utf8"))
      if ((Number.parseInt(flags?.[1] ?? "0", 8) & 3) === 0) return []
      const path = readlinkSync(`/proc/${pid}/fd/${name}`)
      return statSync(`/proc/${pid}/fd/${name}`).isFile() ? [path] : []
    } catch {
      // Closed in the meantime.
      return []
    }
  })
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** The same numbers in every run, so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
