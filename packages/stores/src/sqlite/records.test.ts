import assert from "node:assert/strict"
import {
  copyFileSync,
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
import { DatabaseSync } from "node:sqlite"

import { type CopiedDatabase, recordsCopySuite } from "../../testing/records-copy-suite.ts"
import { recordsAuditSuite } from "../../testing/records-audit-suite.ts"
import { recordsFeedbackSuite } from "../../testing/records-feedback-suite.ts"
import { recordsSubjectsSuite } from "../../testing/records-subjects-suite.ts"
import { recordsEventsSuite } from "../../testing/records-events-suite.ts"
import { recordsEvidenceSuite } from "../../testing/records-evidence-suite.ts"
import { recordsMigrationSuite } from "../../testing/records-migration-suite.ts"
import { recordsOutsideSuite } from "../../testing/records-outside-suite.ts"
import { recordsPeopleSuite } from "../../testing/records-people-suite.ts"
import { recordsSignUpsSuite } from "../../testing/records-signups-suite.ts"
import { recordsPoliciesSuite } from "../../testing/records-policies-suite.ts"
import { recordsReviewSuite } from "../../testing/records-review-suite.ts"
import { recordsViewsSuite } from "../../testing/records-views-suite.ts"
import { recordsWatchSuite } from "../../testing/records-watch-suite.ts"
import { recordsShadowsSuite } from "../../testing/records-shadows-suite.ts"
import { recordsSharedSignalsSuite } from "../../testing/records-shared-signals-suite.ts"
import { recordsNodesSuite } from "../../testing/records-nodes-suite.ts"
import { recordsSinksSuite } from "../../testing/records-sinks-suite.ts"
import { recordsProviderCostsSuite } from "../../testing/records-provider-costs-suite.ts"
import { newKey, recordsSuite, refusedAs, type TestDatabase } from "../../testing/records-suite.ts"
import { auditKey } from "../../testing/audit-key.ts"
import type { Records } from "../records.ts"
import { copySqliteRecords, openSqliteRecords } from "./records.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-records-"))
after(() => rmSync(folder, { recursive: true }))

let files = 0
const newFile = (): string => join(folder, `records-${++files}.db`)
const at = Date.UTC(2026, 2, 1)
const acme = { name: "Acme", plan: "free", at, actor: "test" }

async function migrated(file: string): Promise<Records> {
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  return records
}

