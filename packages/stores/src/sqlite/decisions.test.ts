import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, test } from "node:test"

import { DAY_MS } from "@assay/runtime/time"
import { decisionsSuite, newDecision } from "../../testing/decisions-suite.ts"
import { refusedAs } from "../../testing/records-suite.ts"
import { openSqliteDecisions, readSqliteDecisions } from "./decisions.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-decisions-"))
after(() => rmSync(folder, { recursive: true }))

let directories = 0
const newDirectory = (): string => join(folder, String(++directories))
const holds = (directory: string, canary: Uint8Array): boolean =>
  readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(canary))

decisionsSuite("sqlite", async () => {
  const directory = newDirectory()
  return async () => openSqliteDecisions(directory)
})

test("sqlite: a reader sees what the writer adds, makes no file and holds none open", async () => {
  const directory = newDirectory()
  const reader = readSqliteDecisions(directory)
  const first = newDecision()
  assert.equal(await reader.find(first.id), null)
  const writer = openSqliteDecisions(directory)
  assert.equal(await reader.find(first.id), null)
  assert.deepEqual(readdirSync(directory), [])
  await writer.add([first])
  assert.deepEqual(await reader.find(first.id), first)
  assert.deepEqual(await reader.list({ tenantId: 1, limit: 1 }), [first])
  // A month that goes and comes back is another file.
  const again = newDecision()
  await writer.forgetBefore("2026-12-01")
  assert.equal(await reader.find(first.id), null)
  await writer.add([again])
  assert.deepEqual(await reader.find(again.id), again)
  await writer.close()
  assert.deepEqual(await reader.find(again.id), again)
})

test("sqlite: blocks of before, which tell no pairs, are found by an action and a band", async () => {
  const directory = newDirectory()
  const writer = openSqliteDecisions(directory)
  const blocked = newDecision({ action: "block", score: 90 })
  await writer.add([blocked, newDecision({ score: 3 })])
  await writer.close()
  const file = new DatabaseSync(join(directory, "2026-11.sqlite"))
  file.exec(`update blocks set outcomes = (
    select json_group_array(json(value)) from json_each(outcomes) where type = 'array'
  )`)
  assert.doesNotMatch(String(file.prepare("select outcomes from blocks").get()?.["outcomes"]), /\|/)
  file.close()
  const reader = readSqliteDecisions(directory)
  const of = { tenantId: 1, limit: 9, scores: [80, 100] as const }
  assert.deepEqual(await reader.list({ ...of, action: "block" }), [blocked])
  assert.deepEqual(await reader.list({ ...of, action: "allow" }), [])
  await reader.close()
})

test("sqlite: nobody but the owner may read the files, and each month has its own", async () => {
  const directory = newDirectory()
  const decisions = openSqliteDecisions(directory)
  await decisions.add([newDecision(), newDecision({ at: Date.UTC(2026, 8, 30) })])
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  const names = readdirSync(directory)
  for (const name of names) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
  assert.deepEqual(
    names.filter((name) => name.endsWith(".sqlite")),
    ["2026-09.sqlite", "2026-11.sqlite"],
  )
  await decisions.close()
})

test("sqlite: what was forgotten or erased is in none of the files", async () => {
  const directory = newDirectory()
  const decisions = openSqliteDecisions(directory)
  const at = Date.UTC(2026, 10, 20)
  const [forgotten, erased, kept] = [
    "forgotten-------",
    "erased----------",
    "kept------------",
  ].map((text) => new Uint8Array(Buffer.from(text))) as [Uint8Array, Uint8Array, Uint8Array]
  const many = Array.from({ length: 500 }, (_, n) => newDecision({ at: at - 5 * DAY_MS + n }))
  await decisions.add([
    newDecision({ at: at - 5 * DAY_MS, identityKey: forgotten }),
    ...many,
    newDecision({ at: at - 60 * DAY_MS, identityKey: forgotten }),
    newDecision({ at, identityKey: erased }),
    newDecision({ at, identityKey: kept }),
  ])
  assert.ok(holds(directory, forgotten) && holds(directory, erased))
  assert.equal(await decisions.forgetBefore("2026-11-20"), 502)
  assert.equal(await decisions.eraseIdentity({ identityKey: erased, tenantId: null, upTo: at }), 1)
  assert.ok(!holds(directory, forgotten) && !holds(directory, erased))
  assert.ok(holds(directory, kept))
  await decisions.close()
  assert.ok(!holds(directory, forgotten) && !holds(directory, erased))
})

