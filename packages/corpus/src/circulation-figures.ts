import { join } from "node:path"
import { EXPOSURE_KINDS } from "@assay/core/score"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { type CirculationOrigin, ORIGINS_MAX } from "@assay/stores/catalogue"
import type { Circulation, EntryKind } from "@assay/stores/exposure-index"
import { plainEntry } from "@assay/stores/entry"
import { rowOfEntry } from "@assay/stores/segment-block"
import { makeMeasuringFolder } from "./measuring-folder.ts"
import { sqlText } from "./segments/segment.ts"

/** A source as measuring sees it. */
export interface MeasuredSource {
  readonly id: number
  /** The day it is dated by, YYYY-MM-DD; null if none of its dates is known. */
  readonly date: string | null
  /** It proves addresses and no passwords, so only its identities are compared. */
  readonly addressOnly: boolean
  /** How many its batches name. */
  readonly identities: number
  /** Digests of the files it was imported from; null if not all of them are known. */
  readonly inputs: readonly string[] | null
  /** Its segments: files in the directory of segments. */
  readonly files: readonly string[]
}

export type CirculationFigures = Omit<Circulation, "decidedBy">

/** Called with how many of the steps are done: a segment is one, and so is each comparison. */
export type MeasuringProgress = (done: number, total: number) => void

/** What does not fit is spilled: keyed rows, never anything else. */
const MEMORY_MB = 512

/**
 * Keys are hashes, so one in 64 begins with six zero bits, and these are the same keys in every
 * source. A segment ascends by key, so the sample is its beginning and the rest is not read.
 */
const SAMPLE_BITS = 6
const SAMPLE_END = 1n << BigInt(64 - SAMPLE_BITS)

/** With fewer identities in the sample chance would decide whether two sources are the same. */
const SAME_SAMPLE_MIN = 50
/**
 * An identity with the form of its secret counts as common if both sources have it in their
 * samples. This many per cent of the newer source, and of the older, must be common for them to be
 * the same data. Two different breaches hardly ever pass: one would have to hold all people of the
 * other, with secrets of the same form, and at most as many others.
 */
const SAME_OF_NEWER_MIN = 95
const SAME_OF_OLDER_MIN = 50

/**
 * Where entry v1 has the kind, the form of the secret, whether there is a fingerprint, and the
 * fingerprint, in its first 8 bytes as a number.
 */
const KIND = "head >> 59"
const SECRET = "(head >> 56) & 7"
const HAS_FINGERPRINT = "(head >> 31) & 1 = 1"
const FINGERPRINT = "(head >> 16) & 4095"

/** Of all samples together, once they were read. */
const COMPARISONS = 4

/**
 * Counts, for each source, how much of its sample sources of an older date hold too. The work
 * directory takes what does not fit into memory, and is left as it was.
 */
