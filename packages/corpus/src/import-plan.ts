import type { DataDirectory } from "@assay/runtime/data-directory"
import type {
  Batch,
  Catalogue,
  EntryKind,
  ExposureIndex,
  ImportRecipe,
  Source,
  SourceDescription,
} from "@assay/stores/exposure-index"
import type { Examined } from "./engine/examine.ts"
import type { ReadTally } from "./engine/reader.ts"
import { fileDaysOf, takenAs } from "./engine/taken-as.ts"
import type { ImportRequest, TakenMembers } from "./import-request.ts"
import { type KeptSegment, keptSegment } from "./kept-segment.ts"
import { describeSource, saidKind } from "./source-request.ts"

/**
 * The description of the source and of all rows, from the request or from the import it repeats.
 */
export function asSaid(
  request: ImportRequest,
  known: Source | undefined,
  catalogue: Catalogue,
  { members }: Examined,
): { source: SourceDescription; keyedAs: ImportRecipe["keyedAs"] } {
  const { repeats } = request
  if (repeats !== undefined) return { source: repeats.description, keyedAs: repeats.keyedAs }
  const kind = saidKind(request.source, known, catalogue.batches.values())
  const source = describeSource(request.source, known, kind ?? "breach")
  const { eventDate } = source
  const fileDays = eventDate === null ? { fileDays: fileDaysOf(members) } : {}
  return { source, keyedAs: { kind, eventDate, ...fileDays } }
}

export function takenMembers(
  { members }: Examined,
  keyedAs: ImportRecipe["keyedAs"],
): TakenMembers {
  return new Map(
    members
      .filter(({ detected }) => detected !== null)
      .map((member) => [member.number, takenAs(member, keyedAs)]),
  )
}

/** Of the kinds that files were taken for, the one with the most rows. */
export function kindOfMost({ kinds }: ReadTally, taken: TakenMembers): EntryKind {
  const rows = (kind: EntryKind): number => kinds[kind] ?? 0
  return [...taken.values()]
    .map(({ kind }) => kind)
    .reduce((one, other) => (rows(other) > rows(one) ? other : one))
}

/**
 * The batch of the import: the one with its fingerprint, or a new one under the next name if that
 * one was removed. A loading batch continues only with the segment it began with: rows of a second
 * reading could differ from the first in their date, and the batch would hold both.
 */
export async function openAttempt(
  index: ExposureIndex,
  catalogue: Catalogue,
  directory: DataDirectory,
  fingerprint: string,
  nowMs: number,
): Promise<{ fingerprint: string; batch: Batch | undefined; kept: KeptSegment | null }> {
  const shared = [...catalogue.batches.values()].filter(({ owner }) => owner === "shared")
  for (let n = 0; ; n++) {
    const name = n === 0 ? fingerprint : `${fingerprint}.${n}`
    const batch = shared.find((each) => each.fingerprint === name)
    if (batch?.state === "removed") continue
    const kept = await keptSegment(directory, name)
    if (batch?.state !== "loading" || kept !== null) return { fingerprint: name, batch, kept }
    await index.removeBatch(batch.id, nowMs)
  }
}

export function sharedSource(catalogue: Catalogue, name: string): Source | undefined {
  return [...catalogue.sources.values()].find(
    (source) => source.owner === "shared" && source.name === name,
  )
}
