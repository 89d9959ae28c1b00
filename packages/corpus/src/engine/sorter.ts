import { open, stat } from "node:fs/promises"
import { join } from "node:path"
import {
  BLOB,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  UBIGINT,
} from "@duckdb/node-api"
import duckdb from "@duckdb/node-bindings"
import { fileSha256, SEGMENT_COLUMNS, SEGMENT_FORMAT, sqlText } from "../segments/segment.ts"
import { DOMAIN_MARK, type KeyedRows } from "./keyed-rows.ts"

export interface SorterOptions {
  /** A directory for what does not fit into memory: keyed rows, never anything else. */
  readonly workDirectory: string
  /** Where the segment is written. */
  readonly segment: string
  readonly keyCheckValue: string
  readonly memoryMb: number
  /** The keys of watched domains, by the numbers that marks have. */
  readonly domains: readonly string[]
}

export interface SortedSegment {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/**
 * Sorts keyed rows, drops duplicates, and writes them as a segment. The segment is on the disk when
 * this resolves.
 */
export async function sortIntoSegment(
  frames: AsyncIterable<KeyedRows>,
  options: SorterOptions,
): Promise<SortedSegment> {
  const { workDirectory, segment, keyCheckValue, memoryMb, domains } = options
  const instance = await DuckDBInstance.create(join(workDirectory, "rows.duckdb"), {
    threads: "2",
    memory_limit: `${memoryMb}MB`,
    temp_directory: join(workDirectory, "spill"),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  })
  const connection = await instance.connect()
  try {
    await connection.run(
      "CREATE TABLE rows (key_high UBIGINT, key_low UBIGINT, head UBIGINT, extended BLOB)",
    )
    const appender = await connection.createAppender("rows")
    for await (const frame of frames) appender.appendDataChunk(chunkOf(frame))
    appender.closeSync()
    const counts = domains.length === 0 ? {} : await countsByDomain(connection, domains)
    const entries = domains.length === 0 ? "rows" : `rows WHERE head < ${FIRST_MARK}`
    await connection.run(
      `COPY (SELECT DISTINCT ${SEGMENT_COLUMNS} FROM ${entries} ORDER BY ${SEGMENT_COLUMNS}) TO ${sqlText(segment)}
       (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880,
        KV_METADATA {assay_segment: '${SEGMENT_FORMAT}', key_check: ${sqlText(keyCheckValue)},
                     domains: ${sqlText(JSON.stringify(counts))}})`,
    )
    const counted = await connection.runAndReadAll(
      `SELECT num_rows FROM parquet_file_metadata(${sqlText(segment)})`,
    )
    await syncFile(segment)
    return {
      rows: Number(counted.getRows()[0]?.[0] ?? 0),
      bytes: (await stat(segment)).size,
      sha256: await fileSha256(segment),
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const FIRST_MARK = `${BigInt(DOMAIN_MARK) << 32n}`

/** How many different identities are marked for each domain, by its key; spills as sorting does. */
async function countsByDomain(
  connection: DuckDBConnection,
  domains: readonly string[],
): Promise<Record<string, number>> {
  const counted = await connection.runAndReadAll(
    `SELECT (head - ${FIRST_MARK})::INTEGER, count(*)
     FROM (SELECT DISTINCT key_high, key_low, head FROM rows WHERE head >= ${FIRST_MARK})
     GROUP BY head ORDER BY head`,
  )
  const rows = counted.getRows() as [number, bigint][]
  return Object.fromEntries(rows.map(([place, count]) => [domains[place] ?? "", Number(count)]))
}

const TYPES = [UBIGINT, UBIGINT, UBIGINT, BLOB]

function chunkOf({ count, keysHigh, keysLow, heads, extended }: KeyedRows): DuckDBDataChunk {
  const chunk = DuckDBDataChunk.create(TYPES, count)
  for (const [at, column] of [keysHigh, keysLow, heads].entries()) {
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, at)
    duckdb.copy_data_to_vector(
      vector,
      0,
      column.buffer as ArrayBuffer,
      column.byteOffset,
      column.length,
    )
  }
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, 3)
  const validity = Buffer.alloc(Math.ceil(count / 64) * 8)
  for (const [row, bytes] of extended) {
    validity[row >> 3] = (validity[row >> 3] as number) | (1 << (row & 7))
    duckdb.vector_assign_string_element_len(vector, row, bytes)
  }
  duckdb.vector_ensure_validity_writable(vector)
  duckdb.copy_data_to_vector_validity(
    vector,
    0,
    validity.buffer,
    validity.byteOffset,
    validity.length,
  )
  return chunk
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
