import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"
import { startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, createKey } from "./assay.ts"

const directory = temporaryDirectory()
const data = join(directory, "data")
const env = { ASSAY_DATA: data }
const file = join(data, "records.sqlite")
const heads = `${data}.audit-heads`

const UNLOCK = "drop trigger if exists audit_kept; drop trigger if exists audit_kept_as_is;"
function execute(...statements: string[]): void {
  const database = new DatabaseSync(file)
  for (const statement of [UNLOCK, ...statements]) database.exec(statement)
  // As if the file itself had been edited: what is in the log would win over it.
  database.exec("pragma wal_checkpoint(truncate)")
  database.close()
}

test("before a service was started there is nothing to verify", async () => {
  const { code, err } = await assay(["audit", "verify"], env)
  assert.deepEqual([code, err], [1, `assay: No service was ever started on ${data}\n`])
})

test("a trail is proven up to its newest head; what is changed, removed, moved or cut is named", async () => {
  const service = await startService({ dataDirectory: data })
  await createKey({ dataDirectory: data }, "--tenant", "shop")
  // Beside a running service, without its help.
  const beside = await assay(["audit", "verify"], env)
  assert.equal(beside.code, 0, beside.err)
  assert.equal(await service.stop(), 0)
  const whole = await assay(["audit", "verify"], env)
  assert.equal(whole.code, 0, whole.err)
  assert.match(
    whole.out,
    /^(\d+) entries up to \1 are as they were written, and none is missing\.\nUp to \1 that is proven by the head of \d{4}-[-\dT:.]+Z in .*\.audit-heads\n$/,
  )
  const last = Number(/^\d+/.exec(whole.out)?.[0])
  assert.ok(last >= 4, whole.out)
  const before = readFileSync(file)

  const named = async (fault: RegExp, ...statements: string[]): Promise<void> => {
    execute(...statements)
    const { code, out, err } = await assay(["audit", "verify"], env)
    assert.equal(code, 1, out)
    assert.match(out, fault)
    assert.match(err, /^assay: \d+ faults? found\n$/)
    writeFileSync(file, before)
  }
  await named(
    /^fault {2}entry 2 is not as it was written/,
    "update audit set actor = 'shell:eve' where id = 2",
  )
  await named(/^fault {2}entry 3 is missing\n$/, "delete from audit where id = 3")
  await named(
    /entry 2 is not as it was written[^]*entry 3 is not as it was written/,
    "update audit set id = 99 where id = 2",
    "update audit set id = 2 where id = 3",
    "update audit set id = 3 where id = 99",
  )
  const short = new DatabaseSync(file, { readOnly: true })
  const third = short.prepare("select lower(hex(mac)) as mac from audit where id = 3").get()
  short.close()
  await named(
    /^fault {2}(entry 4 is|entries 4 to \d+ are) missing: at \d{4}-.* the trail went up to \d+\n/,
    "delete from audit where id > 3",
    `update meta set value = '3:${String(third?.["mac"])}' where name = 'audit_head'`,
  )
  await named(/^fault {2}entries 1 to \d+ are missing\n/, "delete from audit")

  // One byte of the file itself.
  const at = before.indexOf("key.create")
  assert.ok(at > 0)
  const changed = Buffer.from(before)
  changed[at] = (changed[at] ?? 0) ^ 1
  writeFileSync(file, changed)
  const flipped = await assay(["audit", "verify"], env)
  assert.equal(flipped.code, 1)
  assert.match(flipped.out, /^fault {2}entry \d+ is not as it was written/)
  writeFileSync(file, before)

  // Lines that this secret has not sealed prove nothing, and are told.
  const lines = readFileSync(heads, "utf8")
  writeFileSync(heads, lines.replaceAll(/"seq":\d+/g, '"seq":999'))
  const forged = await assay(["audit", "verify"], env)
  assert.equal(forged.code, 0)
  assert.match(forged.err, /^\d+ lines of .* are damaged, or of another secret: not used\n$/)
  assert.match(forged.out, /There is no head in/)
  writeFileSync(heads, lines)
})

test("a restored backup is a trail as whole as it was, and verify says what was given up", async () => {
  const folder = join(directory, "backup")
  assert.equal((await assay(["backup", folder], env)).code, 0)
  const after = await assay(["keys", "create", "--service", "--scopes", "audit:admin"], env)
  assert.equal(after.code, 0, after.err)
  const service = await startService({ dataDirectory: data })
  await service.stop()
  const copy = {
    ASSAY_DATA: join(directory, "restored"),
    ASSAY_SECRET_FILE: join(data, "secret"),
    ASSAY_TOMBSTONES: `${data}.tombstones`,
    // The heads of the service that is replaced: they know of entries that the backup lacks.
    ASSAY_AUDIT_HEADS: heads,
  }
  const restored = await assay(["restore", folder], copy)
  assert.equal(restored.code, 0, restored.err)
  const verified = await assay(["audit", "verify"], copy)
  assert.equal(verified.code, 0, verified.out + verified.err)
  assert.match(verified.out, /A backup was restored at .*; what came after entry \d+ was given up/)
  const { out } = await assay(["audit", "list", "--limit", "1"], copy)
  assert.match(out, /shell:\S+ +backup\.restore +service/)
})
