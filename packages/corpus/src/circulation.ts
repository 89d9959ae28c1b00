import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type {
  Batch,
  Catalogue,
  ExposureIndex,
  Source,
  SourceChange,
  SourceChanges,
  SourceDescription,
} from "@assay/stores/exposure-index"
import {
  type CirculationFigures,
  circulationFigures,
  type MeasuredSource,
  type MeasuringProgress,
} from "./circulation-figures.ts"
import { isAddressOnly, sourceDate } from "./sources.ts"
import { Explained } from "@assay/runtime/explained"
import { typedCommand } from "@assay/runtime/typed-command"

/**
 * Circulation is a property of a source: it passes on what other sources held before. Its entries
 * stay unchanged and are presented as reposts. Age is decided by date. Between sources of the same
 * day, or without a date, the larger counts as the older, so that the order of imports decides only
 * between sources that are alike.
 */

/**
 * Shares, in per cent, of what a source has in its sample that older sources must hold for it to
 * circulate them.
 */
export const KNOWN_IDENTITIES_MIN = 80
export const KNOWN_PAIRS_MIN = 60

/** With fewer identities in the sample, or fewer pairs, chance would decide, so nothing is. */
export const SAMPLE_MIN = 50

/** A batch about to go live, with its future segment and the new description of its source. */
export interface LoadingBatch {
  readonly batchId: number
  /** Name of the file in the directory of segments. */
  readonly file: string
  readonly description: SourceDescription
  readonly identities: number
  /** Digests of the files it was imported from; null if they are not known. */
  readonly inputs: readonly string[] | null
}

/**
 * The decision from the figures. Both shares must be reached: the same people with other passwords
 * are no copy.
 */
export function circulates(figures: CirculationFigures): boolean {
  const { identities, knownIdentities, pairs, knownPairs, sameAs } = figures
  if (sameAs !== undefined) return true
  return (
    isEnough(figures) &&
    100 * knownIdentities >= KNOWN_IDENTITIES_MIN * identities &&
    100 * knownPairs >= KNOWN_PAIRS_MIN * pairs
  )
}

/**
 * Whether the sample is large enough to decide by. A source without plaintext passwords has no
 * pairs: only the same data decides.
 */
export function isEnough({ identities, pairs }: CirculationFigures): boolean {
  return identities >= SAMPLE_MIN && pairs >= SAMPLE_MIN
}

/**
 * The changes of sources that a measurement leads to, with a loading batch counted as if it were
 * live. Pass them to `goLive`, so that the batch and these changes become visible at the same
 * moment.
 */
export async function circulationChanges(
  catalogue: Catalogue,
  segmentsDirectory: string,
  workDirectory: string,
  loading?: LoadingBatch,
  onProgress?: MeasuringProgress,
): Promise<SourceChanges> {
  const sources = measuredSources(catalogue, loading)
  const figures = await figuresOf(sources, segmentsDirectory, workDirectory, onProgress)
  return changesOf(catalogue, figures, loading)
}

/**
 * Measures every source again and writes the result as one change, together with a change of one
 * source's description if given. Returns the catalogue after it. If it throws
 * `circulation-unknown`, nothing changed.
 */
export async function recomputeCirculation(
  index: ExposureIndex,
  segmentsDirectory: string,
  workDirectory: string,
  change?: { readonly sourceId: number; readonly change: SourceChange },
): Promise<Catalogue> {
  let measured: readonly MeasuredSource[] | null = null
  let figures: ReadonlyMap<number, CirculationFigures> = new Map()
  // Measuring takes a while. Where the catalogue changed meanwhile the figures are taken again,
  // unless the change was about something else.
  for (;;) {
    const current = await index.catalogue()
    const catalogue = change === undefined ? current : revised(current, change)
    const sources = measuredSources(catalogue)
    if (!isDeepStrictEqual(sources, measured)) {
      try {
        figures = await figuresOf(sources, segmentsDirectory, workDirectory)
      } catch (error) {
        // A source that was removed meanwhile takes its segments with it.
        if ((await index.catalogue()).version !== current.version) continue
        throw error
      }
      measured = sources
    }
    const changes = new Map(changesOf(catalogue, figures))
    if (change !== undefined) {
      const found = changes.get(change.sourceId)
      changes.set(change.sourceId, { ...change.change, ...found })
    }
    const written = await index.changeSources(changes, current.version)
    if (written !== null) return written
  }
}

