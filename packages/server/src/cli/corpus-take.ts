import { importCorpus } from "@assay/corpus/import"
import type { ImportWatch } from "@assay/corpus/import-request"
import type { TakenImport, TakenNews, TakenOrder, TakenProgress } from "@assay/corpus/taken-import"
import { parentChannel } from "@assay/runtime/channels"
import { readConfig } from "../base/config.ts"
import { failureOf, giveWay, importReach } from "./corpus-import.ts"
import { decidedInBatch } from "./decided-in-batch.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Of the sorter, as the command's own default. */
const MEMORY_MB = 512

/**
 * Imports what the service says over the pipe to it. An upload arrives on standard input, which the
 * reader inherits: its bytes do not pass through this process. Where the service is gone, the
 * import is stopped, and nothing has changed.
 */
export async function takeImport(terminal: Terminal, host: NodeJS.Process): Promise<void> {
  if (!host.connected) throw new CommandError("This command is for the service alone")
  const channel = parentChannel(host)
  const tell = (news: TakenNews): void => channel.send(news)
  const stopping = new AbortController()
  host.once("disconnect", () => stopping.abort())
  for (const signal of ["SIGINT", "SIGTERM"] as const) host.once(signal, () => stopping.abort())
  const order = new Promise<TakenImport>((resolve) =>
    channel.onMessage((message) => {
      const said = message as TakenOrder
      if (said.type === "import") resolve(said.taken)
      else stopping.abort()
    }),
  )
  tell({ type: "ready" })
  const stopped = new Promise<null>((resolve) =>
    stopping.signal.addEventListener("abort", () => resolve(null)),
  )
  const taken = await Promise.race([order, stopped])
  if (taken === null) return
  giveWay()
  const watch: ImportWatch & { progress(progress: TakenProgress): void } = {
    waits: () => undefined,
    examined: () => undefined,
    resumes: () => undefined,
    progress: (progress) => tell({ type: "progress", progress }),
    compacts: (done, total) =>
      tell({ type: "progress", progress: { phase: "compacting", rows: done, done, total } }),
    // The failure that follows says what is left to do.
    unfinished: (report) => tell({ type: "live", report }),
  }
  const request = { ...taken, rejects: null, memoryMb: MEMORY_MB, wait: false }
  const config = readConfig(terminal.env)
  const { signal } = stopping
  const reach = importReach(config, terminal, host, signal)
  try {
    const report = await importCorpus(request, reach, watch)
    tell({ type: "live", report })
    const { segments } = reach.directory
    const { progress } = watch
    tell({
      type: "done",
      decided: await decidedInBatch(report.batch, { config, terminal, segments, signal, progress }),
    })
  } catch (error) {
    tell({ type: "failed", ...failureOf(error) })
  }
}
