import { join } from "node:path"
import { openSegmentReader } from "@assay/corpus/segments/segment"
import type { CountedDecided, TakenProgress } from "@assay/corpus/taken-import"
import { shortReason } from "@assay/corpus/engine/import-failure"
import { DAY_MS } from "@assay/runtime/time"
import { firstDecisionIdAt } from "@assay/stores/decision-id"
import type { Batch, SegmentBlock } from "@assay/stores/exposure-index"
import type { Config } from "../base/config.ts"
import { countDecided, KEYS_MAX } from "../imports/count-decided.ts"
import { type ReadDecisions, readAllDecisions } from "./decisions.ts"
import type { Terminal } from "./terminal.ts"

/** Of decisions that count, unless fewer are kept. */
const DAYS = 30

export interface DecidedReach {
  readonly config: Pick<Config, "decisions" | "decisionDays">
  readonly terminal: Terminal
  /** Where segments are. */
  readonly segments: string
  readonly signal: AbortSignal
  progress(progress: TakenProgress): void
}

/**
 * How many identities of a live batch were decided about lately, by any tenant. Never throws: the
 * batch counts, whether or not this can be told.
 */
export async function decidedInBatch(batch: Batch, reach: DecidedReach): Promise<CountedDecided> {
  const { config, terminal, segments, signal } = reach
  // Where nothing is recorded, nobody was decided about as far as anyone knows: that is no count.
  if (config.decisions === "off") return { uncounted: "Decisions are not recorded here" }
  if (!batch.segment) return { uncounted: "The rows of the import are not kept" }
  const days = Math.min(DAYS, config.decisionDays)
  const until = terminal.now()
  const path = join(segments, batch.segment.file)
  try {
    reach.progress({ phase: "counting", rows: 0, done: 0, total: batch.rows })
    const decisions = await readAllDecisions(terminal)
    const rows = await openSegmentReader()
    try {
      const identities = await countDecided({
        blocks: watched(rows.blocks(path), batch.rows, reach),
        decided: () => keysOf(decisions, { from: until - days * DAY_MS, until, signal }),
        keysMax: KEYS_MAX,
      })
      return { identities, days }
    } finally {
      rows.close()
      await decisions.store.close()
    }
  } catch (error) {
    if (signal.aborted) return { uncounted: "Counting was stopped" }
    return { uncounted: `Decisions could not be counted (${shortReason(error)})` }
  }
}

/** How many rows are read between two signs of life. */
const TOLD_ROWS = 100_000

async function* watched(
  blocks: AsyncIterable<SegmentBlock>,
  total: number,
  { signal, progress }: Pick<DecidedReach, "signal" | "progress">,
): AsyncGenerator<SegmentBlock> {
  let done = 0
  let told = 0
  for await (const block of blocks) {
    signal.throwIfAborted()
    yield block
    done += block.count
    if (done - told < TOLD_ROWS) continue
    told = done
    progress({ phase: "counting", rows: done, done, total })
  }
}

/** The keys of all decisions of a time. */
async function* keysOf(
  { unfolded, store }: ReadDecisions,
  { from, until, signal }: { from: number; until: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  for (const { at, identityKey } of unfolded) if (at >= from && at <= until) yield identityKey
  for (let before: string | null = firstDecisionIdAt(until + 1); before !== null;) {
    signal.throwIfAborted()
    const part: Awaited<ReturnType<typeof store.identities>> = await store.identities({
      from,
      before,
    })
    yield part.keys
    before = part.next
  }
}