async function figuresOf(
  sources: readonly MeasuredSource[],
  segmentsDirectory: string,
  workDirectory: string,
  onProgress?: MeasuringProgress,
): Promise<ReadonlyMap<number, CirculationFigures>> {
  if (sources.length === 0) return new Map()
  try {
    return await circulationFigures(sources, segmentsDirectory, workDirectory, onProgress)
  } catch (cause) {
    const away = sources
      .flatMap(({ files }) => files)
      .filter((file) => !existsSync(join(segmentsDirectory, file))).length
    if (away > 0)
      throw new Explained("circulation-unknown", elsewhere(away, segmentsDirectory), { cause })
    throw new Explained(
      "circulation-unknown",
      `A segment cannot be read, so it is not known which sources circulate others; ${typedCommand("corpus verify")} names it`,
      { cause },
    )
  }
}

/** Of several nodes without ASSAY_NODE_PORT each has the segments of its own imports only. */
function elsewhere(count: number, segmentsDirectory: string): string {
  const [number, are, them] =
    count === 1 ? ["1 segment", "is", "it"] : [`${count} segments`, "are", "them"]
  return `${number} of earlier imports ${are} not in ${segmentsDirectory}, so it is not known which sources circulate others. Of several nodes, set ASSAY_NODE_PORT on all, import on the one that has ${them}, or copy ${them} here`
}

/**
 * Shared sources whose live batches are kept in segments. Any other source cannot be measured and
 * stays unchanged.
 */
function measuredSources(catalogue: Catalogue, loading?: LoadingBatch): MeasuredSource[] {
  const held = [...catalogue.batches.values()].flatMap((batch) => heldBatch(batch, loading))
  return [...Map.groupBy(held, ({ sourceId }) => sourceId)].map(([id, batches]) => {
    const source = describedSource(catalogue, id, loading)
    const inputs = batches.map((batch) => batch.inputs)
    return {
      id,
      date: sourceDate(source),
      addressOnly: isAddressOnly(source),
      identities: batches.reduce((sum, { identities }) => sum + identities, 0),
      files: batches.map(({ file }) => file).toSorted(),
      inputs: inputs.includes(null) ? null : [...new Set(inputs.flatMap((each) => each ?? []))],
    }
  })
}

/**
 * The facts about a batch for measuring; nothing for a batch that is not kept in a segment, or not
 * held.
 */
function heldBatch(
  { id, sourceId, owner, state, identities, segment = null, recipe = null }: Batch,
  loading: LoadingBatch | undefined,
): (Pick<LoadingBatch, "file" | "identities" | "inputs"> & { readonly sourceId: number })[] {
  if (owner !== "shared") return []
  if (id === loading?.batchId) {
    return [{ sourceId, ...loading }]
  }
  if (state !== "live" || segment === null) return []
  return [{ sourceId, file: segment.file, identities, inputs: recipe?.inputs ?? null }]
}

function changesOf(
  catalogue: Catalogue,
  figures: ReadonlyMap<number, CirculationFigures>,
  loading?: LoadingBatch,
): SourceChanges {
  return new Map(
    [...figures].map(([id, found]) => {
      const { circulates: said, circulation } = describedSource(catalogue, id, loading)
      const decided = circulation?.decidedBy === "operator"
      const change: SourceChange = {
        circulates: decided ? said : circulates(found),
        circulation: { decidedBy: decided ? "operator" : "measured", ...found },
      }
      return [id, change]
    }),
  )
}

/**
 * A source as it will be once the loading batch is live: with the batch's description, and earlier
 * decisions.
 */
function describedSource(catalogue: Catalogue, id: number, loading?: LoadingBatch): Source {
  const source = catalogue.sources.get(id)
  if (source === undefined) throw new Error("A batch names a source the catalogue does not have")
  if (loading === undefined || catalogue.batches.get(loading.batchId)?.sourceId !== id)
    return source
  const { description } = loading
  const { circulates: said, circulation } =
    (description.circulation ?? null) === null ? source : description
  return { ...source, ...description, circulates: said, circulation: circulation ?? null }
}

function revised(
  catalogue: Catalogue,
  { sourceId, change }: { readonly sourceId: number; readonly change: SourceChange },
): Catalogue {
  const source = catalogue.sources.get(sourceId)
  if (source === undefined) return catalogue
  return {
    ...catalogue,
    sources: new Map(catalogue.sources).set(sourceId, { ...source, ...change }),
  }
}
