import assert from "node:assert/strict"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, test } from "node:test"
import { isDeepStrictEqual } from "node:util"

import { auditKey } from "../../testing/audit-key.ts"
import { CHAIN_START, headText, rowMac } from "../audit-chain.ts"
import { verifyAudit } from "../audit-verify.ts"
import { openSqliteRecords } from "./records.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
const folder = mkdtempSync(join(tmpdir(), "assay-audit-flips-"))
after(() => rmSync(folder, { recursive: true }))
const PAGE = 4096
const ROWS = 5
const MASKS = soak ? [1, 2, 4, 8, 16, 32, 64, 128, 255] : [1, 128]

test(`sqlite: any byte of any entry changed in the file is noticed, ${MASKS.length} ways each`, async () => {
  const file = join(folder, "whole.db")
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  for (let n = 1; n <= ROWS; n++) {
    await records.addAudit({
      at: Date.UTC(2026, 2, n),
      actor: "shell:ada",
      action: "key.revoke",
      subject: `key:canary-${n}`,
      detail: { n },
      requestId: n % 2 === 0 ? `request-${n}` : null,
      tenantId: n % 2 === 0 ? null : n,
    })
  }
  await records.close()
  const whole = readFileSync(file)
  const cells = cellsOf(whole)
  assert.equal(cells.length, ROWS)

  const copy = join(folder, "changed.db")
  copyFileSync(file, copy)
  const entries = rowsOf(file)
  let [changed, unnamed, unread] = [0, 0, 0]
  for (const [index, { from, to }] of cells.entries())
    for (let at = from; at < to; at++)
      for (const mask of MASKS) {
        const bytes = Buffer.from(whole)
        bytes[at] = (bytes[at] ?? 0) ^ mask
        writeFileSync(copy, bytes)
        const faults = await faultsOf(copy)
        if (faults.length === 0 && isDeepStrictEqual(rowsOf(copy), entries)) {
          unread++
          continue
        }
        const place = `byte ${at} of entry ${index + 1}, mask ${mask}`
        assert.ok(faults.length > 0, `${place}: nothing found`)
        changed++
        // A byte of a row's length or number can hide the row, or put it elsewhere.
        if (!faults.includes(index + 1)) unnamed++
      }
  // SQLite keeps the number of a row apart and skips its column, whose type may then be any of two.
  assert.ok(unread <= ROWS, `${unread} changes are not read by anybody`)
  assert.ok(changed > ROWS * 80 * MASKS.length, String(changed))
  assert.ok(unnamed < changed * 0.1, `${unnamed} of ${changed} did not name the very entry`)
  assert.deepEqual(await faultsOf(file), [])
})

/** The entries as SQLite reads them. */
function rowsOf(file: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db.prepare("select * from audit order by 1").all()
  } finally {
    db.close()
  }
}

/** The entries that are named; [0] where the database as a whole is refused. */
async function faultsOf(file: string): Promise<number[]> {
  const records = await openSqliteRecords({ file, readOnly: true }).catch(() => null)
  if (records === null) return [0]
  try {
    return (await verifyAudit(records, auditKey, [])).faults.map(({ row }) => row)
  } catch {
    return [0]
  } finally {
    await records.close()
  }
}

/** Where the cells of the trail's one page are in the file, in the order of their rows. */
function cellsOf(file: Buffer): { from: number; to: number }[] {
  const marked = file.indexOf("key:canary-1")
  const page = Math.floor(marked / PAGE) * PAGE
  assert.equal(file[page], 13, "a leaf of a table")
  const count = file.readUInt16BE(page + 3)
  const starts = Array.from({ length: count }, (_, n) => page + file.readUInt16BE(page + 8 + 2 * n))
  // Rows were only added, so each cell ends where the one before it begins.
  return starts.map((from, n) => ({ from, to: starts[n - 1] ?? page + PAGE }))
}

const LARGE = soak ? 1_000_000 : 20_000

test(`sqlite: ${LARGE} entries are verified in bounded memory`, async () => {
  const file = join(folder, "large.db")
  const records = await openSqliteRecords({ file, auditKey })
  await records.migrate()
  const database = new DatabaseSync(file)
  const insert = database.prepare(
    "insert into audit (id, at, actor, action, subject, detail, mac) values (?, ?, ?, ?, ?, ?, ?)",
  )
  let head = CHAIN_START
  database.exec("begin")
  for (let id = 1; id <= LARGE; id++) {
    const [actor, action, subject, detail] = ["shell:ada", "source.retitle", `source:${id}`, "{}"]
    const row = { id, at: id, actor, action, subject, detail, tenant_id: null, request_id: null }
    head = { seq: id, mac: rowMac(auditKey, head.mac, row) }
    insert.run(id, id, actor, action, subject, detail, head.mac)
  }
  database.prepare("update meta set value = ? where name = 'audit_head'").run(headText(head))
  database.exec("commit")
  database.close()

  let most = 0
  const before = process.memoryUsage().rss
  const { rows, faults } = await verifyAudit(records, auditKey, [], () => {
    most = Math.max(most, process.memoryUsage().rss)
  })
  assert.deepEqual([rows, faults], [LARGE, []])
  assert.ok(most - before < 200 * 2 ** 20, `${Math.round((most - before) / 2 ** 20)} MiB more`)
  await records.close()
})
