import assert from "node:assert/strict"
import { aloneTurns } from "../http/alone-turns.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, type TestContext, test } from "node:test"
import { openLog } from "@assay/runtime/log"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { verifyAudit } from "@assay/stores/audit-verify"
import type { Records } from "@assay/stores/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { readHeads } from "./heads-file.ts"
import { keepHeads } from "./keep-heads.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-keep-heads-"))
after(() => rmSync(folder, { recursive: true }))
const key = new Uint8Array(32).fill(3)
let made = 0

interface Place {
  readonly records: Records
  readonly database: string
  readonly file: string
  readonly lines: string[]
  readonly options: Parameters<typeof keepHeads>[0]
}

async function place(t: TestContext, now: () => number): Promise<Place> {
  const name = join(folder, String(++made))
  const database = `${name}.sqlite`
  const records = await openSqliteRecords({ file: database, auditKey: key })
  await records.migrate()
  t.after(() => records.close())
  const lines: string[] = []
  const log = openLog("info", { write: (line: string) => void lines.push(line) })
  const file = `${name}.heads`
  const turns = aloneTurns(records)
  const options = { records, key, file, syslog: null, days: 0, host: "test", now, turns, log }
  return { records, database, file, lines, options }
}

const done = (at: number) => ({ at, actor: "shell:a", action: "x", subject: "y", detail: {} })

test("a head is written at the start, every hour and at the stop, and sent where set", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] })
  const start = Date.UTC(2026, 2, 1)
  const { records, file, options } = await place(t, () => start)
  const server = createSocket("udp4").bind(0, "127.0.0.1")
  await once(server, "listening")
  t.after(() => server.close())
  const sent: string[] = []
  server.on("message", (message: Buffer) => sent.push(message.toString()))
  const syslog = { protocol: "udp", host: "127.0.0.1", port: server.address().port } as const
  const seqs = async (): Promise<number[]> =>
    (await readHeads(file, key)).heads.map(({ seq }) => seq)
  const until = async (what: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < 3_000 && !(await what()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 10))
  }

  const heads = await keepHeads({ ...options, syslog })
  assert.deepEqual(await seqs(), [0])
  await records.addAudit(done(start))
  t.mock.timers.tick(HOUR_MS - 1)
  assert.deepEqual(await seqs(), [0])
  t.mock.timers.tick(1)
  await until(async () => (await seqs()).length === 2)
  assert.deepEqual(await seqs(), [0, 1])
  await records.addAudit(done(start))
  await heads.stop()
  assert.deepEqual(await seqs(), [0, 1, 2])
  await until(async () => sent.length === 3)
  assert.match(sent[2] ?? "", /^<109>1 2026-03-01T00:00:00\.000Z test assay - audit-head - \{"at":/)
  assert.match(sent[2] ?? "", /"seq":2,"mac":"[0-9a-f]{64}","seal":"[0-9a-f]{64}"\}$/)
})

test("old entries go at the start, with a head that still proves the rest", async (t) => {
  const now = Date.UTC(2026, 10, 1)
  const { records, file, lines, options } = await place(t, () => now)
  for (const days of [500, 401, 400.1, 399, 1]) await records.addAudit(done(now - days * DAY_MS))
  await (await keepHeads({ ...options, days: 400 })).stop()
  const { heads } = await readHeads(file, key)
  const report = await verifyAudit(records, key, heads)
  assert.deepEqual([report.faults, report.rows, report.cutThrough], [[], 3, 3])
  // The next start finds nothing to remove and nothing wrong.
  await (await keepHeads({ ...options, days: 400 })).stop()
  assert.equal((await records.audit({ limit: 9 })).length, 3)
  assert.deepEqual(lines, [])
  // All of it may be older than the newest head that was written.
  await (await keepHeads({ ...options, days: 400, now: () => now + 900 * DAY_MS })).stop()
  assert.deepEqual(lines, [])
})

test("a start after the tail was cut says so, and one after nothing happened does not", async (t) => {
  const { records, database, lines, options } = await place(t, () => 1)
  for (let n = 0; n < 5; n++) await records.addAudit(done(n))
  const [third] = await records.auditLinks({ after: 2, limit: 1 })
  await (await keepHeads(options)).stop()
  await (await keepHeads(options)).stop()
  assert.deepEqual(lines, [])
  const direct = new DatabaseSync(database)
  direct.exec("drop trigger audit_kept; delete from audit where id > 3")
  const head = `3:${Buffer.from(third?.mac ?? []).toString("hex")}`
  direct.prepare("update meta set value = ? where name = 'audit_head'").run(head)
  direct.close()
  await (await keepHeads(options)).stop()
  assert.match(lines.join(""), /^[^\n]*audit trail does not agree with its newest head[^\n]*\n$/)
})

test("a file of heads that cannot be written ends the start", async (t) => {
  const { options } = await place(t, () => 1)
  const file = join(folder, "nowhere", "heads")
  await assert.rejects(keepHeads({ ...options, file }), /ASSAY_AUDIT_HEADS/)
})
