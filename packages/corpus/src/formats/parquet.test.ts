import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { DuckDBInstance } from "@duckdb/node-api"
import { gzipSync } from "node:zlib"
import { InputError } from "../inputs/member.ts"
import { openInputs } from "../inputs/members.ts"
import { sqlText } from "../segments/segment.ts"
import type { FormatHints } from "./head.ts"
import { readMember, type ReadMember } from "../../testing/formats/test-read.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-parquet-"))
after(() => rmSync(folder, { recursive: true }))

async function write(name: string, query: string): Promise<string> {
  const path = join(folder, name)
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await connection.run(`COPY (${query}) TO ${sqlText(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048)`)
  connection.closeSync()
  instance.closeSync()
  return path
}

async function read(path: string, map: FormatHints["map"] = {}): Promise<ReadMember> {
  const inputs = openInputs([path])
  for await (const member of inputs.members()) {
    const found = await readMember(member, { map })
    assert.equal(inputs.readBytes(), inputs.totalBytes)
    await inputs.close()
    return found
  }
  throw new Error("no member")
}

test("columns of every type are read as the text they stand for", async () => {
  const path = await write(
    "types[1]*.parquet",
    `SELECT 'ann@example.com' AS user_email, 12345678901234567890::UBIGINT AS password,
       'listing' AS kind, TIMESTAMPTZ '2024-05-01 12:00:00+02' AS observed_at, 0.5::DOUBLE AS confidence,
       ['session', 'phone'] AS classes, 7::TINYINT AS value
     UNION ALL SELECT NULL, 1::UBIGINT, 'sale', NULL, NULL, [], NULL
     UNION ALL SELECT 'bob@example.com', NULL, 'sale', TIMESTAMPTZ '2024-05-01', 2, NULL, NULL`,
  )
  const { format, rows, rejects } = await read(path)
  assert.equal(format?.name, "parquet")
  assert.deepEqual(rows, [
    {
      line: 1,
      identityType: "email",
      identity: "ann@example.com",
      secret: "12345678901234567890",
      secretClass: null,
      secretIsHash: false,
      kind: "listing",
      hours: Date.UTC(2024, 4, 1, 10) / 3_600_000,
      item: null,
      confidence: 0.5,
      classes: ["phone", "session"],
      value: 7,
    },
  ])
  assert.deepEqual(rejects, [
    { line: 2, reason: "no-identity" },
    { line: 3, reason: "bad-value" },
  ])
})

test("members of a structure are columns by dotted names, and bytes are text", async () => {
  const path = await write(
    "nested.parquet",
    `SELECT {'mail': 'ann@example.com', 'place': {'x': 1.5, 'y': 2}, 'age': 3} AS contact, 'p"w'::BLOB AS pw`,
  )
  const { rows } = await read(path)
  assert.deepEqual([rows[0]?.identity, rows[0]?.secret], ["ann@example.com", 'p"w'])
})

test("all rows of a large file come, in order", async () => {
  const path = await write(
    "large.parquet",
    "SELECT 'user' || i || '@example.com' AS login, 'pw' || i AS pass FROM range(20000) t(i)",
  )
  const { rows, lines } = await read(path)
  assert.equal(lines, 20_000)
  assert.ok(rows.every(({ identity, line }) => identity === `user${line - 1}@example.com`))
})

test("a person can say which column is meant, and is told of one that is not there", async () => {
  const path = await write("map.parquet", "SELECT 'a@example.com' AS one, 'b@example.com' AS two")
  assert.equal((await read(path, { email: "two" })).rows[0]?.identity, "b@example.com")
  assert.equal((await read(path, { email: "1" })).rows[0]?.identity, "a@example.com")
  await assert.rejects(read(path, { email: "three" }), /map\.parquet: There is no column three/)
  await assert.rejects(read(path), /map\.parquet has no column of e-mail addresses/)
})

test("damaged files are refused without a word of what they hold, and so are packed ones", async () => {
  const path = await write(
    "damaged.parquet",
    "SELECT 'canary' || i || '@example.com' AS email FROM range(5000) t(i)",
  )
  const bytes = readFileSync(path)
  const half = join(folder, "half.parquet")
  const packed = join(folder, "packed.gz")
  const scrambled = join(folder, "scrambled.parquet")
  writeFileSync(half, bytes.subarray(0, bytes.length / 2))
  writeFileSync(packed, gzipSync(bytes))
  writeFileSync(scrambled, bytes.fill(0xaa, 100, 20_000))
  for (const file of [half, packed, scrambled]) {
    await assert.rejects(read(file), (error) => {
      assert.ok(error instanceof InputError)
      assert.ok(!String(error.stack).includes("canary") && error.cause === undefined)
      return true
    })
  }
})
