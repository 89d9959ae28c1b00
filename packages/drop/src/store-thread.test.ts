import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { bring, newId, refusedAs, sealedOf } from "../testing/store/drops-suite.ts"
import { openStoreThread } from "./store-thread.ts"

const root = mkdtempSync(join(tmpdir(), "assay-open-drops-"))
after(() => rmSync(root, { recursive: true }))

test("the store in its thread takes many uploads at once, and its faults keep their codes", async () => {
  const drops = await openStoreThread(join(root, "drop"))
  const sealed = Array.from({ length: 8 }, () => randomBytes(200_000))
  const brought = await Promise.all(
    sealed.map((bytes) => bring(drops, bytes, { pieceBytes: 65_536 })),
  )
  await drops.rewrite()
  for (const [n, { id }] of brought.entries())
    assert.ok(sealed[n]?.equals(await sealedOf(drops, id)))
  await assert.rejects(drops.appendPiece(newId(), 3, randomBytes(1)), refusedAs("refused"))
  await drops.stir()
  await drops.close()
  // Gone, it fails rather than hangs.
  await assert.rejects(drops.messages(), refusedAs("unavailable"))
})

test("a store that cannot be opened is told at once, and its thread is gone", async () => {
  const folder = join(root, "damaged")
  await (await openStoreThread(folder)).close()
  writeFileSync(join(folder, "drops.sqlite"), randomBytes(9000))
  await assert.rejects(openStoreThread(folder), refusedAs("damaged"))
})
