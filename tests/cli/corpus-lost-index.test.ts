import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { assay } from "./assay.ts"
import { combolist, emailAt, heldIn } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true }))
const data = join(directory, "data")
const secretFile = join(directory, "secret")
writeFileSync(secretFile, `${"5a".repeat(32)}\n`, { mode: 0o600 })
const env = { ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile }
const ROWS = 1_500

test("an index that is gone or unreadable is made anew from segments; who was erased stays so", async () => {
  for (const [source, date] of [
    ["first", "2023-01-01"],
    ["second", "2024-01-01"],
    ["third", "2025-01-01"],
  ] as const) {
    const list = combolist(join(directory, `${source}.txt`), ROWS)
    const made = await assay(["corpus", "import", list, "--source", source, "--date", date], env)
    assert.equal(made.code, 0, made.err)
  }
  assert.equal((await assay(["corpus", "remove", "second", "--yes"], env)).code, 0)
  const erased = await assay(
    ["subjects", "erase", "--reason", "subject_request"],
    env,
    `${emailAt(7)}\n`,
  )
  assert.equal(erased.code, 0, erased.err)
  const before = await heldIn(data, secretFile, ROWS)
  assert.deepEqual(before.entries.get(emailAt(7)), [])
  assert.equal(before.entries.get(emailAt(8))?.length, 2)
  const sources = (await assay(["corpus", "sources"], env)).out

  for (const lose of [
    () => rmSync(join(data, "index"), { recursive: true }),
    () => truncateSync(join(data, "index", "data.mdb"), 100),
  ]) {
    lose()
    const refused = await assay(["corpus", "sources"], env)
    assert.equal(refused.code, 1, refused.out)
    const rebuilt = await assay(["corpus", "rebuild", "--lost-index"], env)
    assert.equal(rebuilt.code, 0, rebuilt.err)
    assert.match(rebuilt.out, /^3,000 rows of segments, 0 decisions, .*, 1 erased\n$/)
    assert.deepEqual((await heldIn(data, secretFile, ROWS)).entries, before.entries)
    assert.equal((await assay(["corpus", "sources"], env)).out, sources)
    assert.equal((await assay(["corpus", "verify"], env)).code, 0)
  }
  // The unreadable index is kept for inspection.
  assert.ok(readdirSync(data).some((name) => name.startsWith("index.lost-")))
})
