import { statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { openSegmentReader } from "../../packages/corpus/src/segments/segment.ts"

/**
 * The same keyed rows in SQLite, packed as well as it can: the key as the row's own, rows added in
 * order.
 */
export async function keyedSqlite(
  segment: string,
  folder: string,
): Promise<{
  readonly file: string
  readonly bytes: number
  readonly lookup: (key: Uint8Array) => unknown
  close(): void
}> {
  const file = join(folder, "keyed.sqlite")
  const database = new DatabaseSync(file)
  database.exec(
    "CREATE TABLE entries (key BLOB, head BLOB, PRIMARY KEY (key, head)) STRICT, WITHOUT ROWID; BEGIN",
  )
  const insert = database.prepare("INSERT INTO entries VALUES (?, ?)")
  const reader = await openSegmentReader()
  for await (const { count, keys, heads } of reader.blocks(segment)) {
    for (let row = 0; row < count; row++) {
      insert.run(keys.subarray(row * 16, row * 16 + 16), heads.subarray(row * 8, row * 8 + 8))
    }
  }
  reader.close()
  database.exec("COMMIT")
  const select = database.prepare("SELECT head FROM entries WHERE key = ?")
  return {
    file,
    bytes: statSync(file).size,
    lookup: (key) => select.all(key),
    close: () => database.close(),
  }
}
