import { lackingSegments } from "@assay/corpus/brought-segments"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import type { BroughtSegment } from "@assay/corpus/import-request"
import type { DataDirectory } from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import { openIndexForCommand } from "../upkeep/open-index.ts"
import type { Config } from "../base/config.ts"
import { bringSegment, peersOf, reasonsText } from "../run/fetch-segment.ts"
import { nodeIdIn } from "../run/node-id.ts"
import { withRecords } from "./records-access.ts"

interface BringOptions {
  readonly config: Config
  readonly directory: DataDirectory
  readonly secrets: Secrets
  readonly signal: AbortSignal
}

/**
 * Brings what this node lacks of the segments that an import is measured against. A service that
 * runs does so by itself, within seconds: this is for what became live since then, and for a
 * command where none runs.
 */
export async function bringForImport(
  { config, directory, secrets, signal }: BringOptions,
  onBegun: (segment: BroughtSegment) => void,
): Promise<void> {
  const index = await openIndexForCommand(config, { readOnly: true })
  const catalogue = await index.catalogue().finally(() => index.close())
  const wanted = await lackingSegments(catalogue, directory.segments)
  if (wanted.length === 0) return
  const nodes = await withRecords(config, (records) => records.nodes())
  const peers = peersOf(nodes, nodeIdIn(directory.path))
  // Where no node gives any, measuring says what is missing and where it is wanted.
  if (peers.every(({ address }) => address === null)) return
  const place = { key: secrets.subkeys.nodes, segments: directory.segments, signal }
  for (const [number, segment] of wanted.entries()) {
    onBegun({ number: number + 1, of: wanted.length, bytes: segment.bytes })
    const failed = await bringSegment(segment, peers, place)
    if (failed === null) continue
    const { file, batchId, source } = segment
    throw new ImportFailure(
      "segments-away",
      `Segment ${file} of batch ${batchId} of ${source} is not here, so it is not known which sources circulate others: ${reasonsText(failed)}. Start the node that has it, or copy it to ${directory.segments}`,
    )
  }
}
