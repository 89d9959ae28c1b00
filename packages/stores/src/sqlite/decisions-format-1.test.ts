import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { DAY_MS } from "@assay/runtime/time"
import {
  countAll,
  countsOf,
  countsOfFirsts,
  identitiesBetween,
  newDecision,
} from "../../testing/decisions-suite.ts"
import { writeFormat1 } from "../../testing/format-1-decisions.ts"
import { type Decision, type Decisions, ERASED_FORMAT } from "../decisions.ts"
import { openSqliteDecisions, readSqliteDecisions } from "./decisions.ts"
import { sourceArguments, sourceEnvironment } from "../../testing/source-process.ts"

const [, , verb, place = ""] = process.argv
if (verb === "move") await move(place)

/** Run by a test below, which kills it: moves rows until there are none. */
async function move(directory: string): Promise<never> {
  const decisions = openSqliteDecisions(directory)
  await decisions.add([])
  for (;;) await delay(1000)
}

const folder = mkdtempSync(join(tmpdir(), "assay-decisions-1-"))
after(() => rmSync(folder, { recursive: true }))
let directories = 0

const noon = Date.UTC(2026, 10, 15, 12)

/** A directory with a file of format 1 of each of two months. */
function olderDirectory(decisions: readonly Decision[]): string {
  const directory = join(folder, String(++directories))
  mkdirSync(directory)
  for (const month of ["2026-10", "2026-11"]) {
    const own = decisions.filter(({ at }) => new Date(at).toISOString().startsWith(month))
    writeFormat1(join(directory, `${month}.sqlite`), own)
  }
  return directory
}

function olderDecisions(count: number): Decision[] {
  return Array.from({ length: count }, (_, n) =>
    newDecision({
      at: noon - 30 * DAY_MS + Math.floor((n * 29 * DAY_MS) / count),
      tenantId: 1 + (n % 2),
      identityKey: new Uint8Array(16).fill(1 + (n % 50)),
      score: n % 101,
      input: `{"n":${n}}`,
    }),
  )
}

function rowsIn(directory: string): number {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sqlite"))
    .map((name) => {
      const db = new DatabaseSync(join(directory, name), { readOnly: true, timeout: 5_000 })
      // One moment for both: the table goes when its last row has.
      db.exec("begin")
      const table = "select 1 from sqlite_schema where name = 'decisions'"
      const there = db.prepare(table).get() !== undefined
      const row = there ? db.prepare("select count(*) as n from decisions").get() : { n: 0 }
      db.close()
      return Number(row?.["n"])
    })
    .reduce((sum, count) => sum + count, 0)
}

async function allIn(decisions: Decisions): Promise<Decision[]> {
  return await decisions.page({ after: null, limit: 100_000 })
}

const byId = (a: Decision, b: Decision): number => (a.id < b.id ? -1 : 1)

test("decisions of format 1 are read as they are, and moved into blocks once one is added", async () => {
  const older = olderDecisions(2_500)
  const directory = olderDirectory(older)
  const own = older
    .filter(({ tenantId }) => tenantId === 1)
    .sort(byId)
    .reverse()
  const reader = readSqliteDecisions(directory)
  const checked = async (): Promise<void> => {
    assert.deepEqual(await reader.list({ tenantId: 1, limit: 5_000 }), own)
    assert.deepEqual(
      await reader.list({ tenantId: 1, limit: 9, before: own[20]?.id ?? "" }),
      own.slice(21, 30),
    )
    for (const each of [older[0], older[1_200], older.at(-1)] as Decision[])
      assert.deepEqual(await reader.find(each.id), each)
    assert.deepEqual((await countAll(reader, { tenantId: 1, from: 0 })).counts, countsOf(own))
    const about = await identitiesBetween(reader, noon - 25 * DAY_MS, noon - DAY_MS)
    const since = older.filter(({ at }) => at >= noon - 25 * DAY_MS && at < noon - DAY_MS)
    assert.deepEqual(about.counts, countsOfFirsts(since))
  }
  await checked()
  const decisions = openSqliteDecisions(directory)
  assert.deepEqual(await allIn(decisions), older)
  // Folded again, as after a crash between adding and deleting the journal.
  await decisions.add([older[7] as Decision, older[2_000] as Decision])
  while (rowsIn(directory) > 0) {
    await checked()
    assert.deepEqual(await allIn(decisions), older)
    await delay(1)
  }
  await checked()
  assert.deepEqual(await allIn(decisions), older)
  await decisions.close()
})

test("those of format 1 are erased and forgotten wherever they are", async () => {
  const older = olderDecisions(2_500)
  const mine = new Uint8Array(16).fill(7)
  for (const moved of [false, true]) {
    const directory = olderDirectory(older)
    const decisions = openSqliteDecisions(directory)
    if (moved) {
      await decisions.add([])
      while (rowsIn(directory) > 0) await delay(5)
    }
    const erasure = { identityKey: mine, tenantId: null, upTo: noon }
    assert.equal(await decisions.eraseIdentity(erasure), 50)
    const day = new Date(noon - 10 * DAY_MS).toISOString().slice(0, 10)
    const gone = older.filter(({ at }) => at < Date.parse(day))
    assert.equal(await decisions.forgetBefore(day), gone.length)
    const left = await allIn(decisions)
    assert.deepEqual(
      left.map(({ id }) => id),
      older.slice(gone.length).map(({ id }) => id),
    )
    // A journal that is read again brings none of the erased ones back.
    await decisions.add(older.slice(gone.length))
    assert.deepEqual(await allIn(decisions), left)
    assert.ok(left.some(({ format }) => format === ERASED_FORMAT))
    await decisions.close()
  }
})

test("what is erased after it was moved is in no page of the file", async () => {
  const [key, text] = [Buffer.from("erased----------"), "canary of an input"]
  const older = olderDecisions(1_500)
  const erased = { identityKey: new Uint8Array(key), input: `{"text":"${text}"}` }
  const directory = olderDirectory([...older, newDecision({ at: noon - DAY_MS, ...erased })])
  const decisions = openSqliteDecisions(directory)
  await decisions.add([])
  while (rowsIn(directory) > 0) await delay(5)
  const erasure = { identityKey: erased.identityKey, tenantId: null, upTo: noon }
  assert.equal(await decisions.eraseIdentity(erasure), 1)
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name))
    assert.ok(!bytes.includes(key) && !bytes.includes(text), name)
  }
  await decisions.close()
})

test("a process that is killed while it moves them loses none", async (t) => {
  const older = olderDecisions(3_000)
  const directory = olderDirectory(older)
  let kills = 0
  for (let left = rowsIn(directory); left > 0;) {
    const child = mover(directory)
    t.after(() => child.kill("SIGKILL"))
    // Until it has moved some more.
    for (const before = left; left > 0 && left === before; left = rowsIn(directory)) await delay(1)
    child.kill("SIGKILL")
    await once(child, "exit")
    kills++
    const decisions = openSqliteDecisions(directory)
    const all = await allIn(decisions)
    assert.equal(all.length, older.length)
    assert.deepEqual(all, older)
    await decisions.close()
    left = rowsIn(directory)
  }
  assert.ok(kills > 0)
})

function mover(directory: string): ChildProcess {
  const args = [...sourceArguments, import.meta.filename, "move", directory]
  return spawn(process.execPath, args, { stdio: "inherit", env: sourceEnvironment })
}
