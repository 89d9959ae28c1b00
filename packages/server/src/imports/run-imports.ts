import { randomBytes } from "node:crypto"
import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { rejectsByCount } from "@assay/corpus/engine/reject-file"
import { REJECT_REASONS } from "@assay/corpus/formats/parsed-row"
import { PhaseTimes } from "@assay/corpus/phase-times"
import { TimeLeft } from "@assay/corpus/time-left"
import type { ImportReport } from "@assay/corpus/import-request"
import type {
  CountedDecided,
  TakenImport,
  TakenNews,
  TakenOrder,
  TakenProgress,
} from "@assay/corpus/taken-import"
import { orAfter } from "@assay/runtime/children"
import type { Catalogue } from "@assay/stores/exposure-index"
import type { ImportRunner, Settling } from "../http/feature.ts"
import type { ImportCounts, ImportOutcome } from "./import-metrics.ts"
import {
  type KeptImport,
  type KeptState,
  readImportStates,
  writeImportStates,
} from "./import-states.ts"
import type { BegunImport, Imports } from "./imports.ts"

/** How long a worker may take to bring the upload that it announced. */
const CONNECT_MS = 10_000
/** How many imports are remembered. */
export const IMPORTS_KEPT = 20
/** Why an import was lost that an earlier service began. */
const STOPPED = "The service was stopped"
/** Below the time that workers wait for an answer. */
const READ_MS = 20_000

interface Run {
  state: KeptState
  readonly importedBy: string
  readonly since: number
  readonly left: TimeLeft<KeptState["phase"]>
  /** Null of one that an earlier service began: its state has what was known. */
  readonly times: PhaseTimes<KeptState["phase"]> | null
  /** Why nothing more is heard of it, though it did not say how it ended; null while it may. */
  lost: string | null
  /** Somebody wanted it to end. */
  isStopped: boolean
  /** Its input was read, or it has ended. */
  readonly read: PromiseWithResolvers<null>
  /** Nothing runs for it any more. */
  readonly over: PromiseWithResolvers<null>
  stop(): void
}

export interface RunImports extends Imports, Required<Pick<Settling, "settleDue" | "idle">> {
  /** All that are remembered as they are, the newest first. */
  kept(): KeptImport[]
}

/**
 * One import at a time. What became of the last ones is kept in a file; what became of one that did
 * not say so itself, because its process or the whole service was killed, is asked of the
 * catalogue.
 */