test("sqlite: an identity erased among many is in none of the files, nor is what was forgotten", async () => {
  const directory = newDirectory()
  const decisions = openSqliteDecisions(directory)
  const at = Date.UTC(2026, 10, 20)
  const [forgotten, erased] = ["forgotten-------", "erased----------"].map((text) =>
    Buffer.from(text),
  ) as [Buffer, Buffer]
  const text = "canary of an input"
  const input = (canary: string): string => `{"text":"${canary}","rest":"${"x".repeat(1_000)}"}`
  // Enough for several runs of the identities of many blocks, and for blocks that are in none.
  const many = Array.from({ length: 20_000 }, (_, n) => {
    const identityKey = new Uint8Array(randomBytes(16))
    if (n % 1_999 === 0) identityKey.set(erased)
    if (n % 1_997 === 0 && n < 5_000) identityKey.set(forgotten)
    const canary = n % 1_999 === 0 || n % 1_997 === 0 ? text : "of others"
    const daysAgo = n < 5_000 ? 2 : 0
    return newDecision({ at: at - daysAgo * DAY_MS + n, identityKey, input: input(canary) })
  })
  for (let from = 0; from < many.length; from += 3_000)
    await decisions.add(many.slice(from, from + 3_000))
  // Comes late, so its block is written anew.
  await decisions.add([
    newDecision({ at: at + 9_000, identityKey: new Uint8Array(erased), input: input(text) }),
  ])
  const identityKey = new Uint8Array(erased)
  assert.equal((await decisions.ofIdentity({ identityKey, tenantId: null, limit: 99 })).length, 11)
  const prefixes = [forgotten, erased].map((key) => key.subarray(0, 8))
  for (const canary of [forgotten, erased, ...prefixes, Buffer.from(text)])
    assert.ok(holds(directory, canary))

  assert.equal(await decisions.forgetBefore("2026-11-20"), 5_000)
  const upTo = at + DAY_MS
  const left = many.filter((each) => each.at >= at)
  const mine = left.filter((each) => erased.equals(each.identityKey))
  assert.equal(
    await decisions.eraseIdentity({ identityKey, tenantId: null, upTo }),
    mine.length + 1,
  )
  const others = many.filter(
    (each) => each.at >= at && each.input.includes(text) && !erased.equals(each.identityKey),
  )
  for (const each of others)
    await decisions.eraseIdentity({ identityKey: each.identityKey, tenantId: null, upTo })
  for (const canary of [forgotten, erased, ...prefixes, Buffer.from(text)])
    assert.ok(!holds(directory, canary), canary.toString())
  assert.equal((await decisions.page({ after: null, limit: 30_000 })).length, 15_001)
  await decisions.close()
})

test("sqlite: a file of a newer program is refused and left as it is", async () => {
  const directory = newDirectory()
  const decisions = openSqliteDecisions(directory)
  const kept = newDecision()
  await decisions.add([kept])
  await decisions.close()
  const database = new DatabaseSync(join(directory, "2026-11.sqlite"))
  database.exec("pragma user_version = 3")
  database.close()
  const older = openSqliteDecisions(directory)
  await assert.rejects(older.find(kept.id), refusedAs("newer-format"))
  await assert.rejects(older.add([newDecision()]), refusedAs("newer-format"))
  await older.close()
  await assert.rejects(readSqliteDecisions(directory).find(kept.id), refusedAs("newer-format"))
})
