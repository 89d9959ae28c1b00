import type { Catalogue } from "@assay/stores/exposure-index"
import type { LeaseRecords, NodeRecords } from "@assay/stores/records-nodes"
import { oneAtATime } from "@assay/runtime/one-at-a-time"
import { DAY_MS } from "@assay/runtime/time"
import type { Settling } from "../http/feature.ts"
import { importStatesText, type KeptImport, type KeptState, keptImports } from "./import-states.ts"
import type { Imports } from "./imports.ts"
import { IMPORTS_KEPT, wentLive } from "./run-imports.ts"

type Running = Imports & Required<Pick<Settling, "settleDue" | "idle">> & Settling

interface SharingOptions {
  readonly imports: Running
  /** Its own imports as they are, as they are kept. */
  readonly kept: () => readonly KeptImport[]
  readonly records: Pick<
    LeaseRecords & NodeRecords,
    "sayImports" | "saidImports" | "useOnce" | "wasUsed" | "nodes" | "databaseTime"
  >
  readonly nodeId: string
  readonly catalogue: () => Promise<Catalogue>
  /** Whether a process of any node imports. */
  readonly isImporting: () => Promise<boolean>
}

/** As long as a lease: others do the work of a node that said nothing for so long. */
const GONE_MS = 15_000
/** Why an import was lost whose node is gone. */
const GONE = "The node that imported is gone"

/**
 * Imports of all nodes that share the records. A node says each second what became of its own, and
 * that one has ended before it tells anybody; it is asked to stop one by a name in the records. Of
 * one that ran on a node that is gone the catalogue says what became of it, until that node is back
 * and says so itself.
 */
export function shareImports(options: SharingOptions): Running {
  const { imports, kept, records, nodeId, catalogue, isImporting } = options
  let said = ""
  let saidEnded = ""

  // One at a time, so that an older state never takes the place of a newer one.
  const say = oneAtATime(async () => {
    const all = kept()
    const text = importStatesText(all)
    if (text !== said) await records.sayImports({ id: nodeId, said: text })
    said = text
    saidEnded = endedIn(all)
  })

  async function sayAndStop(): Promise<void> {
    await say()
    const running = kept().find(({ state }) => state.state === "running")?.state.id
    if (running !== undefined && (await records.wasUsed(stopping(running))))
      await imports.stop(running)
  }

  /** What this node's own imports answer, once the other nodes know of each that has ended. */
  async function told<T>(own: Promise<T>): Promise<T> {
    const answer = await own
    if (endedIn(kept()) !== saidEnded) await say()
    return answer
  }

  async function ofOthers(): Promise<KeptState[]> {
    const others = (await records.saidImports()).filter(({ id }) => id !== nodeId)
    const states: KeptState[] = []
    for (const { id, said: text } of others) {
      for (const each of keptImports(text)) {
        const isRunning = each.state.state === "running"
        const goneAt = isRunning ? await goneSince(id) : null
        states.push(goneAt === null ? each.state : await left(each, goneAt))
      }
    }
    return states
  }

  /** When a node that is gone was last there; null: it is. */
  async function goneSince(node: string): Promise<number | null> {
    const [all, now] = await Promise.all([records.nodes(), records.databaseTime()])
    const found = all.find(({ id }) => id === node)
    if (found === undefined) return now
    return found.leftAt === null && found.seenAt > now - GONE_MS ? null : found.seenAt
  }

  /** What became of an import whose node is gone; its process may go on for a while. */
  async function left(each: KeptImport, goneAt: number): Promise<KeptState> {
    if (await isImporting()) return each.state
    const ended_at = new Date(goneAt).toISOString()
    const over = { seconds_left: null, rows_per_second: null, ended_at }
    return wentLive(each, await catalogue())
      ? { ...each.state, ...over, state: "done", detail: `${GONE}. Its evidence counts` }
      : { ...each.state, ...over, state: "failed", code: "other", detail: GONE }
  }

  const other = async (id: string): Promise<KeptState | null> =>
    (await ofOthers()).find((state) => state.id === id) ?? null

  return {
    ...imports,
    async begin(taken) {
      // The lease refuses it too, but only once its bytes are on their way.
      if ((await ofOthers()).some(({ state }) => state === "running")) return null
      const begun = await imports.begin(taken)
      await sayAndStop()
      return begun
    },
    async list() {
      const [own, others] = await Promise.all([told(imports.list()), ofOthers()])
      return [...own, ...others]
        .sort((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at))
        .slice(0, IMPORTS_KEPT)
    },
    get: async (id) => (await told(imports.get(id))) ?? (await other(id)),
    read: (id) => told(imports.read(id)),
    async stop(id) {
      if (await told(imports.stop(id))) return true
      if ((await other(id))?.state !== "running") return false
      await records.useOnce({ name: stopping(id), forMs: DAY_MS })
      return true
    },
    async settleDue() {
      try {
        await imports.settleDue()
      } finally {
        await sayAndStop()
      }
    },
    async idle() {
      await imports.idle()
      await sayAndStop()
    },
  }
}

/** The ids of those that do not run. */
function endedIn(all: readonly KeptImport[]): string {
  const ended = all.filter(({ state }) => state.state !== "running")
  return ended.map(({ state }) => state.id).join(" ")
}

function stopping(id: string): string {
  return `stop import ${id}`
}
