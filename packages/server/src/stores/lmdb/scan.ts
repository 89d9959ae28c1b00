import type { BinaryDatabase, Environment } from "./environment.ts"
import type { ReadAt } from "./stored.ts"

export interface StoredSet {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Sets read at a time: a process that also serves answers between two of them. */
const CHUNK_SETS = 8_192

/** All of a database in the order of its keys, some at a time; each time as it is then, or all as at one moment. */
export function* chunksOf(
  { root }: Environment,
  database: BinaryDatabase,
  at?: ReadAt,
): Generator<readonly StoredSet[]> {
  let after: Uint8Array | null = null
  for (;;) {
    if (at === undefined) root.resetReadTxn()
    const from: object = after === null ? {} : { start: after, exclusiveStart: true }
    const chunk: StoredSet[] = []
    for (const { key, value } of database.getRange({ ...from, limit: CHUNK_SETS, ...at })) {
      chunk.push({ key, value })
    }
    const last = chunk.at(-1)
    if (last === undefined) return
    yield chunk
    after = last.key
  }
}

/** Runs `read` on one state of the generation, however long it takes. */
export async function readingAll<T>(
  { root }: Environment,
  read: (at: ReadAt) => Promise<T>,
): Promise<T> {
  root.resetReadTxn()
  const transaction = root.useReadTransaction()
  try {
    return await read({ transaction })
  } finally {
    transaction.done()
  }
}
