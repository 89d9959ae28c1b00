import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import {
  importTestSegment,
  sampledKey,
  testSource,
} from "../../packages/corpus/testing/test-segments.ts"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay } from "./assay.ts"

const data = join(temporaryDirectory(), "data")
const corpus = (...args: string[]) => assay(["corpus", ...args], { ASSAY_DATA: data })

test("sources are listed, corrected and removed from the command line", async () => {
  const { checkValue } = openSecrets(join(data, "secret"), true)
  const index = await openLmdbIndex({ path: join(data, "index") })
  await index.checkKeyCheckValue(checkValue)
  await importTestSegment(index, join(data, "segments"), {
    description: { ...testSource, eventDate: "2019-05-01" },
    rows: Array.from({ length: 3 }, (_, n) => ({ key: sampledKey(n), fingerprint: n })),
    at: Date.UTC(2026, 10, 1),
  })
  await index.close()

  assert.deepEqual(await corpus("sources"), {
    code: 0,
    out: [
      "SOURCE  KIND    EVENT       IMPORTED    ROWS  IDENTITIES  CONFIDENCE  CIRCULATES  FLAGS     STATE  TITLE",
      "forum   breach  2019-05-01  2026-11-01  3     3           0.9         no          verified  live   Forum",
      "",
    ].join("\n"),
    err: "",
  })
  const corrected = await corpus(
    ...["set", "forum", "--confidence", "0.5", "--event-date", "none", "--acquired-date"],
    ...["2020-01-01", "--classes", "phone", "--flags", "none", "--as", "circulation"],
  )
  assert.deepEqual(corrected, {
    code: 0,
    out: [
      "confidence: 0.9 → 0.5",
      "data classes: none → phone",
      "flags: verified → none",
      "event date: 2019-05-01 → not known",
      "acquired date: not known → 2020-01-01",
      "circulation: origin, not measured → circulates older sources, decided by an operator",
      "",
    ].join("\n"),
    err: "The next score rests on this.\n",
  })
  assert.deepEqual(await corpus("remove", "forum"), {
    code: 1,
    out: "",
    err: "assay: forum has 1 batch, 3 rows about 3 identities. Removing it cannot be undone; with --yes it is done\n",
  })
  const removed = await corpus("remove", "forum", "--yes")
  assert.equal(removed.code, 0, removed.err)
  assert.deepEqual(await corpus("sources"), { code: 0, out: "There are no sources.\n", err: "" })
})
