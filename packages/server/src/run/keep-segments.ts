import { lackingSegments } from "@assay/corpus/brought-segments"
import { keepCatalogue } from "@assay/corpus/kept-catalogue"
import { leftovers, removeLeftovers } from "@assay/corpus/kept-segment"
import { deleteRemovedSegments } from "@assay/corpus/removed-segments"
import { type DataDirectory, lockImports } from "@assay/runtime/data-directory"
import type { Log } from "@assay/runtime/log"
import type { Catalogue, ExposureIndex } from "@assay/stores/exposure-index"
import type { LeaseRecords, NodeRecords } from "@assay/stores/records-nodes"
import { IMPORT_LEASE } from "../base/import-lease.ts"
import { peersOf } from "./fetch-segment.ts"
import type { SegmentsPort } from "./ports.ts"

export interface KeptSegments {
  /** Segments of live batches that are not here; null: not known yet. */
  lacking(): number | null
  stop(): Promise<void>
}

interface KeepSegmentsOptions {
  readonly index: Pick<ExposureIndex, "catalogue">
  readonly records: Pick<NodeRecords, "nodes"> & Pick<LeaseRecords, "takeLease" | "releaseLease">
  /** Of this node. */
  readonly id: string
  readonly directory: DataDirectory
  /** Brings segments from other nodes; null: nobody does. It is closed with this. */
  readonly thread: Pick<SegmentsPort, "bring" | "close"> | null
  readonly now: () => number
  readonly log: Log
  readonly everyMs?: number
}

const EVERY_MS = 2_000
/** Rounds after which all is looked at again, though the catalogue did not change. */
const ROUNDS_MAX = 30
/** Rounds until what did not come is asked for again; twice as many each time after that. */
const RETRY_ROUNDS = 5
/** What is removed takes milliseconds. */
const TIDY_MS = 5_000

/**
 * Keeps the segments of a node among several those that the catalogue names: what other nodes
 * imported is brought, what was removed from any node is deleted, and what an import of this node
 * left that was killed goes, since the next one may be elsewhere.
 */
export function keepSegments(options: KeepSegmentsOptions): KeptSegments {
  const { index, records, id, directory, thread, now, log, everyMs = EVERY_MS } = options
  let lacking: number | null = null
  /** Versions of the catalogue that were gone through, and that was written. */
  let seen: number | null = null
  let kept: number | null = null
  let rounds = 0
  let waited = 0
  let pause = RETRY_ROUNDS
  let told = false
  let stopping = false

  const bring = async (catalogue: Catalogue): Promise<void> => {
    const wanted = await lackingSegments(catalogue, directory.segments)
    lacking = wanted.length
    if (thread === null || wanted.length === 0) return
    const peers = peersOf(await records.nodes(), id)
    let count = 0
    for (const segment of wanted) {
      if (stopping) return
      if ((await thread.bring(segment, peers)) !== null) continue
      lacking--
      count++
    }
    if (count > 0) log.info("segments were brought from other nodes", { count })
    if (lacking > 0 && !told)
      log.warn("segments of imports are on no node that answers", { count: lacking })
    told = lacking > 0
  }

  /** Both turns are asked for, so that nothing of a running import is taken for left. */
  const tidy = async (catalogue: Catalogue): Promise<void> => {
    if (leftovers(directory, catalogue, now()).length === 0) return
    const lock = lockImports(directory.path)
    if (lock === null) return
    try {
      // Not in the name of the node, which would take the turn from an import of its own.
      const holder = `${id} tidying`
      const lease = await records.takeLease({ name: IMPORT_LEASE, holder, forMs: TIDY_MS })
      if (lease === null) return
      try {
        // An import may have ended since.
        await removeLeftovers(directory, await index.catalogue(), now())
      } finally {
        await records.releaseLease(lease)
      }
    } finally {
      lock.release()
    }
  }

  const round = async (): Promise<void> => {
    const catalogue = await index.catalogue()
    const { version } = catalogue
    const isNew = version !== seen
    // A round later: a command of this node that changed it writes it first.
    if (!isNew && version !== kept) {
      await keepCatalogue(catalogue, directory.path)
      kept = version
    }
    const isDue = isNew || rounds++ >= ROUNDS_MAX
    if (isDue) {
      await deleteRemovedSegments(catalogue, directory.segments)
      await tidy(catalogue)
      seen = version
      rounds = 0
    }
    if (!isDue && (lacking === 0 || ++waited < pause)) return
    waited = 0
    pause = isNew ? RETRY_ROUNDS : Math.min(pause * 2, ROUNDS_MAX)
    await bring(catalogue)
  }

  let failing = false
  let running = Promise.resolve()
  let isRunning = false
  const look = (): void => {
    if (isRunning || stopping) return
    isRunning = true
    running = round()
      .then(() => void (failing = false))
      .catch((error: unknown) => {
        if (!failing && !stopping) log.warn("segments could not be looked after", { error })
        failing = true
      })
      .finally(() => (isRunning = false))
  }
  look()
  const timer = setInterval(look, everyMs)
  return {
    lacking: () => lacking,
    async stop() {
      stopping = true
      clearInterval(timer)
      // What is being brought ends with it.
      await thread?.close()
      await running
    },
  }
}
