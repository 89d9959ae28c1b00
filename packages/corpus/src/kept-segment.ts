import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Static, Type } from "typebox"
import { Value } from "typebox/value"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { KeyedAsSchema } from "@assay/stores/catalogue"
import type { ImportRecipe, SegmentReference } from "@assay/stores/exposure-index"
import { DAY_MS } from "@assay/runtime/time"
import { renameDurably, writeDurably } from "@assay/runtime/durable-files"
import { readIfPresent } from "@assay/runtime/if-present"
import type { ReadTally } from "./engine/reader.ts"
import { fileSha256 } from "@assay/runtime/file-sha256"

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

/**
 * Removes what killed imports left: half-written files, rows in transit, and segments that waited
 * too long. No other import may run meanwhile. `isLive` returns whether a batch rests on the
 * segment of this name.
 */
export function removeLeftovers(
  directory: DataDirectory,
  isLive: (file: string) => boolean,
  nowMs: number,
): void {
  for (const entry of readdirSync(directory.imports, { withFileTypes: true })) {
    const path = join(directory.imports, entry.name)
    if (!entry.name.endsWith(".json")) {
      rmSync(path, { recursive: true, force: true })
      continue
    }
    const kept = readNote(path)
    if (kept !== null && nowMs - kept.startedAtMs < KEPT_DAYS * DAY_MS) continue
    if (kept !== null && !isLive(kept.segment.file)) {
      rmSync(join(directory.segments, kept.segment.file), { force: true })
    }
    rmSync(path)
  }
  for (const folder of [directory.segments, directory.rejects]) {
    for (const name of readdirSync(folder)) {
      if (name.endsWith(".new")) rmSync(join(folder, name))
    }
  }
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
