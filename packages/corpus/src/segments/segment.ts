import { type DuckDBConnection, DuckDBInstance, type DuckDBDataChunk } from "@duckdb/node-api"
import duckdb from "@duckdb/node-bindings"
import { MalformedBytes } from "@assay/stores/bytes"
import type { SegmentBlock } from "@assay/stores/segment-block"

export { fileSha256 } from "@assay/runtime/file-sha256"

/**
 * A segment keeps the rows of one import for good: a Parquet file of keyed rows in the order of
 * SegmentBlock. The columns are the two halves of the identity key and the first 8 bytes of the
 * entry, each as a 64-bit number whose order is the order of the bytes, and the extended part of
 * the entry, null for all but a few.
 */
export const SEGMENT_FORMAT = 1
export const SEGMENT_COLUMNS = "key_high, key_low, head, extended"

export interface SegmentFacts {
  readonly format: number
  readonly keyCheckValue: string
  readonly rows: number
  /** How many identities it has of each domain that was watched when it was made, by its key. */
  readonly domains: ReadonlyMap<string, number>
}

/**
 * A database that holds nothing and loads nothing: it reads segments. Memory is bounded, and it
 * never spills.
 */
export async function openSegmentReader(): Promise<SegmentReader> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: "256MB",
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  })
  const connection = await instance.connect()
  return {
    facts: (path) => factsOf(connection, path),
    blocks: (path) => blocksOf(connection, path),
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

export interface SegmentReader {
  facts(path: string): Promise<SegmentFacts>
  /** All rows, in order. A block is valid until the next one is requested. */
  blocks(path: string): AsyncGenerator<SegmentBlock>
  close(): void
}

export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

async function factsOf(connection: DuckDBConnection, path: string): Promise<SegmentFacts> {
  const said = await connection.runAndReadAll(
    `SELECT decode(key), decode(value) FROM parquet_kv_metadata(${sqlText(path)})`,
  )
  const facts = new Map(said.getRows() as [string, string][])
  const rows = await connection.runAndReadAll(
    `SELECT num_rows FROM parquet_file_metadata(${sqlText(path)})`,
  )
  const format = Number(facts.get("assay_segment") ?? 0)
  if (format < 1 || format > SEGMENT_FORMAT) {
    throw new MalformedBytes(`a segment of format ${format}; this program knows ${SEGMENT_FORMAT}`)
  }
  return {
    format,
    keyCheckValue: facts.get("key_check") ?? "",
    rows: Number(rows.getRows()[0]?.[0] ?? 0),
    domains: new Map(
      Object.entries(JSON.parse(facts.get("domains") ?? "{}") as Record<string, number>),
    ),
  }
}

async function* blocksOf(connection: DuckDBConnection, path: string): AsyncGenerator<SegmentBlock> {
  const result = await connection.stream(
    `SELECT ${SEGMENT_COLUMNS} FROM read_parquet(${sqlText(path)})`,
  )
  // The next one is read, in a thread of the database's, while this one is used.
  for (let next = result.fetchChunk(); ;) {
    const chunk = await next
    if (chunk === null || chunk.rowCount === 0) return
    next = result.fetchChunk()
    // next() reports the error. Swallow it here: nobody may call next().
    next.catch(() => undefined)
    yield blockOf(chunk)
  }
}

function blockOf(chunk: DuckDBDataChunk): SegmentBlock {
  const count = chunk.rowCount
  const high = column(chunk, 0, count)
  const low = column(chunk, 1, count)
  const keys = Buffer.allocUnsafe(count * 16)
  for (let row = 0; row < count; row++) {
    high.copy(keys, row * 16, row * 8, row * 8 + 8)
    low.copy(keys, row * 16 + 8, row * 8, row * 8 + 8)
  }
  return { count, keys, heads: column(chunk, 2, count), extended: extendedOf(chunk, count) }
}

/** A column of 64-bit numbers as big-endian bytes, in memory of our own. */
function column(chunk: DuckDBDataChunk, at: number, count: number): Buffer {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, at)
  return Buffer.from(duckdb.vector_get_data(vector, count * 8)).swap64()
}

function extendedOf(chunk: DuckDBDataChunk, count: number): ReadonlyMap<number, Uint8Array> {
  const extended = new Map<number, Uint8Array>()
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, 3)
  // The bindings give null, against their types, where every row has a value.
  const validity = duckdb.vector_get_validity(
    vector,
    Math.ceil(count / 64) * 8,
  ) as Uint8Array | null
  // Nearly all blocks have none, and looking at each value costs more than all the rest.
  if (validity?.every((byte) => byte === 0) === true) return extended
  for (const [row, value] of chunk.getColumnValues(3).entries()) {
    if (value !== null) extended.set(row, Uint8Array.from((value as { bytes: Uint8Array }).bytes))
  }
  return extended
}
