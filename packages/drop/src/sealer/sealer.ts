import type { ChildProcess } from "node:child_process"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { type NodeProgram, startProcess } from "@assay/runtime/children"
import { offer, serve } from "@assay/runtime/rpc"
import { type PublicDrop, publicDropPort } from "../public-drop.ts"
import type { RandomId } from "../store/drops.ts"
import { longestAnswerMs } from "./deadlines.ts"
import type { PlainKind } from "./plain-kind.ts"
import type { PoolTimes } from "./pool-times.ts"
import { openProgress, type Phase, type Progress, type Report } from "./progress.ts"
import { CONNECTION, type GiveWay, type SealerSettings } from "./sealer-settings.ts"
import type { PlainConnection } from "./waiting-line.ts"

export interface SealerOptions {
  readonly kind: PlainKind
  readonly drop: PublicDrop
  readonly program: NodeProgram
  readonly settings: SealerSettings
  readonly times: PoolTimes
  readonly now: () => number
  /** It got on: it is ready, or at something else than before. */
  readonly onPhase: () => void
}

/**
 * One process that sees what one sender wrote, as the pool sees it: it is ended at the latest when
 * its time is over.
 */
export interface Sealer {
  readonly pid: number | undefined
  /** `leaving`: its sender gives way, and it is as good as gone. */
  readonly state: "starting" | "idle" | "busy" | "leaving"
  readonly progress: Progress
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>
  /** The one connection it serves. */
  give(connection: PlainConnection): void
  /**
   * Ends its sender with a page that gives the reason, unless everything has arrived and is being
   * stored.
   */
  giveWay(): void
  kill(): void
}

/**
 * Built of sealer-process.ts and all that it needs, beside the sources and beside the compiled
 * code.
 */
const PROGRAM = join(import.meta.dirname, "..", "..", "programs", "sealer-process.js")

export function startSealer(options: SealerOptions): Sealer {
  const { settings, times } = options
  // Output is discarded: a runtime's own error message may quote a message.
  const { process: child, channel } = startProcess(options.program, PROGRAM, {
    stdio: ["pipe", "ignore", "ignore", "ipc"],
  })
  const upload = ownUpload(options.drop)
  serve(channel, offer(publicDropPort, upload.drop))
  channel.send({ settings })
  const progress = openProgress(times.graceMs, options.now)
  let given = false
  let leaving: NodeJS.Timeout | null = null
  const kill = (): void => void child.kill("SIGKILL")

  // However a sealer hangs, it does so in one of its phases, and each has an end.
  let late = setTimeout(kill, times.startMs)
  const within = (ms: number): void => {
    clearTimeout(late)
    late = setTimeout(kill, ms)
  }
  const stay = (): void => {
    if (leaving !== null) clearTimeout(leaving)
    leaving = null
  }
  const limits: Readonly<Record<Phase, () => void>> = {
    ready: () => clearTimeout(late),
    receiving: () => within(settings.deadlines.totalMs + times.slackMs),
    working() {
      stay()
      within(times.workMs)
    },
    answering: () => within(longestAnswerMs(settings.deadlines) + times.slackMs),
  }
  child.on("message", (message: object) => {
    if (!("report" in message)) return
    const report = message.report as Report
    const got = report.phase !== progress.phase
    progress.note(report)
    if (!got) return
    limits[report.phase]()
    options.onPhase()
  })

  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.on("error", () => {
      // A process that was never started has no exit. A process that cannot be reached any more
      // must not live on unnoticed.
      if (child.pid === undefined) resolve()
      else kill()
    })
  }).then(() => {
    clearTimeout(late)
    stay()
    // The next sealer starts without waiting for the store.
    void upload.abandonUnfinished()
  })
  return {
    pid: child.pid,
    get state() {
      if (progress.phase === null) return "starting"
      if (!given) return "idle"
      return leaving === null ? "busy" : "leaving"
    },
    progress,
    ended,
    give(connection) {
      given = true
      if (options.kind === "upload" && child.pid !== undefined) letOthersPass(child.pid)
      within(times.handOverMs)
      hand(child, connection)
    },
    giveWay() {
      const { phase } = progress
      if (leaving !== null || (phase !== "receiving" && phase !== "answering")) return
      leaving = setTimeout(kill, times.leaveMs)
      channel.send({ giveWay: phase } satisfies GiveWay)
    },
    kill,
  }
}

/** An upload takes minutes anyway. */
function letOthersPass(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It is gone already; its exit reports that.
  }
}

/**
 * Hands over the bytes already read, which must not stay in this process, then the connection
 * itself.
 */
function hand(child: ChildProcess, { socket, head }: PlainConnection): void {
  // A sealer that dies now takes the connection with it: the sender sees that it broke and can try
  // again. A sealer that cannot get its connection would wait for it in vain.
  const failed = (): void => {
    head.fill(0)
    socket.destroy()
    child.kill("SIGKILL")
  }
  child.once("exit", () => {
    head.fill(0)
    socket.destroy()
  })
  const { stdin } = child
  if (stdin === null) {
    failed()
    return
  }
  stdin.on("error", failed)
  stdin.write(head)
  stdin.end(() => {
    head.fill(0)
    if (!child.connected || socket.destroyed) {
      failed()
      return
    }
    // When the listener closes, Node would make it ask the sealer whether its connection is over,
    // and wait for an answer even if the sealer is gone. Without `server`, the listener does not
    // know of the hand-over, and our side is closed like any other connection. We must close it
    // ourselves: Node closes it once the sealer has taken it, but never if the sealer ends before
    // that.
    Object.assign(socket, { server: null })
    child.send(CONNECTION, socket, { keepOpen: true }, (error) => {
      socket.destroy()
      if (error !== null) failed()
    })
  })
}

/** The drop as one sealer may use it, which makes one upload at most. */
interface OwnUpload {
  readonly drop: PublicDrop
  /** Deletes the pieces of an upload whose sealer ended before it was finished. */
  abandonUnfinished(): Promise<void>
}

function ownUpload(drop: PublicDrop): OwnUpload {
  let unfinished: RandomId | null = null
  return {
    drop: {
      ...drop,
      async storePiece(id, index, piece) {
        unfinished ??= id
        if (unfinished !== id) throw new Error("A sealer makes one upload")
        await drop.storePiece(id, index, piece)
      },
      async finish(upload) {
        await drop.finish(upload)
        unfinished = null
      },
    },
    async abandonUnfinished() {
      if (unfinished === null) return
      // A store that does not answer removes them at its next start.
      await drop.abandon(unfinished).catch(() => undefined)
    },
  }
}
