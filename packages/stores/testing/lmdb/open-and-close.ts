// Opens the index of a directory, looks somebody up and closes it, as often as asked for.
import { openLmdbIndex } from "../../src/lmdb/exposure-index.ts"
import { keyOf } from "../exposure-index-process-suite.ts"

const [directory = "", times = "", mode] = process.argv.slice(2)
for (let n = 0; n < Number(times); n++) {
  const index = await openLmdbIndex({ path: directory, readOnly: mode === "read" })
  await index.lookup(keyOf(n), null)
  await index.close()
}
