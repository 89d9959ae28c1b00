import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import fc from "fast-check"
import type { DecisionDraft } from "../score/decision-draft.ts"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { openSqliteDecisions } from "@assay/stores/sqlite/decisions"
import { newDecisionId } from "@assay/stores/decision-id"
import { lockDataDirectory } from "@assay/runtime/data-directory"
import { type FoldedDecision, journalFolder, unfoldedDecisions } from "./fold.ts"
import { openJournal } from "./journal.ts"
import {
  deleteSetAside,
  filesSetAside,
  segmentPath,
  segmentsOf,
  workerDirectories,
} from "./journal-files.ts"
import { JOURNAL_HEADER, journalLine, readJournalLine, readJournalLines } from "./journal-line.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-journal-"))
after(() => rmSync(folder, { recursive: true, force: true }))
let directories = 0
const newDirectory = (): string => join(folder, String(++directories))

const at = Date.UTC(2026, 10, 15, 12)
const draft: DecisionDraft = {
  identityType: "email",
  tenantId: 3,
  keyId: "key_1",
  identityKey: Uint8Array.from({ length: 16 }, (_, n) => n * 16),
  atMs: at,
  modelVersion: "1.0",
  input: { as_of: "2026-11-15", checked: { sources: 2 } },
  requestId: null,
  score: 17,
  action: "allow",
  stage: "CLEAN",
  confidence: "low",
  shadow: null,
}

/** Makes a line and its id. */
function made(changes: Partial<DecisionDraft> = {}): { id: string; line: string } {
  const id = newDecisionId(at)
  return { id, line: journalLine(id, { ...draft, ...changes }) }
}

/** The file of the only worker that lives, or the last one there is. */
function openFile(journal: string): string {
  const segments = workerDirectories(journal).flatMap(segmentsOf)
  const segment = segments.find(({ closed }) => !closed) ?? segments.at(-1)
  assert.ok(segment)
  return segmentPath(segment)
}

function stored(): { added: Decision[]; add(decisions: readonly Decision[]): Promise<void> } {
  const added: Decision[] = []
  return {
    added,
    async add(decisions) {
      added.push(...decisions)
    },
  }
}

// Run by a test below under a limit of file size, which fails writes just as a full disk does.
const [, , verb, place = ""] = process.argv
if (verb === "fill") await fill(place)

/**
 * Appends until the disk is full, makes room, and appends again. Prints the ids that were
 * acknowledged.
 */
async function fill(path: string): Promise<never> {
  const journal = openJournal(path, { fileBytes: 2 ** 30 })
  const acknowledged: string[] = []
  const append = async (): Promise<void> => {
    const { id, line } = made()
    await journal.append(line)
    acknowledged.push(id)
  }
  let refused = 0
  for (let n = 0; n < 2; n++) {
    try {
      for (;;) await append()
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "EFBIG")
      refused++
    }
    // Until the next second nothing is tried.
    await assert.rejects(append, { code: "EFBIG" })
    await journal.keep()
  }
  process.stdout.write(JSON.stringify({ acknowledged, refused }))
  process.exit(0)
}

const anyShadow = fc.option(
  fc
    .record({
      version: fc.integer({ min: 1, max: 999_999_999 }),
      score: fc.nat({ max: 100 }),
      stage: fc.constantFrom(null, "CLEAN", "MONETIZED"),
      action: fc.constantFrom("allow", "step_up_auth"),
    })
    .map((shadow) => ({ ...shadow })),
)

test("a line holds a decision whatever texts its input has, and no part of one is read as a decision", () => {
  const text = fc.string({ unit: "binary", maxLength: 30 })
  fc.assert(
    fc.property(
      text,
      fc.option(fc.nat()),
      fc.nat({ max: 100 }),
      anyShadow,
      (source, tenantId, score, shadow) => {
        const exposures = [{ kind: "breach", source, age: 3 }] as const
        const input = { as_of: "2026-11-15", checked: { sources: 2 }, exposures }
        const { id, line } = made({ input, tenantId, score, shadow })
        assert.equal(line.indexOf("\n"), line.length - 1)
        assert.deepEqual(readJournalLine(line.slice(0, -1)), {
          id,
          at,
          tenantId,
          keyId: "key_1",
          identityType: "email",
          identityKey: draft.identityKey,
          modelVersion: "1.0",
          calibration: null,
          score,
          stage: "CLEAN",
          confidence: "low",
          action: "allow",
          input: JSON.stringify(input),
          format: DECISION_FORMAT,
          shadow,
        })
        for (const end of [1, 30, line.length - 2, Math.floor(line.length / 2)])
          assert.equal(readJournalLine(line.slice(0, end)), null)
        assert.equal(readJournalLine(`${line.slice(0, -20)}${"\0".repeat(19)}`), null)
      },
    ),
    { numRuns: 500, seed: 20_261_115 },
  )
})

