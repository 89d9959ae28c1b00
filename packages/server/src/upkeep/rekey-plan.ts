import type { Batch, Catalogue, ImportRecipe, Source } from "@assay/stores/exposure-index"
import { inputName } from "@assay/corpus/import-recipe"
import { isLive } from "@assay/corpus/sources"

/** A file or folder that was given, with what stands for its contents. */
export interface GivenInput {
  readonly path: string
  readonly digest: string
}

export interface RepeatableBatch {
  readonly batch: Batch
  readonly source: Source
  readonly recipe: ImportRecipe
  /** The given inputs it was imported from. */
  readonly paths: readonly string[]
}

export interface MissingBatch {
  readonly batch: Batch
  readonly source: Source
  /** `files`: not all of its files were given; `recipe`: it is not known which they were. */
  readonly lacks: "files" | "recipe"
}

export interface RekeyPlan {
  /** Oldest first, as they were imported. */
  readonly repeatable: readonly RepeatableBatch[]
  readonly missing: readonly MissingBatch[]
  /** Given inputs of which no batch was imported. */
  readonly unused: readonly string[]
}

/**
 * Finds the files of every live shared batch that an import made. Tenants' batches follow from the
 * records and the demo's from the program: no file would bring them back.
 */
export function planRekey(catalogue: Catalogue, given: readonly GivenInput[]): RekeyPlan {
  const paths = new Map(given.map(({ path, digest }) => [inputName(digest), path]))
  const repeatable: RepeatableBatch[] = []
  const missing: MissingBatch[] = []
  for (const batch of catalogue.batches.values()) {
    const source = catalogue.sources.get(batch.sourceId)
    if (source === undefined || batch.owner !== "shared" || !isLive(batch)) continue
    if (batch.segment == null) continue
    const { recipe = null } = batch
    const inputs = recipe?.inputs ?? null
    if (recipe === null || inputs === null) {
      missing.push({ batch, source, lacks: "recipe" })
      continue
    }
    const own = inputs.map((name) => paths.get(name)).filter((path) => path !== undefined)
    if (own.length < inputs.length) missing.push({ batch, source, lacks: "files" })
    else repeatable.push({ batch, source, recipe, paths: own })
  }
  const used = new Set(repeatable.flatMap((each) => each.paths))
  const unused = [...paths.values()].filter((path) => !used.has(path))
  return { repeatable, missing, unused }
}