export function runImports(runner: ImportRunner, catalogue: () => Promise<Catalogue>): RunImports {
  const { now, elapsed, statesPath } = runner
  const runs: Run[] = readImportStates(statesPath).map((kept) => ({
    ...newRun(kept, elapsed, null),
    lost: STOPPED,
  }))
  const running = (): Run | undefined => runs.find(({ state }) => state.state === "running")
  const find = (id: string): Run | undefined => runs.find(({ state }) => state.id === id)
  const outcomes = { done: 0, failed: 0, stopped: 0 }
  const ended = { rows: 0, rejected: 0, seconds: 0 }
  const phaseSeconds: Partial<Record<KeptState["phase"], number>> = {}
  let saving: Promise<boolean> = Promise.resolve(true)

  /** Never rejects: what could not be written, which is false, is written when settling. */
  function save(): Promise<boolean> {
    saving = saving.then(() => {
      const kept = runs.map(({ state, importedBy }) => ({ state, importedBy }))
      return writeImportStates(statesPath, kept).then(
        () => true,
        () => false,
      )
    })
    return saving
  }

  /** What is told is kept first, so that a service that follows a killed one says it too. */
  async function saved(): Promise<void> {
    let last: Promise<boolean>
    do {
      last = saving
      await last
    } while (last !== saving)
  }

  function end(run: Run, how: Partial<KeptState> & { readonly state: ImportOutcome }): void {
    if (run.state.state !== "running") return
    const over = { seconds_left: null, ended_at: new Date(now()).toISOString() }
    run.state = { ...upToNow(run), ...over, ...how }
    outcomes[how.state]++
    ended.rows += run.state.report?.imported ?? 0
    ended.rejected += run.state.rejected
    if (run.times !== null) {
      for (const { phase, seconds } of run.state.phases)
        phaseSeconds[phase] = (phaseSeconds[phase] ?? 0) + seconds
    }
    if (run.lost === null) ended.seconds += (elapsed() - run.since) / 1000
    run.read.resolve(null)
    void save()
  }

  /** Ends those of which nothing more is heard, by what the catalogue says. */
  async function settle(): Promise<void> {
    for (const run of runs) {
      if (run.state.state !== "running" || run.lost === null) continue
      // The process of one that ran when the service was killed ends by itself, but it may yet have
      // gone live until it does.
      if (run.lost === STOPPED && runner.isImporting()) continue
      if (run.state.report === null && !wentLive(run, await catalogue())) {
        const { lost, isStopped } = run
        end(
          run,
          isStopped ? { state: "stopped" } : { state: "failed", code: "other", detail: lost },
        )
      } else {
        const known = run.state.report === null ? "there is no report" : "not all was done"
        end(run, { state: "done", detail: `${run.lost} when its evidence counted: ${known}` })
      }
    }
  }

  /** Those that cannot be settled now are listed as running, and settled later. */
  const trySettle = async (): Promise<void> => await settle().catch(() => undefined)

  function follow(run: Run, taken: TakenImport, stdin: Socket | null): void {
    const command = runner.start(stdin)
    const order = (said: TakenOrder): void => command.channel.send(said)
    run.stop = () => {
      run.isStopped = true
      order({ type: "stop" })
    }
    command.channel.onMessage((message) => {
      const news = message as TakenNews
      if (news.type === "ready") order({ type: "import", taken })
      else if (news.type === "progress") progress(run, news.progress)
      else if (news.type === "live") live(run, news.report)
      else if (news.type === "done") done(run, news.decided)
      else failed(run, news)
    })
    const gone = async (): Promise<void> => {
      run.lost ??= "The process of the import ended"
      await trySettle()
      run.over.resolve(null)
    }
    command.ended.then(gone, gone)
  }

  function live(run: Run, report: ImportReport): void {
    if (run.state.state !== "running") return
    const told = reportOf(report)
    run.state = { ...run.state, report: told, rejected: told?.rejected ?? run.state.rejected }
    void save()
  }

  function done(run: Run, counted: CountedDecided): void {
    const { report } = run.state
    if ("uncounted" in counted) end(run, { state: "done", detail: counted.uncounted })
    else end(run, { state: "done", report: report && { ...report, decided: { ...counted } } })
  }

  function failed(run: Run, { code, message }: TakenNews & { type: "failed" }): void {
    // What is live stays so, whatever was to follow.
    if (run.state.report !== null) end(run, { state: "done", detail: message })
    else if (code === "stopped") end(run, { state: "stopped" })
    else end(run, { state: "failed", code, detail: message })
  }

  function progress(run: Run, { phase, rows, rejected, done, total }: TakenProgress): void {
    if (run.state.state !== "running") return
    run.left.note({ phase, done, total })
    run.times?.note(phase)
    if (phase !== "examining" && phase !== "reading") run.read.resolve(null)
    const seconds = run.left.elapsedMs / 1000
    const byRows = phase === "reading" || phase === "merging" || phase === "counting"
    run.state = {
      ...run.state,
      ...{ phase, rows, done, total, rejected: rejected ?? run.state.rejected },
      rows_per_second: byRows && seconds > 0 ? Math.round(rows / seconds) : null,
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
      run.over.resolve(null)
    }, CONNECT_MS)
    server.once("connection", (socket) => {
      close()
      if (run.state.state === "running") follow(run, taken, socket)
      else socket.destroy()
    })
    run.stop = () => {
      close()
      end(run, { state: "stopped" })
      run.over.resolve(null)
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
      await trySettle()
      if (running() !== undefined) return null
      const id = `imp_${randomBytes(12).toString("hex")}`
      const from = taken.streamed === undefined ? "folder" : "upload"
      const state = begunState(id, taken.source.name, from, now())
      const times = new PhaseTimes<KeptState["phase"]>(elapsed)
      times.note(state.phase)
      const run = newRun({ state, importedBy: taken.importedBy }, elapsed, times)
      runs.unshift(run)
      runs.length = Math.min(runs.length, IMPORTS_KEPT)
      await save()
      try {
        if (from === "upload") return { id, socket: await awaitUpload(run, taken) }
        follow(run, taken, null)
        return { id, socket: null }
      } catch (error) {
        end(run, { state: "failed", code: "other", detail: "The import could not be started" })
        run.over.resolve(null)
        throw error
      }
    },
    kept: () => runs.map((run) => ({ state: upToNow(run), importedBy: run.importedBy })),
    async list() {
      await trySettle()
      await saved()
      return runs.map(upToNow)
    },
    async get(id) {
      await saved()
      const run = find(id)
      return run === undefined ? null : upToNow(run)
    },
    async read(id) {
      const run = find(id)
      if (run === undefined) return null
      await orAfter(READ_MS, run.read.promise, null)
      await saved()
      return upToNow(run)
    },
    async stop(id) {
      const run = find(id)
      if (run?.state.state !== "running") return false
      run.stop()
      return true
    },
    async counts() {
      return {
        ...{ outcomes: { ...outcomes }, ...ended, phases: { ...phaseSeconds } },
        running: running() === undefined ? 0 : 1,
        current: current(running()),
      }
    },
    async settleDue() {
      await trySettle()
      if (await saving) return
      if (!(await save())) throw new Error(`${statesPath} cannot be written`)
    },
    async idle() {
      const run = running()
      if (run?.lost === null) {
        run.stop()
        await run.over.promise
      }
      await saving
    },
  }
}

