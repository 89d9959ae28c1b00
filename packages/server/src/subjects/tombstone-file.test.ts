import assert from "node:assert/strict"
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { Tombstone } from "@assay/stores/records-subjects"
import { syncTombstones } from "./sync-tombstones.ts"
import { openTombstones, readTombstones } from "./tombstone-file.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-tombstones-"))
after(() => rmSync(folder, { recursive: true }))
const at = Date.UTC(2026, 2, 1, 12)
const CHECK = "c0ffee"

function tombstone(n: number, erasedAt = at): Tombstone {
  return { identityKey: new Uint8Array(16).fill(n), erasedAt }
}

test("what was added is there again, each identity once, and only for the owner of the file", async () => {
  const path = join(folder, "added")
  assert.equal(await readTombstones(path, CHECK), null)
  const file = await openTombstones(path, CHECK)
  assert.deepEqual(file.tombstones, [])
  await Promise.all([
    file.add(tombstone(1)),
    file.add(tombstone(2)),
    file.add(tombstone(1, at + 1)),
  ])
  assert.deepEqual(await readTombstones(path, CHECK), [tombstone(1), tombstone(2)])
  chmodSync(path, 0o644)
  assert.deepEqual((await openTombstones(path, CHECK)).tombstones, [tombstone(1), tombstone(2)])
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.match(
    readFileSync(path, "utf8"),
    /^assay tombstones 1 c0ffee\n(?:[0-9a-f]{32} \S+Z\n){3}$/,
  )
})

test("a line that was half written is cut off, and the next one stands by itself", async () => {
  const path = join(folder, "torn")
  await (await openTombstones(path, CHECK)).add(tombstone(1))
  appendFileSync(path, "0202")
  assert.deepEqual(await readTombstones(path, CHECK), [tombstone(1)])
  await (await openTombstones(path, CHECK)).add(tombstone(3))
  assert.deepEqual(await readTombstones(path, CHECK), [tombstone(1), tombstone(3)])
})

test("a line that a full disk left half written does not become a part of the next one", async () => {
  const path = join(folder, "full")
  const file = await openTombstones(path, CHECK)
  await file.add(tombstone(1))
  appendFileSync(path, "0202")
  await file.add(tombstone(3))
  assert.deepEqual(await readTombstones(path, CHECK), [tombstone(1), tombstone(3)])
})

test("a file of another secret, a damaged one and one that is none are refused and left as they are", async () => {
  const path = join(folder, "refused")
  await (await openTombstones(path, CHECK)).add(tombstone(1))
  const whole = readFileSync(path, "utf8")
  for (const [text, check, words] of [
    [whole, "decaf", /refused belongs to another master secret/],
    [`${whole}not a line\n`, CHECK, /refused is damaged at line 3$/],
    ["something else\n", CHECK, /refused holds no tombstones$/],
  ] as const) {
    writeFileSync(path, text)
    for (const use of [openTombstones, readTombstones]) {
      await assert.rejects(use(path, check), { code: "tombstones", message: words })
    }
    assert.equal(readFileSync(path, "utf8"), text)
  }
})

test("a file without tombstones goes on under a new secret, and says nothing of it before", async () => {
  const path = join(folder, "anew")
  await openTombstones(path, CHECK)
  assert.deepEqual(await readTombstones(path, CHECK), [])
  assert.equal(await readTombstones(path, "decaf"), null)
  await (await openTombstones(path, "decaf")).add(tombstone(1))
  assert.deepEqual(await readTombstones(path, "decaf"), [tombstone(1)])
  await assert.rejects(openTombstones(path, CHECK), /another master secret/)
})

test("a file that cannot be written, or was taken away, fails every call", async () => {
  const nowhere = join(folder, "none", "file")
  await assert.rejects(openTombstones(nowhere, CHECK), /\(ENOENT\)\. ASSAY_TOMBSTONES names a file/)
  const path = join(folder, "gone")
  const file = await openTombstones(path, CHECK)
  rmSync(path)
  await assert.rejects(file.add(tombstone(1)), { code: "tombstones" })
  assert.equal(await readTombstones(path, CHECK), null)
})

test("records and file give each other what they lack", async () => {
  const path = join(folder, "both")
  const before = await openTombstones(path, CHECK)
  await before.add(tombstone(1))
  await before.add(tombstone(2))
  const erasedAgain: Tombstone[] = []
  const records = {
    tombstones: async () => [tombstone(2), tombstone(3)],
    eraseAgain: async (each: Tombstone) => void erasedAgain.push(each),
  }
  assert.equal(await syncTombstones(records, await openTombstones(path, CHECK)), 1)
  assert.deepEqual(erasedAgain, [tombstone(1)])
  assert.deepEqual(await readTombstones(path, CHECK), [tombstone(1), tombstone(2), tombstone(3)])
})
