// Folds journals as the service does, in a thread that does nothing else: its processor time is
// that of folding, and its heap holds what folding leaves in it.
import { renameSync } from "node:fs"
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { openDecisions } from "@assay/stores/open/open-database"
import { journalFolder } from "../../packages/server/src/decisions/fold.ts"
import { tellOnce } from "../../packages/server/src/decisions/tell-once.ts"

export interface FoldThreadData {
  readonly dataDirectory: string
  readonly databaseUrl: string | null
  readonly journal: string
}

/** Folders that workers have left, each to be folded by itself. */
export type FoldRequest = readonly string[]

export interface FoldAnswer {
  readonly folded: number
  /** Of this thread. */
  readonly processorMicros: number
  readonly wallMs: number
}

const { journal, ...place } = workerData as FoldThreadData
const decisions = await openDecisions(place, { connections: 2 })
const fold = journalFolder({ journal, decisions, onFolded: tellOnce(async () => undefined) })
let workers = 0

parentPort?.on("message", (folders: FoldRequest | null) => {
  void (folders === null
    ? end()
    : foldAll(folders).then((answer) => parentPort?.postMessage(answer)))
})

async function foldAll(folders: FoldRequest): Promise<FoldAnswer> {
  let [folded, processorMicros, wallMs] = [0, 0, 0]
  for (const folder of folders) {
    renameSync(folder, join(journal, String(++workers)))
    const startedAt = performance.now()
    const before = process.threadCpuUsage()
    folded += (await fold()).folded
    const { user, system } = process.threadCpuUsage(before)
    processorMicros += user + system
    wallMs += performance.now() - startedAt
  }
  return { folded, processorMicros, wallMs }
}

async function end(): Promise<void> {
  await decisions.close()
  parentPort?.close()
}