/** Its state, with where its time went until now, and how much of it is left. */
function upToNow({ state, times, left }: Run): KeptState {
  if (times === null || state.state !== "running") return state
  const phases = times.sofar().map(({ phase, ms }) => ({ phase, seconds: ms / 1000 }))
  const leftMs = left.leftMs()
  return { ...state, phases, seconds_left: leftMs === null ? null : Math.ceil(leftMs / 1000) }
}

function current(run: Run | undefined): ImportCounts["current"] {
  if (run === undefined) return null
  const { phase, done, total, seconds_left: secondsLeft } = upToNow(run)
  return { phase, share: total === null || total === 0 ? null : done / total, secondsLeft }
}

function newRun(
  { state, importedBy }: KeptImport,
  elapsed: () => number,
  times: Run["times"],
): Run {
  return {
    ...{ times, state, importedBy, since: elapsed(), left: new TimeLeft(elapsed) },
    ...{ lost: null, isStopped: false },
    read: Promise.withResolvers<null>(),
    over: Promise.withResolvers<null>(),
    stop: () => undefined,
  }
}

/**
 * Whether the batch of an import counts, or did. One import runs at a time, so it is this one's.
 */
export function wentLive(
  { state, importedBy }: KeptImport,
  { batches, sources }: Catalogue,
): boolean {
  const since = Date.parse(state.started_at)
  return [...batches.values()].some(
    (batch) =>
      batch.owner === "shared" &&
      batch.importedBy === importedBy &&
      batch.liveAt !== null &&
      batch.liveAt >= since &&
      sources.get(batch.sourceId)?.name === state.source,
  )
}

function begunState(id: string, source: string, from: KeptState["from"], nowMs: number): KeptState {
  return {
    ...{ id, source, from, state: "running", phase: "starting" },
    ...{ done: 0, total: null, rows: 0, rejected: 0, rows_per_second: null, seconds_left: null },
    phases: [],
    started_at: new Date(nowMs).toISOString(),
    ...{ ended_at: null, detail: null, code: null, report: null },
  }
}

/** What is said of a report. */
export function reportOf(report: ImportReport): KeptState["report"] {
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
    decided: null,
  }
}
