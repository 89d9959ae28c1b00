import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { EXPOSURE_KINDS } from "@assay/core/score"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { Circulation, EvidenceKind } from "../stores/exposure-index.ts"
import { plainEntry } from "../stores/entry.ts"
import { rowOfEntry } from "../stores/segment-block.ts"
import { sqlText } from "./segment.ts"

/** A source as measuring sees it. */
export interface MeasuredSource {
  readonly id: number
  /** The day it is dated by, YYYY-MM-DD; null where no date of it is known. */
  readonly date: string | null
  /** It proves addresses and no passwords, so only its identities are compared. */
  readonly addressOnly: boolean
  /** Its segments: files in the directory of segments. */
  readonly files: readonly string[]
}

export type CirculationFigures = Omit<Circulation, "decidedBy">

/** What does not fit is spilled: keyed rows, never anything else. */
const MEMORY_MB = 512

/**
 * Keys are hashes, so those that begin with six zero bits are one in 64 of all, the same ones in every source. A segment
 * ascends by key: they are its beginning, and the rest of it is not read.
 */
const SAMPLE_BITS = 6
const SAMPLE_END = 1n << BigInt(64 - SAMPLE_BITS)

/** Where entry v1 has the kind, whether there is a fingerprint, and the fingerprint, in its first 8 bytes as a number. */
const KIND = "head >> 59"
const HAS_FINGERPRINT = "(head >> 31) & 1 = 1"
const FINGERPRINT = "(head >> 16) & 4095"

/**
 * Counts, for each source, how much of its sample sources of an older date hold too. The work directory takes what does
 * not fit into memory, and is left as it was.
 */
export async function circulationFigures(
  sources: readonly MeasuredSource[],
  segmentsDirectory: string,
  workDirectory: string,
): Promise<ReadonlyMap<number, CirculationFigures>> {
  await mkdir(workDirectory, { recursive: true, mode: 0o700 })
  const spill = await mkdtemp(join(workDirectory, "circulation-"))
  try {
    const instance = await DuckDBInstance.create(":memory:", {
      threads: "2",
      memory_limit: `${MEMORY_MB}MB`,
      temp_directory: spill,
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    })
    const connection = await instance.connect()
    try {
      return await figuresOver(connection, sources, segmentsDirectory)
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  } finally {
    await rm(spill, { recursive: true, force: true })
  }
}

async function figuresOver(
  connection: DuckDBConnection,
  sources: readonly MeasuredSource[],
  segmentsDirectory: string,
): Promise<ReadonlyMap<number, CirculationFigures>> {
  await connection.run(`
    CREATE TABLE sources (source UINTEGER, date VARCHAR, address_only BOOLEAN);
    CREATE TABLE held (source UINTEGER, key_high UBIGINT, key_low UBIGINT, fingerprint USMALLINT)`)
  for (const { id, date, addressOnly, files } of sources) {
    const day = date === null ? "NULL" : sqlText(date)
    await connection.run(`INSERT INTO sources VALUES (${id}, ${day}, ${addressOnly})`)
    for (const file of files) await connection.run(sampleOf(id, join(segmentsDirectory, file)))
  }
  const identities = await countKnown(connection, "key_high, key_low", "true")
  const pairs = await countKnown(
    connection,
    "key_high, key_low, fingerprint",
    "fingerprint IS NOT NULL AND NOT address_only",
  )
  const none = { all: 0, known: 0 }
  return new Map(
    sources.map(({ id }) => {
      const { all: identitiesAll, known: knownIdentities } = identities.get(id) ?? none
      const { all: pairsAll, known: knownPairs } = pairs.get(id) ?? none
      return [id, { identities: identitiesAll, knownIdentities, pairs: pairsAll, knownPairs }]
    }),
  )
}

/** Exposures only: a signal that an identity was offered or attacked is no copy of a list it stood in. */
function sampleOf(source: number, path: string): string {
  const kinds = EXPOSURE_KINDS.map(kindCode).join(", ")
  return `
    INSERT INTO held
    SELECT DISTINCT ${source}, key_high, key_low, CASE WHEN ${HAS_FINGERPRINT} THEN ${FINGERPRINT} END
    FROM read_parquet(${sqlText(path)})
    WHERE key_high < ${SAMPLE_END} AND ${KIND} IN (${kinds})`
}

/** By source: how many different values of `columns` it has, and how many of them a source of an older date has too. */
async function countKnown(
  connection: DuckDBConnection,
  columns: string,
  condition: string,
): Promise<ReadonlyMap<number, { all: number; known: number }>> {
  // The oldest date at which anybody held a value says all: it is older than a source's own, or nobody's is. A source
  // without a date is not older than any, and any dated one is older than it.
  const counted = await connection.runAndReadAll(`
    WITH said AS (
      SELECT DISTINCT source, date, ${columns} FROM held JOIN sources USING (source) WHERE ${condition}
    ), first AS (
      SELECT ${columns}, min(date) AS first_date FROM said GROUP BY ${columns}
    )
    SELECT source, count(*),
      count(*) FILTER (WHERE first_date < date OR (date IS NULL AND first_date IS NOT NULL))
    FROM said JOIN first USING (${columns}) GROUP BY source`)
  const rows = counted.getRows() as [number, bigint, bigint][]
  return new Map(
    rows.map(([source, all, known]) => [source, { all: Number(all), known: Number(known) }]),
  )
}

function kindCode(kind: EvidenceKind): number {
  const { head } = rowOfEntry(plainEntry(kind, 0, 1))
  return (head[0] as number) >>> 3
}