test("a line that was cut off anywhere takes nothing from the lines around it", () => {
  // Its first closing brace is its last character, so no part of it ends like a whole one.
  const input = { as_of: "2026-11-15" } as unknown as DecisionDraft["input"]
  const shadow = { version: 7, score: 60, stage: "LEAKED", action: "review" }
  const [before, cut, behind] = [made(), made({ input, shadow }), made()]
  for (let end = 0; end < cut.line.length - 1; end++) {
    for (const rest of ["", "\0\0"]) {
      const text = `${before.line}${cut.line.slice(0, end)}${rest}\n`
      const { found, torn } = readJournalLines(text + behind.line)
      assert.deepEqual(
        found.map(({ id }) => id),
        [before.id, behind.id],
      )
      assert.equal(torn, 1)
      assert.equal(readJournalLines(text).torn, 1)
    }
  }
  assert.deepEqual(readJournalLines(""), { found: [], torn: 0 })
})

test("a calibrated decision and one about a phone keep what sets them apart", () => {
  const input = { as_of: "2026-11-15", numberType: "mobile", region: "AU" }
  const calibration = { A: 1, B: 0, hash: "c0ffee" }
  const { line } = made({
    identityType: "phone",
    stage: null,
    confidence: null,
    input: { ...input, settings: { calibration } },
  })
  const read = readJournalLine(line.trimEnd())
  assert.equal(read?.identityType, "phone")
  assert.deepEqual([read.stage, read.confidence, read.calibration], [null, null, "c0ffee"])
})

test("appended lines are in the file when append resolves, readable by the owner alone", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  assert.equal(existsSync(path), false)
  const lines = [made().line, made().line]
  await Promise.all(lines.map((line) => journal.append(line)))
  assert.equal(readFileSync(openFile(path), "utf8"), JOURNAL_HEADER + lines.join(""))
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const { mode } = statSync(join(entry.parentPath, entry.name))
    assert.equal(mode & 0o077, 0, entry.name)
  }
  await journal.close()
})

test("the lines of a turn share a write, and one that nobody waits for is in the file when the journal is closed", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const lines = Array.from({ length: 40 }, () => made().line)
  const [first, ...others] = lines.map((line) => journal.append(line))
  for (const other of others) assert.equal(other, first)
  await journal.close()
  assert.deepEqual(
    unfoldedDecisions(path).map(({ id }) => id),
    lines.map((line) => line.slice(0, line.indexOf("\t"))),
  )
})

test("a write that fails refuses all lines of its turn and leaves none of them", async () => {
  const path = newDirectory()
  writeFileSync(path, "a file where the directory should be")
  const journal = openJournal(path)
  const outcomes = await Promise.allSettled(
    [made(), made()].map(({ line }) => journal.append(line)),
  )
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
  )
  rmSync(path)
  await journal.keep()
  const { id, line } = made()
  await journal.append(line)
  assert.deepEqual(
    unfoldedDecisions(path).map((each) => each.id),
    [id],
  )
  await journal.close()
})

test("lines longer than the buffer are written in whole", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const exposures = Array.from({ length: 3_000 }, (_, n) => ({
    kind: "breach" as const,
    source: `Quelle ${n} ü`,
    age: n,
  }))
  const { id, line } = made({ input: { ...draft.input, exposures } as DecisionDraft["input"] })
  assert.ok(line.length > 65_536)
  await journal.append(line)
  await journal.close()
  const [found] = unfoldedDecisions(path)
  assert.equal(found?.id, id)
  assert.equal(found.input, line.slice(line.indexOf("{")).trimEnd())
})