function execute(file: string, statement: string): void {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

const databaseIn = (file: string): TestDatabase => ({
  open: (use) => openSqliteRecords({ file, auditKey, ...use }),
  execute: async (statement) => execute(file, statement),
})

async function emptyDatabase(): Promise<TestDatabase> {
  return databaseIn(newFile())
}

/** With the tables already, for tests that are not about making them. */
async function newDatabase(): Promise<TestDatabase> {
  const file = newFile()
  copyFileSync(await (tables ??= fileOfTables()), file)
  return databaseIn(file)
}

let tables: Promise<string> | undefined
async function fileOfTables(): Promise<string> {
  const file = newFile()
  await (await migrated(file)).close()
  return file
}

recordsSuite("sqlite", newDatabase, emptyDatabase)
recordsFeedbackSuite("sqlite", newDatabase)
recordsSubjectsSuite("sqlite", newDatabase)

async function copiedDatabase(): Promise<CopiedDatabase> {
  const file = newFile()
  return {
    open: () => openSqliteRecords({ file, auditKey }),
    copy: () => copySqliteRecords({ file, readOnly: false, auditKey }),
  }
}
recordsCopySuite("sqlite", copiedDatabase, copiedDatabase)
recordsEvidenceSuite("sqlite", newDatabase)
recordsEventsSuite("sqlite", newDatabase)
recordsMigrationSuite("sqlite", async () => {
  const file = newFile()
  return {
    open: () => openSqliteRecords({ file, auditKey }),
    copy: () => copySqliteRecords({ file, readOnly: false, auditKey }),
    execute: async (statement) => execute(file, statement),
    spelling: {
      integer: "integer",
      text: "text",
      bytes: "blob",
      tableEnd: "strict",
      openAudit: "drop trigger audit_kept; drop trigger audit_kept_as_is;",
      hex: (bytes) => `x'${Buffer.from(bytes).toString("hex")}'`,
    },
  }
})
recordsProviderCostsSuite("sqlite", newDatabase)
recordsPoliciesSuite("sqlite", newDatabase)
recordsPeopleSuite("sqlite", newDatabase)
recordsSignUpsSuite("sqlite", newDatabase)
recordsReviewSuite("sqlite", newDatabase)
recordsViewsSuite("sqlite", newDatabase)
recordsWatchSuite("sqlite", newDatabase)
recordsSharedSignalsSuite("sqlite", newDatabase)
recordsSinksSuite("sqlite", newDatabase)
recordsNodesSuite("sqlite", newDatabase)
recordsAuditSuite("sqlite", newDatabase, "drop trigger audit_kept; drop trigger audit_kept_as_is;")
recordsShadowsSuite("sqlite", newDatabase)
recordsOutsideSuite("sqlite", newDatabase)

test("sqlite: nobody but the owner may read the file or its log", async () => {
  const file = newFile()
  writeFileSync(file, "", { mode: 0o644 })
  const records = await migrated(file)
  await records.createTenant(acme)
  const modes = [file, `${file}-wal`, `${file}-shm`].map((name) => statSync(name).mode & 0o777)
  assert.deepEqual(modes, [0o600, 0o600, 0o600])
  await records.close()
})

test("sqlite: a forgotten identity is in none of the files, while open and after", async () => {
  const file = newFile()
  const records = await migrated(file)
  const { id: tenantId } = await records.createTenant(acme)
  const holds = (canary: string): boolean =>
    readdirSync(folder)
      .filter((name) => join(folder, name).startsWith(file))
      .some((name) => readFileSync(join(folder, name)).includes(canary))

  // Enough to fill pages beside the canary, so that deleting it also frees and moves whole pages.
  const tags = Array.from({ length: 2_000 }, (_, index) => Buffer.from(`f${index}`.padEnd(8)))
  const of = (day: string, tag: Uint8Array) => ({ day, tenantId, tag })
  await records.addDailyIdentities(tags.map((tag) => of("2026-03-01", tag)))
  await records.addDailyIdentities([of("2026-03-01", Buffer.from("CANARY-1"))])
  await records.addDailyIdentities([of("2026-03-02", Buffer.from("CANARY-2"))])
  assert.ok(holds("CANARY-1"))

  assert.equal(await records.forgetDailyIdentities("2026-03-02"), 2_001)
  assert.ok(!holds("CANARY-1"))
  assert.ok(holds("CANARY-2"))
  await records.close()
  assert.ok(!holds("CANARY-1"))
  assert.ok(holds("CANARY-2"))
})

test("sqlite: an opening for reading reads what is written meanwhile and refuses writes", async () => {
  const file = newFile()
  const writer = await migrated(file)
  const reader = await openSqliteRecords({ file, readOnly: true })
  await writer.checkKeyCheckValue("secret")
  const tenant = await writer.createTenant(acme)
  assert.deepEqual(await reader.tenants(), [tenant])
  await reader.ping()
  await reader.checkKeyCheckValue("secret")
  await assert.rejects(reader.checkKeyCheckValue("other"), refusedAs("wrong-secret"))

  await assert.rejects(reader.createTenant({ ...acme, name: "B" }), refusedAs("read-only"))
  await assert.rejects(reader.createKey(newKey("k1")), refusedAs("read-only"))
  await writer.createKey(newKey("k2"))
  await assert.rejects(
    reader.addUsage([{ keyId: "k2", day: "2026-03-01", operation: "email", count: 1 }]),
    refusedAs("read-only"),
  )
  await assert.rejects(reader.forgetDailyIdentities("2026-03-01"), refusedAs("read-only"))
  assert.deepEqual(await writer.tenants(), [tenant])
  await reader.close()
  await writer.close()

  const alone = await openSqliteRecords({ file, readOnly: true })
  assert.deepEqual(await alone.tenants(), [tenant])
  await alone.close()
  await assert.rejects(
    openSqliteRecords({ file: newFile(), readOnly: true }),
    refusedAs("unavailable"),
  )
})

test("sqlite: without the key of the audit trail nothing that is noted is changed, and the rest is", async () => {
  const file = newFile()
  const records = await migrated(file)
  await records.createKey(newKey("k1"))
  await records.close()
  const keyless = await openSqliteRecords({ file })
  await keyless.migrate()
  await assert.rejects(keyless.createTenant(acme), refusedAs("read-only"))
  const entry = { at, actor: "test", action: "a", subject: "b", detail: {} }
  await assert.rejects(keyless.addAudit(entry), refusedAs("read-only"))
  await keyless.addUsage([{ keyId: "k1", day: "2026-03-01", operation: "email", count: 1 }])
  assert.deepEqual(await keyless.tenants(), [])
  assert.equal((await keyless.audit({ limit: 9 })).length, 1)
  await keyless.close()
})

test("sqlite: a file that is no database is refused and left as it was", async () => {
  const file = newFile()
  const text = "not a database ".repeat(500)
  writeFileSync(file, text)
  await assert.rejects(openSqliteRecords({ file, auditKey }), refusedAs("unavailable"))
  assert.equal(readFileSync(file, "utf8"), text)
})

test("sqlite: a write waits for another process's transaction without stopping this one", async () => {
  const file = newFile()
  const records = await migrated(file)
  const other = new DatabaseSync(file)
  other.exec("begin immediate")
  let done = false
  const writing = records.createTenant(acme).then(() => (done = true))
  // Only a free event loop gets from here to the commit that the write is waiting for.
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(done, false)
  other.exec("commit")
  other.close()
  await writing
  assert.equal((await records.tenants()).length, 1)
  await records.close()
})
