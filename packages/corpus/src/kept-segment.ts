import { existsSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Static, Type } from "typebox"
import { Value } from "typebox/value"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { KeyedAsSchema } from "@assay/stores/catalogue"
import type { Catalogue, ImportRecipe, SegmentReference } from "@assay/stores/exposure-index"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { renameDurably, writeDurably } from "@assay/runtime/durable-files"
import { namesIn, readIfPresent } from "@assay/runtime/if-present"
import type { ReadTally } from "./engine/reader.ts"
import { fileSha256 } from "@assay/runtime/file-sha256"
import { isInUse, isMeasuringFolder, removeUnlessInUse } from "./measuring-folder.ts"

/**
 * The facts about a segment whose batch is not live yet. They stand in their own file until the
 * import is complete, so that a command repeated after a crash continues with the segment instead
 * of reading everything again.
 */
export interface KeptSegment {
  readonly startedAtMs: number
  readonly segment: SegmentReference
  readonly rows: number
  readonly keyedAs: ImportRecipe["keyedAs"]
  readonly tally: ReadTally
  /** The list of rejected rows that belongs to it. */
  readonly rejects: string
}

const FORMAT = 2
/** How long a segment waits for its command to be repeated. */
const KEPT_DAYS = 7
const Kept = Type.Object({
  format: Type.Literal(FORMAT),
  startedAtMs: Type.Number(),
  segment: Type.Object({ file: Type.String(), bytes: Type.Integer(), sha256: Type.String() }),
  rows: Type.Integer(),
  keyedAs: KeyedAsSchema,
  tally: Type.Object({
    rows: Type.Integer(),
    rejects: Type.Unsafe<ReadTally["rejects"]>(Type.Record(Type.String(), Type.Integer())),
    kinds: Type.Unsafe<ReadTally["kinds"]>(Type.Record(Type.String(), Type.Integer())),
    datings: Type.Unsafe<ReadTally["datings"]>(Type.Record(Type.String(), Type.Integer())),
  }),
  rejects: Type.String(),
})

/** Under which name a segment is written, before it is complete. */
export function unfinishedSegment(directory: DataDirectory, fingerprint: string): string {
  return `${segmentPath(directory, fingerprint)}.new`
}

export function segmentFile(fingerprint: string): string {
  return `${fingerprint}.parquet`
}

/**
 * Gives the segment its name. The note comes first: a segment without one would never be removed.
 */
export async function keepSegment(
  directory: DataDirectory,
  fingerprint: string,
  kept: KeptSegment,
): Promise<void> {
  await writeDurably(
    notePath(directory, fingerprint),
    JSON.stringify({ format: FORMAT, ...kept } satisfies Static<typeof Kept>),
  )
  await renameDurably(
    unfinishedSegment(directory, fingerprint),
    segmentPath(directory, fingerprint),
  )
}

/** The segment of an earlier try, if it is complete; null otherwise, and then it is made again. */
export async function keptSegment(
  directory: DataDirectory,
  fingerprint: string,
): Promise<KeptSegment | null> {
  const kept = readNote(notePath(directory, fingerprint))
  if (kept === null) return null
  const path = join(directory.segments, kept.segment.file)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.size !== kept.segment.bytes) return null
  return (await fileSha256(path)) === kept.segment.sha256 ? kept : null
}

export function forgetKept(directory: DataDirectory, fingerprint: string): void {
  rmSync(notePath(directory, fingerprint), { force: true })
}

interface Leftover {
  readonly path: string
  /** Only a file of this digest is one: in a folder of several nodes another may have its name. */
  readonly sha256?: string
}

/** Ends the name of what may be in use while nobody has the turn of imports. */
const HALF_BROUGHT = /\.half$/

/**
 * What killed imports left: half-written files, rows in transit, segments that waited too long, and
 * those whose batch is none any more because another node imported the same. Nobody else may have
 * the turn of imports meanwhile.
 */
export function leftovers(
  directory: DataDirectory,
  { batches }: Pick<Catalogue, "batches">,
  nowMs: number,
): Leftover[] {
  const referenced = new Map(
    [...batches.values()].flatMap(({ segment }) =>
      segment == null ? [] : [[segment.file, segment.sha256] as const],
    ),
  )
  const removed = new Set(
    [...batches.values()].flatMap(({ state, fingerprint }) =>
      state === "removed" ? [fingerprint] : [],
    ),
  )
  const found: Leftover[] = []
  for (const name of namesIn(directory.imports)) {
    const path = join(directory.imports, name)
    if (!name.endsWith(".json")) {
      if (!isMeasuringFolder(path) || !isInUse(path)) found.push({ path })
      continue
    }
    const kept = readNote(path)
    const served = kept === null ? undefined : referenced.get(kept.segment.file)
    const isOther = served !== undefined && served !== kept?.segment.sha256
    const waits =
      kept !== null &&
      nowMs - kept.startedAtMs < KEPT_DAYS * DAY_MS &&
      !removed.has(name.slice(0, -".json".length))
    if (waits && !isOther) continue
    // The segment first: one without its note would never be removed.
    if (kept !== null && (served === undefined || isOther)) {
      const { file, sha256 } = kept.segment
      found.push({ path: join(directory.segments, file), ...(isOther && { sha256 }) })
    }
    found.push({ path })
  }
  for (const folder of [directory.segments, directory.rejects]) {
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      if (name.endsWith(".new") || (HALF_BROUGHT.test(name) && isOlder(path, nowMs)))
        found.push({ path })
    }
  }
  return found
}

/** Removes them. */
export async function removeLeftovers(...of: Parameters<typeof leftovers>): Promise<void> {
  for (const { path, sha256 } of leftovers(...of)) {
    if (isMeasuringFolder(path)) {
      removeUnlessInUse(path)
      continue
    }
    const isAnother =
      sha256 !== undefined && existsSync(path) && (await fileSha256(path)) !== sha256
    if (!isAnother) rmSync(path, { recursive: true, force: true })
  }
}

function isOlder(path: string, nowMs: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && nowMs - found.mtimeMs > HOUR_MS
}

function readNote(path: string): KeptSegment | null {
  const text = readIfPresent(path)
  if (text === null) return null
  try {
    const note: unknown = JSON.parse(text)
    return Value.Check(Kept, note) ? note : null
  } catch {
    // Of a damaged note nothing is believed: its segment is made again.
    return null
  }
}

function segmentPath(directory: DataDirectory, fingerprint: string): string {
  return join(directory.segments, segmentFile(fingerprint))
}

function notePath(directory: DataDirectory, fingerprint: string): string {
  return join(directory.imports, `${fingerprint}.json`)
}