test("files are closed by size and by age, and folding deletes only what is closed", async () => {
  const path = newDirectory()
  const journal = openJournal(path, { fileBytes: 300, fileAge: 2 })
  const decisions = stored()
  const fold = journalFolder({ journal: path, decisions })
  const ids: string[] = []
  const append = async (): Promise<void> => {
    const { id, line } = made()
    await journal.append(line)
    ids.push(id)
  }
  for (let n = 0; n < 5; n++) await append()
  assert.equal(workerDirectories(path).flatMap(segmentsOf).length, 3)
  await fold()
  const [left, ...others] = workerDirectories(path).flatMap(segmentsOf)
  assert.deepEqual([left?.closed, others], [false, []])
  await journal.keep()
  await journal.keep()
  await fold()
  assert.deepEqual(workerDirectories(path).flatMap(segmentsOf), [])
  await append()
  await fold()
  assert.deepEqual(
    decisions.added.map(({ id }) => id),
    ids,
  )
  await journal.close()
  await fold()
  assert.deepEqual(readdirSync(path), [])
  assert.equal(decisions.added.length, ids.length)
})

test("a line still being written is left for the next time; of a dead worker it is skipped and counted", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const decisions = stored()
  const fold = journalFolder({ journal: path, decisions })
  const [first, second] = [made(), made()]
  await journal.append(first.line)
  const file = openFile(path)
  appendFileSync(file, second.line.slice(0, 50))
  assert.deepEqual(await fold(), { folded: 1, torn: 0, damaged: 0 })
  assert.deepEqual(await fold(), { folded: 0, torn: 0, damaged: 0 })
  appendFileSync(file, second.line.slice(50))
  assert.deepEqual(await fold(), { folded: 1, torn: 0, damaged: 0 })
  appendFileSync(file, `not a decision\n${made().line.slice(0, 60)}`)
  // The worker ends: its lock goes with it.
  await journal.close()
  const again = stored()
  assert.deepEqual(await journalFolder({ journal: path, decisions: again })(), {
    folded: 2,
    torn: 2,
    damaged: 0,
  })
  assert.deepEqual(
    [decisions, again].map(({ added }) => added.map(({ id }) => id)),
    [
      [first.id, second.id],
      [first.id, second.id],
    ],
  )
  assert.deepEqual(readdirSync(path), [])
})

test("what the store or the listener refuses stays in the journal and comes again", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const decisions = openSqliteDecisions(newDirectory())
  const told: FoldedDecision[] = []
  let [storeAway, listenerAway] = [true, true]
  const fold = journalFolder({
    journal: path,
    decisions: {
      async add(some) {
        if (storeAway) throw new Error("away")
        await decisions.add(some)
      },
    },
    async onFolded(some) {
      if (listenerAway) throw new Error("away")
      told.push(...some)
    },
  })
  const { id, line } = made()
  await journal.append(line)
  await journal.close()
  await assert.rejects(fold(), /away/)
  assert.equal(await decisions.find(id), null)
  storeAway = false
  await assert.rejects(fold(), /away/)
  assert.equal((await decisions.find(id))?.id, id)
  assert.equal(unfoldedDecisions(path).length, 1)
  listenerAway = false
  assert.deepEqual(await fold(), { folded: 1, torn: 0, damaged: 0 })
  assert.deepEqual(told, [
    { tenantId: 3, identityKey: draft.identityKey, identityType: "email", atMs: at },
  ])
  assert.deepEqual(readdirSync(path), [])
  assert.equal((await decisions.list({ tenantId: 3, limit: 9 })).length, 1)
  await decisions.close()
})

test("what several workers decided reaches the store together, file by file", async () => {
  const path = newDirectory()
  const files = [3, 1, 2].map((count) => Array.from({ length: count }, () => made()))
  for (const lines of files) {
    // Every line closes its file.
    const journal = openJournal(path, { fileBytes: 1 })
    for (const { line } of lines) await journal.append(line)
    await journal.close()
  }
  const added: string[][] = []
  const add = async (some: readonly Decision[]): Promise<void> => {
    added.push(some.map(({ id }) => id).sort())
  }
  const { folded } = await journalFolder({ journal: path, decisions: { add } })()
  assert.equal(folded, 6)
  const rounds = [0, 1, 2].map((n) => files.flatMap((lines) => lines[n]?.id ?? []).sort())
  assert.deepEqual(added, rounds)
  assert.deepEqual(readdirSync(path), [])
})

