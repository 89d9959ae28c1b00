import { randomBytes } from "node:crypto"
import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import type { ImportState } from "@assay/core/contract"
import { rejectsByCount } from "@assay/corpus/engine/reject-file"
import { REJECT_REASONS } from "@assay/corpus/formats/parsed-row"
import type { ImportProgress, ImportReport } from "@assay/corpus/import-request"
import type { TakenImport, TakenNews, TakenOrder } from "@assay/corpus/taken-import"
import { orAfter } from "@assay/runtime/children"
import type { ImportRunner } from "../http/feature.ts"
import type { BegunImport, Imports } from "./imports.ts"

/** How long a worker may take to bring the upload that it announced. */
const CONNECT_MS = 10_000
/** How many imports are remembered. */
const KEPT = 20
/** Below the time that workers wait for an answer. */
const READ_MS = 20_000

interface Run {
  state: ImportState
  phaseSince: number
  /** Its input was read, or it has ended. */
  readonly read: PromiseWithResolvers<null>
  readonly over: PromiseWithResolvers<null>
  stop(): void
}

/** One import at a time; what became of the last ones is remembered until the service ends. */
export function runImports(runner: ImportRunner): Imports & { idle(): Promise<void> } {
  const { now, elapsed } = runner
  const runs: Run[] = []
  const running = (): Run | undefined => runs.find(({ state }) => state.state === "running")
  const find = (id: string): Run | undefined => runs.find(({ state }) => state.id === id)

  function end(run: Run, how: Partial<ImportState> & Pick<ImportState, "state">): void {
    if (run.state.state !== "running") return
    const over = { seconds_left: null, ended_at: new Date(now()).toISOString() }
    run.state = { ...run.state, ...over, ...how }
    run.read.resolve(null)
    run.over.resolve(null)
  }

  function follow(run: Run, taken: TakenImport, stdin: Socket | null): void {
    let stopped = false
    const command = runner.start(stdin)
    const order = (said: TakenOrder): void => command.channel.send(said)
    run.stop = () => {
      stopped = true
      order({ type: "stop" })
    }
    command.channel.onMessage((message) => {
      const news = message as TakenNews
      if (news.type === "ready") order({ type: "import", taken })
      else if (news.type === "progress") progress(run, news.progress)
      else if (news.type === "done") end(run, { state: "done", report: reportOf(news.report) })
      else {
        const { code, message: detail } = news
        end(run, code === "stopped" ? { state: "stopped" } : { state: "failed", code, detail })
      }
    })
    const gone = (): void =>
      end(
        run,
        stopped
          ? { state: "stopped" }
          : { state: "failed", code: "other", detail: "The process of the import ended" },
      )
    command.ended.then(gone, gone)
  }

  function progress(run: Run, { phase, rows, done, total }: ImportProgress): void {
    if (run.state.state !== "running") return
    if (phase !== run.state.phase) run.phaseSince = elapsed()
    if (phase !== "examining" && phase !== "reading") run.read.resolve(null)
    const seconds = (elapsed() - run.phaseSince) / 1000
    const byRows = phase === "reading" || phase === "merging"
    const left = total === null || done === 0 ? null : (seconds * Math.max(0, total - done)) / done
    run.state = {
      ...run.state,
      ...{ phase, rows, done, total },
      rows_per_second: byRows && seconds > 0 ? Math.round(rows / seconds) : null,
      seconds_left: left === null ? null : Math.ceil(left),
    }
  }

  /** Listens for the one connection that brings the upload. */
  async function awaitUpload(run: Run, taken: TakenImport): Promise<string> {
    const { socketPath } = runner
    rmSync(socketPath, { force: true })
    // Paused: the process that is handed the connection reads its first byte.
    const server: Server = createServer({ pauseOnConnect: true })
    const close = (): void => {
      clearTimeout(timer)
      server.close()
    }
    const timer = setTimeout(() => {
      close()
      end(run, { state: "failed", code: "input", detail: "The upload did not begin" })
    }, CONNECT_MS)
    server.once("connection", (socket) => {
      close()
      if (run.state.state === "running") follow(run, taken, socket)
      else socket.destroy()
    })
    run.stop = () => {
      close()
      end(run, { state: "stopped" })
    }
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(socketPath, resolve)
    })
    chmodSync(socketPath, 0o600)
    return socketPath
  }

  return {
    async begin(taken): Promise<BegunImport | null> {
      if (running() !== undefined) return null
      const id = `imp_${randomBytes(12).toString("hex")}`
      const from = taken.streamed === undefined ? "folder" : "upload"
      const run: Run = {
        state: begunState(id, taken.source.name, from, now()),
        phaseSince: elapsed(),
        read: Promise.withResolvers<null>(),
        over: Promise.withResolvers<null>(),
        stop: () => undefined,
      }
      runs.unshift(run)
      runs.length = Math.min(runs.length, KEPT)
      try {
        if (from === "upload") return { id, socket: await awaitUpload(run, taken) }
        follow(run, taken, null)
        return { id, socket: null }
      } catch (error) {
        end(run, { state: "failed", code: "other", detail: "The import could not be started" })
        throw error
      }
    },
    list: async () => runs.map(({ state }) => state),
    get: async (id) => find(id)?.state ?? null,
    async read(id) {
      const run = find(id)
      if (run === undefined) return null
      await orAfter(READ_MS, run.read.promise, null)
      return run.state
    },
    async stop(id) {
      const run = find(id)
      if (run?.state.state !== "running") return false
      run.stop()
      return true
    },
    async idle() {
      const run = running()
      run?.stop()
      await run?.over.promise
    },
  }
}

function begunState(
  id: string,
  source: string,
  from: ImportState["from"],
  nowMs: number,
): ImportState {
  return {
    ...{ id, source, from, state: "running", phase: "starting" },
    ...{ done: 0, total: null, rows: 0, rows_per_second: null, seconds_left: null },
    started_at: new Date(nowMs).toISOString(),
    ...{ ended_at: null, detail: null, code: null, report: null },
  }
}

function reportOf(report: ImportReport): ImportState["report"] {
  const { changed, batch, source, tally, merged, repeated, sameAs } = report
  const rejects = rejectsByCount(tally.rejects)
  const rejected = rejects.reduce((sum, [, count]) => sum + count, 0)
  return {
    changed,
    batch: batch.id,
    rows: tally.rows + rejected,
    imported: changed ? merged.rows - merged.known : 0,
    known: merged.known,
    repeated,
    rejected,
    rejects: rejects.map(([reason, count]) => ({ reason: REJECT_REASONS[reason], count })),
    identities: merged.identities,
    circulates: source.circulates,
    same_as: sameAs,
  }
}
