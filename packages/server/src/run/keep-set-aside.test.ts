import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openLog } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { filesSetAside } from "../decisions/journal-files.ts"
import { keepSetAside } from "./keep-set-aside.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-set-aside-"))
const records = await openSqliteRecords({
  file: join(directory, "records.sqlite"),
  auditKey: Buffer.alloc(32, 7),
})
await records.migrate()
after(async () => {
  await records.close()
  rmSync(directory, { recursive: true })
})

const NOW = Date.UTC(2026, 10, 18)

/** A journal with damaged files that were last written at these moments. */
function journalOf(name: string, written: readonly number[]): string {
  const journal = join(directory, name)
  mkdirSync(join(journal, "damaged"), { recursive: true })
  for (const [n, at] of written.entries()) {
    const path = join(journal, "damaged", `worker-${n}`)
    writeFileSync(path, "unreadable")
    utimesSync(path, at / 1000, at / 1000)
  }
  return journal
}

function keep(t: TestContext, journal: string): void {
  const log = openLog("error")
  const kept = keepSetAside({ journal, records, days: 30, now: () => NOW, log, everyMs: 5 })
  t.after(() => kept.stop())
}

async function until(count: number, journal: string): Promise<void> {
  for (let n = 0; filesSetAside(journal).length !== count; n++) {
    assert.ok(n < 2000, `${filesSetAside(journal).length}`)
    await delay(10)
  }
}

async function erased(at: number): Promise<void> {
  await records.eraseSubject({
    ...{ identityKey: new Uint8Array(16), identityType: "email", tenantId: null },
    ...{ reason: "incident", reference: null, actor: "another node", at },
  })
}

test("damaged journal files stay for a person to look at, until they are as old as decisions may be", async (t) => {
  const journal = journalOf("old", [NOW - 31 * DAY_MS, NOW - 29 * DAY_MS])
  await erased(NOW - 30 * DAY_MS)
  keep(t, journal)
  await until(1, journal)
  await delay(30)
  assert.deepEqual(filesSetAside(journal), [join(journal, "damaged", "worker-1")])
})

test("an erasure by any node deletes the damaged files that may hold the person, also behind many entries", async (t) => {
  const journal = journalOf("erased", [NOW - HOUR_MS])
  keep(t, journal)
  await delay(30)
  assert.equal(filesSetAside(journal).length, 1)
  await erased(NOW)
  for (let n = 0; n < 1100; n++)
    await records.addAudit({
      at: NOW,
      actor: "somebody",
      action: "key.create",
      subject: "key:k",
      detail: {},
    })
  await until(0, journal)
})