test("a call during a run is answered by a run that began after it", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const decisions = stored()
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const fold = journalFolder({
    journal: path,
    decisions,
    onFolded: async () => await held,
  })
  await journal.append(made().line)
  const first = fold()
  await new Promise((resolve) => setImmediate(resolve))
  const { id, line } = made()
  await journal.append(line)
  const [second, third] = [fold(), fold()]
  assert.equal(second, third)
  release()
  await Promise.all([first, second])
  assert.ok(decisions.added.some((each) => each.id === id))
  await journal.close()
})

test("a journal of the program before is folded as it is", async () => {
  const path = newDirectory()
  const older = join(path, "0000")
  mkdirSync(older, { recursive: true })
  const { id, line } = made()
  writeFileSync(join(older, "00000001.closed"), `assay decisions journal 1\n${line}`)
  const decisions = stored()
  const report = await journalFolder({ journal: path, decisions })()
  assert.deepEqual(report, { folded: 1, torn: 0, damaged: 0 })
  assert.deepEqual(
    decisions.added.map((each) => [each.id, each.shadow]),
    [[id, null]],
  )
})

test("decisions of an older journal are handed on apart, also those that come later", async () => {
  const path = newDirectory()
  const [older, own] = [join(path, "0000"), openJournal(path)]
  mkdirSync(older, { recursive: true })
  const file = join(older, "00000001.open")
  const [first, second, third] = [made(), made(), made()]
  writeFileSync(file, `assay decisions journal 2\n${first.line}`)
  await own.append(second.line)
  const lock = lockDataDirectory(older)
  assert.ok(lock !== null)
  const handedOn: [string, boolean][] = []
  const fold = journalFolder({
    ...{ journal: path, decisions: stored() },
    async toReview(some, { olderJournal }) {
      for (const { id } of some) handedOn.push([id, olderJournal])
    },
  })
  await fold()
  // Its beginning is not read again.
  appendFileSync(file, third.line)
  await fold()
  assert.deepEqual(handedOn, [
    [first.id, true],
    [second.id, false],
    [third.id, true],
  ])
  await own.close()
  lock.release()
})

test("a journal of another format is refused and left as it is, and keeps no other journal waiting", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  await journal.append(made().line)
  const newer = join(path, "0000")
  mkdirSync(newer)
  writeFileSync(join(newer, "00000001.closed"), "assay decisions journal 3\nsomething\n")
  const decisions = stored()
  const fold = journalFolder({ journal: path, decisions })
  await assert.rejects(fold(), { code: "newer-format" })
  assert.equal(decisions.added.length, 1)
  assert.ok(existsSync(join(newer, "00000001.closed")))
  await journal.close()
})

/** Flips a bit of a file in the journal of a worker that is gone. */
function damage(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] as number) ^ 2
  writeFileSync(file, bytes)
}

test("a file with a damaged beginning is set aside, its lines and all other journals are folded", async () => {
  const path = newDirectory()
  const ids: string[] = []
  for (const at of [0, 10, 24, 25, null]) {
    const journal = openJournal(path)
    const [first, second] = [made(), made()]
    await journal.append(first.line)
    await journal.append(second.line)
    const file = openFile(path)
    if (at !== null) damage(file, at)
    // Flip the line break behind the header: the first line is then lost with it.
    ids.push(...(at === 25 ? [second.id] : [first.id, second.id]))
    assert.equal(unfoldedDecisions(path).length, ids.length)
    await journal.close()
  }
  const decisions = stored()
  const fold = journalFolder({ journal: path, decisions })
  const { folded, damaged } = await fold()
  assert.deepEqual({ folded, damaged }, { folded: ids.length, damaged: 4 })
  assert.deepEqual(decisions.added.map(({ id }) => id).sort(), ids.sort())
  assert.deepEqual(await fold(), { folded: 0, torn: 0, damaged: 0 })
  assert.deepEqual(readdirSync(path), ["damaged"])
  assert.equal(filesSetAside(path).length, 4)
  for (const file of filesSetAside(path)) assert.equal(statSync(file).mode & 0o077, 0)
  assert.equal(deleteSetAside(path, at), 0)
  assert.equal(deleteSetAside(path), 4)
  assert.deepEqual(filesSetAside(path), [])
})