export async function circulationFigures(
  sources: readonly MeasuredSource[],
  segmentsDirectory: string,
  workDirectory: string,
  onProgress: MeasuringProgress = () => undefined,
): Promise<ReadonlyMap<number, CirculationFigures>> {
  const spill = makeMeasuringFolder(workDirectory)
  try {
    const instance = await DuckDBInstance.create(":memory:", {
      threads: "2",
      memory_limit: `${MEMORY_MB}MB`,
      temp_directory: spill.path,
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    })
    const connection = await instance.connect()
    try {
      return await figuresOver(connection, sources, segmentsDirectory, onProgress)
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  } finally {
    spill.remove()
  }
}

async function figuresOver(
  connection: DuckDBConnection,
  sources: readonly MeasuredSource[],
  segmentsDirectory: string,
  onProgress: MeasuringProgress,
): Promise<ReadonlyMap<number, CirculationFigures>> {
  const steps = sources.reduce((sum, { files }) => sum + files.length, 0) + COMPARISONS
  let done = 0
  const step = <T>(value: T): T => {
    onProgress(++done, steps)
    return value
  }
  onProgress(0, steps)
  await connection.run(`
    CREATE TABLE sources (source UINTEGER, rank UINTEGER, address_only BOOLEAN);
    CREATE TABLE held (
      source UINTEGER, key_high UBIGINT, key_low UBIGINT, secret UTINYINT, fingerprint USMALLINT
    )`)
  const oldestFirst = sources.toSorted(olderFirst)
  for (const [rank, { id, addressOnly, files }] of oldestFirst.entries()) {
    await connection.run(`INSERT INTO sources VALUES (${id}, ${rank}, ${addressOnly})`)
    for (const file of files)
      step(await connection.run(sampleOf(id, join(segmentsDirectory, file))))
  }
  const identities = step(await countKnown(connection, "key_high, key_low", "true"))
  const pairs = step(
    await countKnown(
      connection,
      "key_high, key_low, fingerprint",
      "fingerprint IS NOT NULL AND NOT address_only",
    ),
  )
  const origins = step(await knownFrom(connection))
  const forms = step(await sameForms(connection))
  const same = new Map([...forms, ...sameFiles(oldestFirst)])
  const none = { all: 0, known: 0 }
  return new Map(
    sources.map(({ id }) => {
      const { all: identitiesAll, known: knownIdentities } = identities.get(id) ?? none
      const { all: pairsAll, known: knownPairs } = pairs.get(id) ?? none
      const sameAs = same.get(id)
      const from = origins.get(id)
      return [
        id,
        {
          ...{ identities: identitiesAll, knownIdentities, pairs: pairsAll, knownPairs },
          ...(sameAs !== undefined && { sameAs }),
          ...(from !== undefined && { origins: from }),
        },
      ]
    }),
  )
}

/**
 * Exposures only: a signal that an identity was offered or attacked is no copy of a list it stood
 * in.
 */
function sampleOf(source: number, path: string): string {
  const kinds = EXPOSURE_KINDS.map(kindCode).join(", ")
  return `
    INSERT INTO held
    SELECT DISTINCT ${source}, key_high, key_low, ${SECRET}, CASE WHEN ${HAS_FINGERPRINT} THEN ${FINGERPRINT} END
    FROM read_parquet(${sqlText(path)})
    WHERE key_high < ${SAMPLE_END} AND ${KIND} IN (${kinds})`
}

/**
 * By source: how many different values of `columns` it has, and how many of them an older source
 * has too.
 */
async function countKnown(
  connection: DuckDBConnection,
  columns: string,
  condition: string,
): Promise<ReadonlyMap<number, { all: number; known: number }>> {
  // The oldest source of a value is enough: it is older than the source itself, or no source is.
  const counted = await connection.runAndReadAll(`
    WITH said AS (
      SELECT DISTINCT source, rank, ${columns} FROM held JOIN sources USING (source) WHERE ${condition}
    ), first AS (
      SELECT ${columns}, min(rank) AS oldest FROM said GROUP BY ${columns}
    )
    SELECT source, count(*), count(*) FILTER (WHERE oldest < rank)
    FROM said JOIN first USING (${columns}) GROUP BY source`)
  const rows = counted.getRows() as [number, bigint, bigint][]
  return new Map(
    rows.map(([source, all, known]) => [source, { all: Number(all), known: Number(known) }]),
  )
}

/** By source: the oldest sources of its identities that older ones hold too, the most first. */
async function knownFrom(
  connection: DuckDBConnection,
): Promise<ReadonlyMap<number, CirculationOrigin[]>> {
  const counted = await connection.runAndReadAll(`
    WITH said AS (
      SELECT DISTINCT source, rank, key_high, key_low FROM held JOIN sources USING (source)
    ), first AS (
      SELECT key_high, key_low, min(rank) AS oldest FROM said GROUP BY key_high, key_low
    )
    SELECT said.source, origin.source, count(*) AS known
    FROM said
    JOIN first USING (key_high, key_low)
    JOIN sources AS origin ON origin.rank = first.oldest
    WHERE first.oldest < said.rank
    GROUP BY said.source, origin.source, origin.rank
    ORDER BY known DESC, origin.rank`)
  const from = new Map<number, CirculationOrigin[]>()
  for (const [source, sourceId, known] of counted.getRows() as [number, number, bigint][]) {
    const found = from.get(source) ?? []
    if (found.length < ORIGINS_MAX) found.push({ sourceId, identities: Number(known) })
    from.set(source, found)
  }
  return from
}

/**
 * By date, those without one last; of one day the larger first, since a part is made of the whole.
 * The order of imports decides between sources that are alike in both.
 */
function olderFirst(one: MeasuredSource, other: MeasuredSource): number {
  if (one.date !== other.date) {
    if (one.date === null || other.date === null) return one.date === null ? 1 : -1
    return one.date < other.date ? -1 : 1
  }
  return other.identities - one.identities || one.id - other.id
}

/**
 * By source: an older one that was imported from all of the same files, however few identities
 * there are.
 */
function sameFiles(oldestFirst: readonly MeasuredSource[]): Map<number, number> {
  const same = new Map<number, number>()
  for (const [rank, { id, inputs }] of oldestFirst.entries()) {
    if (inputs === null || inputs.length === 0) continue
    const holds = (held: readonly string[]): boolean => inputs.every((file) => held.includes(file))
    const older = oldestFirst
      .slice(0, rank)
      .find((each) => each.inputs !== null && holds(each.inputs))
    if (older !== undefined) same.set(id, older.id)
  }
  return same
}

/**
 * By source without passwords to compare: the older source that holds the same people, each with a
 * secret of the same form. Compares one source at a time, because many breaches together hold
 * nearly everybody.
 */
async function sameForms(connection: DuckDBConnection): Promise<Map<number, number>> {
  const found = await connection.runAndReadAll(`
    WITH forms AS (
      SELECT DISTINCT source, rank, key_high, key_low, CASE WHEN address_only THEN 0 ELSE secret END AS secret
      FROM held JOIN sources USING (source)
    ), sizes AS (
      SELECT source, count(*) AS size, count(DISTINCT (key_high, key_low)) AS people FROM forms GROUP BY source
    ), without_pairs AS (
      SELECT source FROM held JOIN sources USING (source) GROUP BY source
      HAVING count(fingerprint) FILTER (WHERE NOT address_only) < ${SAME_SAMPLE_MIN}
    ), shared AS (
      SELECT newer.source AS newer, older.source AS older, min(older.rank) AS rank, count(*) AS size
      FROM forms AS newer
      JOIN without_pairs ON without_pairs.source = newer.source
      JOIN forms AS older USING (key_high, key_low, secret)
      WHERE older.rank < newer.rank
      GROUP BY newer.source, older.source
    )
    SELECT shared.newer, arg_min(shared.older, shared.rank)
    FROM shared
    JOIN sizes AS own ON own.source = shared.newer
    JOIN sizes AS others ON others.source = shared.older
    WHERE own.people >= ${SAME_SAMPLE_MIN}
      AND 100 * shared.size >= ${SAME_OF_NEWER_MIN} * own.size
      AND 100 * shared.size >= ${SAME_OF_OLDER_MIN} * others.size
    GROUP BY shared.newer`)
  return new Map(found.getRows() as [number, number][])
}

function kindCode(kind: EntryKind): number {
  const { head } = rowOfEntry(plainEntry(kind, 0, 1))
  return (head[0] as number) >>> 3
}
