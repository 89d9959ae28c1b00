import {
  AssayProblem,
  AssayUnavailable,
  type ComparedLine,
  type SessionClient,
} from "@assay/client"
import { said, type Said } from "../ui/said.ts"
import { NOTHING, withLine } from "./compare.ts"
import type { BackTest, Batch, Kind, Order, ShadowReport, Work } from "./kinds.ts"
import { countOf, HEAD, scoreFile } from "./score-file.ts"

/** Long work of one session, in memory alone. */
export interface Keeper {
  /** Begins work in the place of what ended of its kind; where that still runs, it goes on. */
  begin(order: Order): Work
  list(): Work[]
  stop(id: string): void
  /** Somebody has seen how it ended. */
  see(id: string): void
  /** Ends it, and forgets what came of it. */
  discard(id: string): void
  /** The lines that a batch has given so far. */
  scores(id: string): readonly string[]
  /** Ends and forgets everything. */
  close(): void
}

export interface KeeperOptions {
  readonly service: Pick<SessionClient, "scoreEmails" | "scorePhones" | "policy">
  readonly nowMs: () => number
  readonly newId: () => string
  /** Work began, ended, was seen or was forgotten. */
  readonly changed: () => void
  /** The session that all of it ran in is over. */
  readonly sessionEnded: () => void
}

interface Kept {
  work: Work
  readonly ending: AbortController
  readonly scores: string[]
}

export function createKeeper(options: KeeperOptions): Keeper {
  const { service, nowMs, newId, changed, sessionEnded } = options
  const kept = new Map<Kind, Kept>()
  const find = (id: string): Kept | undefined =>
    [...kept.values()].find(({ work }) => work.id === id)
  const forget = (each: Kept): void => {
    each.ending.abort()
    each.scores.length = 0
    if (kept.get(each.work.kind) === each) kept.delete(each.work.kind)
  }

  async function scoreInto(each: Kept & { work: Batch }, file: File): Promise<void> {
    const { signal } = each.ending
    each.work = { ...each.work, total: await countOf(file, signal) }
    for await (const { lines, done, failed } of scoreFile(service, file, signal)) {
      // A part that was answered while the work was forgotten.
      if (signal.aborted) return
      each.scores.push(lines)
      each.work = { ...each.work, done: each.work.done + done, failed: each.work.failed + failed }
    }
  }

  async function compareInto(
    each: Kept & { work: BackTest | ShadowReport },
    lines: AsyncGenerator<ComparedLine>,
  ): Promise<void> {
    for await (const line of lines)
      each.work = { ...each.work, comparison: withLine(each.work.comparison, line) }
  }

  const run = (each: Kept, order: Order): Promise<void> => {
    const { signal } = each.ending
    switch (order.kind) {
      case "batch":
        return scoreInto(each as Kept & { work: Batch }, order.file)
      case "back-test": {
        const { policy, days } = order
        const lines = service.policy.backTest({ policy: { ...policy }, days }, { signal })
        return compareInto(each as Kept & { work: BackTest }, lines)
      }
      case "shadow":
        return compareInto(
          each as Kept & { work: ShadowReport },
          service.policy.reportShadow(undefined, { signal }),
        )
    }
  }

  const end = (each: Kept, state: Exclude<Work["state"], "running">, failure?: Said): void => {
    each.work = { ...each.work, state, endedAtMs: nowMs(), failure: failure ?? null }
    changed()
  }

  return {
    begin(order) {
      const before = kept.get(order.kind)
      if (before?.work.state === "running") return before.work
      if (before !== undefined) forget(before)
      const ending = new AbortController()
      const each: Kept = { work: newWork(order, newId(), nowMs()), ending, scores: [] }
      if (order.kind === "batch") each.scores.push(HEAD)
      kept.set(order.kind, each)
      changed()
      run(each, order).then(
        () => end(each, ending.signal.aborted ? "stopped" : "done"),
        (error: unknown) => {
          if (ending.signal.aborted) end(each, "stopped")
          else if (isOfEndedSession(error)) sessionEnded()
          else end(each, "failed", failureOf(error, order.kind))
        },
      )
      return each.work
    },
    list: () => [...kept.values()].map(({ work }) => work),
    stop: (id) => find(id)?.ending.abort(),
    see(id) {
      const each = find(id)
      if (each === undefined || each.work.state === "running" || each.work.isSeen) return
      each.work = { ...each.work, isSeen: true }
      changed()
    },
    discard(id) {
      const each = find(id)
      if (each === undefined) return
      forget(each)
      changed()
    },
    scores: (id) => find(id)?.scores ?? [],
    close() {
      for (const each of kept.values()) forget(each)
      changed()
    },
  }
}

function newWork(order: Order, id: string, begunAtMs: number): Work {
  const common = {
    id,
    state: "running",
    begunAtMs,
    endedAtMs: null,
    isSeen: false,
    failure: null,
  } as const
  switch (order.kind) {
    case "batch": {
      const { kind, file } = order
      return { ...common, kind, name: file.name, done: 0, failed: 0, total: null }
    }
    case "back-test":
      return { ...common, ...order, comparison: NOTHING }
    case "shadow":
      return { ...common, ...order, comparison: NOTHING }
  }
}

/** The token of the session before is refused as another site's would be. */
function isOfEndedSession(error: unknown): boolean {
  return (
    error instanceof AssayProblem &&
    (error.code === "unauthenticated" || error.code === "cross-site")
  )
}

function failureOf(error: unknown, kind: Kind): Said {
  if (error instanceof AssayProblem) return said(error, null)
  if (error instanceof AssayUnavailable) {
    const rest =
      kind === "batch"
        ? "Lines that have no score here may have been looked up."
        : "Nothing was changed by it."
    return { ...said(error, null), detail: `${error.message}. ${rest}` }
  }
  // A file that was moved or changed meanwhile is read no further by the browser.
  const detail =
    error instanceof DOMException && error.name === "NotReadableError"
      ? "The file was moved or changed while it was read. Choose it again."
      : error instanceof Error
        ? error.message
        : String(error)
  return { title: "The work broke off", detail, code: null, requestId: null }
}
