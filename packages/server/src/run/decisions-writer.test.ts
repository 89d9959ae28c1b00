import assert from "node:assert/strict"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test, type TestContext } from "node:test"
import { newDecisionId } from "@assay/stores/decision-id"
import type { FoldedDecision } from "../decisions/fold.ts"
import { openJournal } from "../decisions/journal.ts"
import { journalLine } from "../decisions/journal-line.ts"
import type { DecisionsWriter } from "./ports.ts"
import { openDecisionsWriter } from "./store-writers.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-decisions-writer-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const NOTHING = { folded: 0, torn: 0, damaged: 0 }
const at = Date.UTC(2026, 10, 18, 12)
const identityKey = Uint8Array.from({ length: 16 }, (_, n) => n)

interface Opened {
  readonly writer: DecisionsWriter
  readonly journal: string
  readonly folded: FoldedDecision[]
  /** The thread makes its folder when it starts, and nobody else does. */
  hasThread(): boolean
}

let directories = 0
function open(t: TestContext, dataDirectory = join(folder, String(++directories))): Opened {
  const journal = join(dataDirectory, "journal")
  const folded: FoldedDecision[] = []
  const writer = openDecisionsWriter({
    place: { dataDirectory, databaseUrl: null },
    journal,
    models: join(dataDirectory, "models"),
    reviewDays: 0,
    onFolded: async (decisions) => void folded.push(...decisions),
    addQueued: async () => undefined,
    moveFailed: (code) => assert.fail(code),
  })
  t.after(() => writer.close().catch(() => undefined))
  return { writer, journal, folded, hasThread: () => existsSync(join(dataDirectory, "decisions")) }
}

async function decide(journal: string): Promise<void> {
  const worker = openJournal(journal)
  await worker.append(
    journalLine(newDecisionId(at), {
      identityType: "email",
      tenantId: 3,
      keyId: "key_1",
      identityKey,
      atMs: at,
      modelVersion: "1.0",
      input: { as_of: "2026-11-18", checked: { sources: 2 } },
      requestId: null,
      score: 17,
      action: "allow",
      stage: "CLEAN",
      confidence: "low",
      shadow: null,
    }),
  )
  await worker.close()
}

test("a service that has decided nothing has no thread for decisions, and gets one with the first", async (t) => {
  const { writer, journal, folded, hasThread } = open(t)
  assert.deepEqual(await writer.fold(), NOTHING)
  assert.equal(await writer.forgetBefore("2026-11-18"), 0)
  assert.deepEqual(await writer.fold(), NOTHING)
  assert.equal(hasThread(), false)
  await decide(journal)
  assert.deepEqual(await writer.fold(), { ...NOTHING, folded: 1 })
  assert.deepEqual(
    folded.map(({ tenantId, atMs }) => ({ tenantId, atMs })),
    [{ tenantId: 3, atMs: at }],
  )
  assert.equal(await writer.forgetBefore("2026-11-19"), 1)
})

test("a thread that starts while workers run leaves the journal that one of them is making", async (t) => {
  const { writer, journal } = open(t)
  await writer.fold()
  await decide(journal)
  mkdirSync(join(journal, ".made-now"))
  assert.deepEqual(await writer.fold(), { ...NOTHING, folded: 1 })
  assert.deepEqual(readdirSync(journal), [".made-now"])
})

test("journals that an earlier service left are folded and tidied before workers begin", async (t) => {
  const { writer, journal } = open(t)
  await decide(journal)
  mkdirSync(join(journal, ".left-behind"))
  assert.deepEqual(await writer.fold(), { ...NOTHING, folded: 1 })
  assert.deepEqual(readdirSync(journal), [])
})

test("what an earlier service stored is forgotten by one that has decided nothing", async (t) => {
  const dataDirectory = join(folder, "stored")
  const earlier = open(t, dataDirectory)
  await decide(earlier.journal)
  await earlier.writer.fold()
  await earlier.writer.close()
  const { writer } = open(t, dataDirectory)
  assert.deepEqual(await writer.fold(), NOTHING)
  assert.equal(await writer.forgetBefore("2026-11-19"), 1)
})

test("an erasure looks for decisions in any case", async (t) => {
  const { writer, hasThread } = open(t)
  await writer.fold()
  const erased = await writer.eraseIdentity({ tenantId: null, identityKey, upTo: at })
  assert.equal(erased, 0)
  assert.equal(hasThread(), true)
})
