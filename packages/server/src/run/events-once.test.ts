import assert from "node:assert/strict"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { newDecisionId } from "@assay/stores/decision-id"
import { decisionEventId, derivedEventId } from "@assay/stores/event-id"
import { openSqliteDecisions } from "@assay/stores/sqlite/decisions"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { emailInput } from "../../../core/testing/score/arbitrary-inputs-suite.ts"
import { auditKey } from "../../../stores/testing/audit-key.ts"
import { journalFolder } from "../decisions/fold.ts"
import { JOURNAL_HEADER, journalLine } from "../decisions/journal-line.ts"
import { type QueuedDecision, rowsAbout } from "../review/queued-decisions.ts"
import { reviewQueue } from "../review/review-queue.ts"
import { openModels } from "../score/models.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-events-once-"))
after(() => rmSync(folder, { recursive: true }))
const KINDS = ["decision.critical", "decision.review"] as const

test("a journal that was told before a crash is told once, also by a newer program than told it", async () => {
  const at = Date.now()
  const records = await openSqliteRecords({ file: join(folder, "records.sqlite"), auditKey })
  await records.migrate()
  const tenant = { name: "Acme", plan: "free", at, actor: "test" }
  const { id: tenantId } = await records.createTenant(tenant)
  const decisions = openSqliteDecisions(join(folder, "decisions"), assert.fail)

  const [older, current] = [newDecisionId(at), newDecisionId(at)]
  const line = (id: string): string =>
    journalLine(id, {
      ...{ identityType: "email", tenantId, keyId: "key_1", identityKey: new Uint8Array(16) },
      ...{ atMs: at, modelVersion: "1.1", input: { ...emailInput() }, requestId: null },
      ...{ score: 90, action: "block", stage: "ATTACKED", confidence: "high", shadow: null },
    })
  const [journal, copy] = [join(folder, "journal"), join(folder, "copy")]
  const files = { older: `assay decisions journal 2\n${line(older)}` }
  for (const [name, text] of Object.entries({
    ...files,
    current: JOURNAL_HEADER + line(current),
  })) {
    mkdirSync(join(journal, name), { recursive: true })
    writeFileSync(join(journal, name, "00000001.closed"), text)
  }
  cpSync(journal, copy, { recursive: true })

  let found: QueuedDecision[] = []
  const fold = async (): Promise<void> => {
    const toReview = reviewQueue({
      ...{ loadModels: () => openModels("/nowhere"), days: 90, now: () => at },
      async add(queued) {
        found = [...found, ...queued]
        const { reviews, events } = rowsAbout(queued)
        await records.addReviews(reviews, events)
      },
    })
    await journalFolder({ journal, decisions, toReview })()
  }
  const told = async (): Promise<string[]> => {
    const page = await records.eventsAfter({ tenantId, after: 0, kinds: KINDS, limit: 100 })
    return page.map(({ id }) => id).toSorted()
  }

  // What the older program had told by then, with ids of its own.
  const oldIds = KINDS.map((kind) => derivedEventId([kind, older]))
  const event = { tenantId, at, ref: null, identityKey: null, sealed: null, data: {} }
  await records.addEvents(KINDS.map((kind, n) => ({ ...event, kind, id: oldIds[n] ?? "" })))
  await fold()
  const wanted = [...oldIds, ...KINDS.map((kind) => decisionEventId(kind, current))].toSorted()
  assert.deepEqual(await told(), wanted)

  // And once more, as after a kill before the files were deleted.
  cpSync(copy, journal, { recursive: true })
  await fold()
  assert.equal(found.length, 4)
  assert.deepEqual(await told(), wanted)
  const filter = { tenantId, filter: {}, limit: 10 }
  assert.deepEqual(
    (await records.reviews(filter)).map(({ id }) => id).toSorted(),
    [older, current].toSorted(),
  )
  await decisions.close()
  await records.close()
})
