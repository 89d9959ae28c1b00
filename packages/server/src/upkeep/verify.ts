import { existsSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { type Batch, IndexUnavailable } from "@assay/stores/exposure-index"
import { MalformedBytes } from "@assay/stores/bytes"
import { examineIndex, type Examined } from "@assay/stores/lmdb/examine"
import { arrivesOneByOne } from "@assay/stores/arriving-batches"
import { fileSha256, openSegmentReader, type SegmentReader } from "@assay/corpus/segments/segment"
import { Explained } from "@assay/runtime/explained"
import { typedCommand } from "@assay/runtime/typed-command"

export interface VerifyOptions {
  /** Directory of the index, and of segments; null: they are not read. */
  readonly index: string
  readonly segments: string | null
  readonly keyCheckValue: string
  /** Waited for between some thousand identities. */
  readonly pause?: () => Promise<void>
  readonly onPhase: (phase: string) => void
  readonly onProgress: (done: number, total: number) => void
}

export interface Verified {
  readonly identities: number
  readonly segments: number
  /** What is wrong. */
  readonly faults: readonly string[]
  /** Faults of the index itself, whatever the segments say. */
  readonly indexFaults: readonly string[]
  /** What is right and worth knowing. */
  readonly notes: readonly string[]
}

const KEY_BYTES = 16

/**
 * Reads the whole index and all segments, and compares them with each other and the catalogue.
 * Changes nothing.
 */
export async function verifyCorpus(options: VerifyOptions): Promise<Verified> {
  const { index, segments, keyCheckValue, pause, onPhase, onProgress } = options
  onPhase("index")
  let examined: Examined
  try {
    examined = await examineIndex(index, onProgress, pause)
  } catch (error) {
    const fault = unreadable(error)
    return { identities: 0, segments: 0, faults: [fault], indexFaults: [fault], notes: [] }
  }
  const faults = [...examined.faults].map(([fault, count]) =>
    count === 1 ? fault : `${fault} (${count} times)`,
  )
  if (examined.keyCheckValue !== keyCheckValue) {
    faults.push("the index was made with another master secret")
  }
  const indexFaults = [...faults]
  const notes: string[] = []
  if (segments === null) {
    return { identities: examined.sets, segments: 0, faults, indexFaults, notes }
  }
  onPhase("segments")
  const batches = [...examined.catalogue.batches.values()]
  const kept = batches.filter(({ state, segment }) => state === "live" && segment != null)
  const reader = await openSegmentReader()
  try {
    for (const [i, batch] of kept.entries()) {
      const fault = await faultOfBatch(batch, examined, reader, segments, keyCheckValue)
      if (fault !== null) faults.push(`batch ${batch.id}: ${fault}`)
      onProgress(i + 1, kept.length)
    }
  } finally {
    reader.close()
  }
  for (const { id, state, segment, owner, fingerprint } of batches) {
    if (state !== "live" || segment != null || owner !== "shared") continue
    notes.push(
      arrivesOneByOne({ fingerprint })
        ? `batch ${id} has no segment: what it says arrives one by one and is in the records too`
        : `batch ${id} has no segment: it is in the index alone`,
    )
  }
  const named = new Set(batches.map(({ segment }) => segment?.file))
  for (const file of existsSync(segments) ? await readdir(segments) : []) {
    if (!named.has(file)) notes.push(`${file} is the segment of no batch`)
  }
  return { identities: examined.sets, segments: kept.length, faults, indexFaults, notes }
}

/** The fault for an index that cannot be read through. A format that is too new is not damage. */
function unreadable(error: unknown): string {
  if (error instanceof IndexUnavailable && error.code === "newer-format") throw error
  const known = error instanceof IndexUnavailable || error instanceof MalformedBytes
  const why = known ? error.message : `LMDB says: ${(error as Error).message}`
  return `the index cannot be read through (${why}); stop the service and run ${typedCommand("corpus rebuild --lost-index")}`
}

async function faultOfBatch(
  { id, rows, identities, segment }: Batch,
  { holdings, erased }: Examined,
  reader: SegmentReader,
  segments: string,
  keyCheckValue: string,
): Promise<string | null> {
  if (segment == null) return null
  const path = join(segments, segment.file)
  const fault = await segmentFault(path, segment, keyCheckValue, rows, reader)
  if (fault !== null) return fault
  const gone = erased.size === 0 ? nothing : await rowsOfErased(reader, path, erased)
  const { entries, cut, identities: held } = holdings.get(id) ?? { ...nothing, entries: 0, cut: 0 }
  if (entries + cut + gone.rows !== rows) {
    return `the index has ${entries + cut} of its entries where ${rows - gone.rows} are due`
  }
  if (held + gone.identities !== identities) {
    return `the index has ${held} of its identities where ${identities - gone.identities} are due`
  }
  return null
}

/**
 * Checks the segments of these batches before the first is used. Throws Explained
 * `segments-damaged` where one cannot be used.
 */
export async function requireWholeSegments(
  batches: readonly Batch[],
  request: {
    readonly segments: string
    readonly keyCheckValue: string
    readonly onProgress: (done: number, total: number) => void
  },
  reader: SegmentReader,
): Promise<void> {
  const { segments, keyCheckValue, onProgress } = request
  const faults: string[] = []
  for (const [i, batch] of batches.entries()) {
    const { path, segment } = placeOf(batch, segments)
    const fault = await segmentFault(path, segment, keyCheckValue, batch.rows, reader)
    if (fault !== null) faults.push(`batch ${batch.id}: ${fault}`)
    onProgress(i + 1, batches.length)
  }
  if (faults.length === 0) return
  const unchanged = "The index stays as it is: not every segment can be used"
  throw new Explained("segments-damaged", [unchanged, ...faults].join("\n"))
}

/** The segment of a batch that must have one, and where it lies. */
export function placeOf(
  { segment }: Batch,
  segments: string,
): { path: string; segment: NonNullable<Batch["segment"]> } {
  if (segment == null) throw new Error("A batch without a segment was kept")
  return { path: join(segments, segment.file), segment }
}

/** What is wrong with the file of a segment, or null. */
async function segmentFault(
  path: string,
  segment: { readonly bytes: number; readonly sha256: string },
  keyCheckValue: string,
  rows: number,
  reader: SegmentReader,
): Promise<string | null> {
  if (!existsSync(path)) return "its segment is missing"
  if ((await stat(path)).size !== segment.bytes) return "its segment has another length"
  if ((await fileSha256(path)) !== segment.sha256) return "its segment has another checksum"
  try {
    const facts = await reader.facts(path)
    if (facts.keyCheckValue !== keyCheckValue) return "its segment has another master secret"
    if (facts.rows !== rows) return `its segment has ${facts.rows} rows and not ${rows}`
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error
    return "its segment has a format that this program does not know"
  }
  return null
}

const nothing = { rows: 0, identities: 0 }

/**
 * An erased identity's rows stay in segments, where nobody looks identities up, and must not be in
 * the index.
 */
async function rowsOfErased(
  reader: SegmentReader,
  path: string,
  erased: ReadonlySet<string>,
): Promise<{ rows: number; identities: number }> {
  const seen = new Set<string>()
  let rows = 0
  for await (const { count, keys } of reader.blocks(path)) {
    const text = Buffer.from(keys.buffer, keys.byteOffset, keys.length).toString("latin1")
    for (let row = 0; row < count; row++) {
      const key = text.slice(row * KEY_BYTES, (row + 1) * KEY_BYTES)
      if (!erased.has(key)) continue
      rows++
      seen.add(key)
    }
  }
  return { rows, identities: seen.size }
}