test("a worker goes on with a file whose beginning was damaged, which is set aside when it is closed", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const decisions = stored()
  const fold = journalFolder({ journal: path, decisions })
  await journal.append(made().line)
  const file = openFile(path)
  damage(file, 3)
  assert.deepEqual(await fold(), { folded: 1, torn: 0, damaged: 0 })
  await journal.append(made().line)
  assert.deepEqual(await fold(), { folded: 1, torn: 0, damaged: 0 })
  assert.ok(existsSync(file))
  await journal.close()
  assert.deepEqual(await fold(), { folded: 0, torn: 0, damaged: 1 })
  assert.equal(decisions.added.length, 2)
})

test("a file of anything, a place that is no file and a stray file stop no folding and none is deleted", async () => {
  const path = newDirectory()
  for (const [name, bytes] of [
    ["aaaa", Buffer.alloc(500)],
    ["bbbb", Buffer.alloc(500, 0xff)],
    ["cccc", Buffer.from("\n\n\n")],
    ["dddd", null],
  ] as const) {
    mkdirSync(join(path, name), { recursive: true })
    const file = join(path, name, "00000001.closed")
    if (bytes === null) mkdirSync(file)
    else writeFileSync(file, bytes)
  }
  writeFileSync(join(path, "stray"), "x")
  const journal = openJournal(path)
  const { id, line } = made()
  await journal.append(line)
  assert.deepEqual(
    unfoldedDecisions(path).map((each) => each.id),
    [id],
  )
  const decisions = stored()
  const { folded, damaged } = await journalFolder({ journal: path, decisions })()
  assert.deepEqual({ folded, damaged }, { folded: 1, damaged: 4 })
  assert.equal(filesSetAside(path).length, 4)
  await journal.close()
})

test("a line with a score that no model gives was not written in whole", () => {
  const { line } = made({ score: 100 })
  assert.equal(readJournalLine(line.slice(0, -1))?.score, 100)
  assert.equal(readJournalLine(line.replace("\t100\t", "\t900\t").slice(0, -1)), null)
  assert.equal(readJournalLine(line.replace("\t{", "\t{\t").slice(0, -1)), null)
})

test("a line that is damaged costs no line after it", async () => {
  const path = newDirectory()
  const journal = openJournal(path)
  const lines = Array.from({ length: 5 }, () => made())
  for (const { line } of lines) await journal.append(line)
  const file = openFile(path)
  const text = readFileSync(file, "latin1")
  damage(file, text.indexOf(lines[2]?.id ?? "") + 3)
  await journal.close()
  const decisions = stored()
  await journalFolder({ journal: path, decisions })()
  const there = decisions.added.map(({ id }) => id)
  for (const [i, { id }] of lines.entries()) if (i !== 2) assert.ok(there.includes(id))
})

test("a full disk refuses a decision in whole: what was acknowledged is there, nothing else is", async () => {
  const path = newDirectory()
  const child = spawnSync(
    "sh",
    [
      "-c",
      'ulimit -f 64; exec "$@"',
      "sh",
      process.execPath,
      "--conditions=source",
      import.meta.filename,
      "fill",
      path,
    ],
    { encoding: "utf8", env: { PATH: process.env["PATH"] } },
  )
  assert.equal(child.status, 0, child.stderr)
  const told = JSON.parse(child.stdout) as {
    acknowledged: string[]
    refused: number
  }
  assert.equal(told.refused, 2)
  assert.ok(told.acknowledged.length > 50, String(told.acknowledged.length))
  const decisions = stored()
  assert.deepEqual(await journalFolder({ journal: path, decisions })(), {
    folded: told.acknowledged.length,
    torn: 0,
    damaged: 0,
  })
  assert.deepEqual(
    decisions.added.map(({ id }) => id),
    told.acknowledged,
  )
})

test("a place that cannot be written is tried again the next second", async () => {
  const path = newDirectory()
  writeFileSync(path, "a file where the directory should be")
  const journal = openJournal(path)
  await assert.rejects(journal.append(made().line))
  rmSync(path)
  await assert.rejects(journal.append(made().line))
  await journal.keep()
  await journal.append(made().line)
  assert.equal(unfoldedDecisions(path).length, 1)
  await journal.close()
})
