import { randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type CatalogueDocument, catalogueBytes, readCatalogue } from "@assay/stores/catalogue"
import type { Catalogue } from "@assay/stores/exposure-index"
import { writeDurably } from "@assay/runtime/durable-files"

/**
 * A copy of the catalogue in the data directory, which describes the segments: the catalogue lives
 * in the index, and a lost index takes it along. Written after each change by a command and at each
 * start, so at worst it is one change behind.
 */
const NAME = "catalogue.json"

/** Keeps the descriptions of batches that have a segment, and of their sources. */
export async function keepCatalogue(catalogue: Catalogue, dataDirectory: string): Promise<void> {
  const document = ofSegments(catalogue)
  const path = join(dataDirectory, NAME)
  // A service that never imported has nothing to keep.
  if (document.batches.size === 0 && !existsSync(path)) return
  // The service of a node and a command on its machine may write it at the same time.
  const beside = `${path}.${randomBytes(6).toString("hex")}.new`
  await writeDurably(path, Buffer.from(catalogueBytes(document)).toString("utf8"), beside)
}

/** The kept catalogue; null if there is none. Throws MalformedBytes for a damaged one. */
export function readKeptCatalogue(dataDirectory: string): Catalogue | null {
  const path = join(dataDirectory, NAME)
  return existsSync(path) ? readCatalogue(readFileSync(path)) : null
}

function ofSegments({ version, sources, batches }: Catalogue): CatalogueDocument {
  const kept = [...batches].filter(([, { state, segment }]) => state === "live" && segment != null)
  const named = new Set(kept.map(([, { sourceId }]) => sourceId))
  return {
    version,
    sources: new Map([...sources].filter(([id]) => named.has(id))),
    batches: new Map(kept),
    tenants: new Set(),
    revisions: new Map(),
  }
}
