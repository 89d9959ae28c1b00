import type { DataDirectory } from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type { Batch, ExposureIndex, Source, SourceChange } from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { compactIfNeeded } from "@assay/corpus/compaction"
import type { NodeProgram } from "@assay/runtime/children"
import { startReader } from "@assay/corpus/engine/children"
import type { LookProgress } from "@assay/corpus/engine/examine"
import { importCorpus } from "@assay/corpus/import"
import type { ImportWatch } from "@assay/corpus/import-request"
import type { GivenInput, RekeyPlan, RepeatableBatch } from "./rekey-plan.ts"

/** What repeating imports uses of the machine, and the directory they go into. */
export interface RekeyReach {
  readonly directory: DataDirectory
  readonly secrets: Secrets
  readonly program: NodeProgram
  readonly pid: number
  readonly now: () => number
  readonly signal: AbortSignal
  readonly user: string
  readonly memoryMb: number
  readonly watch: ImportWatch
}

/** A batch as it was and as it is under the new keys. */
export interface RekeyedBatch {
  readonly before: Batch
  readonly source: Source
  readonly rows: number
  readonly identities: number
}

/** Reads all of the given files, to know which they are. Throws InputError. */
export async function digestInputs(
  paths: readonly string[],
  { program, signal }: Pick<RekeyReach, "program" | "signal">,
  onProgress: (progress: LookProgress) => void,
): Promise<GivenInput[]> {
  const reader = startReader(program)
  const end = (): void => void reader.kill()
  signal.addEventListener("abort", end)
  try {
    const given: GivenInput[] = []
    for (const path of paths) given.push({ path, digest: await reader.digest(path, onProgress) })
    return given
  } finally {
    signal.removeEventListener("abort", end)
    await reader.kill()
  }
}

/**
 * Imports the batches of a plan again, under the secret of another directory: the same rows, with
 * the same dates, from the same files. Batches that are there already are left as they are, so it
 * goes on where it was interrupted.
 */
export async function rekeyBatches(
  { repeatable, missing }: RekeyPlan,
  reach: RekeyReach,
): Promise<RekeyedBatch[]> {
  const rekeyed: RekeyedBatch[] = []
  for (const each of repeatable) {
    reach.signal.throwIfAborted()
    const { merged } = await importCorpus(requestOf(each, reach), importReach(reach), reach.watch)
    const { rows, identities } = merged
    rekeyed.push({ before: each.batch, source: each.source, rows, identities })
  }
  // Keys decide which identities are sampled, so a new measurement would differ. With every source
  // there, the old result is as true; it holds until an import measures again.
  if (missing.length === 0) await keepCirculation(repeatable, reach)
  return rekeyed
}

function requestOf(
  { batch, source, recipe, paths }: RepeatableBatch,
  { user, memoryMb }: RekeyReach,
): Parameters<typeof importCorpus>[0] {
  const { kind, date, format, map } = recipe.said
  return {
    paths,
    hints: { map, ...(format === null ? {} : { format }) },
    source: {
      name: source.name,
      ...(kind === null ? {} : { kind }),
      ...(date === null ? {} : { date }),
    },
    rejects: null,
    memoryMb,
    wait: false,
    importedBy: user,
    repeats: { description: source, startedAtMs: batch.createdAt, keyedAs: recipe.keyedAs },
  }
}

function importReach(reach: RekeyReach): Parameters<typeof importCorpus>[1] {
  const { directory, secrets, program, pid, now, signal } = reach
  return {
    directory,
    secrets,
    program,
    pid,
    now,
    signal,
    openIndex: () => openRekeyed(reach),
    // All of them are one entry, written when the directory has its records.
    audit: async () => undefined,
    async compact(onProgress) {
      await compactIfNeeded({ path: directory.index, now, onProgress })
    },
  }
}

/** Opens the index of the new directory, tied to the new secret. */
export async function openRekeyed({
  directory,
  secrets,
}: Pick<RekeyReach, "directory" | "secrets">): Promise<ExposureIndex> {
  const index = await openLmdbIndex({ path: directory.index })
  try {
    await index.checkKeyCheckValue(secrets.checkValue)
  } catch (error) {
    await index.close()
    throw error
  }
  return index
}

async function keepCirculation(
  repeatable: readonly RepeatableBatch[],
  reach: RekeyReach,
): Promise<void> {
  const before = new Map(repeatable.map(({ source }) => [source.name, source]))
  const index = await openRekeyed(reach)
  try {
    const { sources, version } = await index.catalogue()
    const changes = new Map<number, SourceChange>()
    for (const { id, name, owner } of sources.values()) {
      const known = owner === "shared" ? before.get(name) : undefined
      if (known === undefined) continue
      const { circulates, circulation = null } = known
      changes.set(id, { circulates, circulation })
    }
    // Nobody else uses the directory, so the catalogue still has this version.
    await index.changeSources(changes, version)
  } finally {
    await index.close()
  }
}
