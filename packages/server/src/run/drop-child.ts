import { fileURLToPath } from "node:url"
import type { DigestNews } from "@assay/drop/digest"
import type { DropSettings } from "@assay/drop/run/drop"
import type { Environment } from "../base/config.ts"
import type { Log } from "@assay/runtime/log"
import { keepChildren, type NodeProgram, startProcess } from "@assay/runtime/children"
import { DROP_YOUNG_SPACE } from "./young-space.ts"

/** How this program was started; main.ts hands in the process's own. */
export interface Program extends NodeProgram {
  readonly env: Environment
  /** The second one is its main file. */
  readonly argv: readonly string[]
}

export interface DropAddress {
  /** null: no port of its own. */
  readonly port: number | null
  readonly addresses: readonly string[]
}

export interface DropChild {
  readonly address: DropAddress
  /** Takes over changed keys; throws if they cannot be used or the process is not running. */
  reloadKeys(): Promise<void>
  stop(): Promise<void>
}

const CALL_MS = 30_000
/** One that keeps dying is tried less and less often. */
const REST_MAX_MS = 60_000

/**
 * The drop is what strangers reach, so it gets no secret of the service: its settings are sent to
 * it.
 */
const NEEDED: readonly string[] = ["NODE_COMPILE_CACHE", "PATH", "TZ"]

/** As for workers: a heap for each thread of V8's would stay half empty. */
const ONE_HEAP = { MALLOC_ARENA_MAX: "1" }

/** Starts the process of the drop and keeps one running. Rejects if the first cannot start. */
export async function startDrop({
  program,
  settings,
  stopMs,
  silentMs,
  tellDigest,
  log,
}: {
  readonly program: Program
  readonly settings: DropSettings
  readonly stopMs: number
  /** How long its process may be silent before it is ended and replaced. */
  readonly silentMs: number
  /** Stores the daily digest as an event. */
  readonly tellDigest: (digest: DigestNews) => Promise<void>
  readonly log: Log
}): Promise<DropChild> {
  const entry = fileURLToPath(import.meta.resolve("@assay/drop/run/drop-process"))
  const env = {
    ...ONE_HEAP,
    ...Object.fromEntries(Object.entries(program.env).filter(([name]) => NEEDED.includes(name))),
  }
  const callMs = Math.max(stopMs + 5000, CALL_MS)
  const drop = await keepChildren<DropAddress>({
    name: "drop",
    start(before) {
      // What it logs goes where our own log goes.
      const stdio = ["ignore", "ignore", "inherit", "ipc"] as const
      const execArgv = [...program.execArgv, DROP_YOUNG_SPACE]
      const child = startProcess({ ...program, execArgv }, entry, { stdio: [...stdio], env })
      // The same port as before, so that senders who have the address find it there again.
      const port = before?.port ?? settings.drop.port
      child.channel.send({ settings: { ...settings, drop: { ...settings.drop, port } } })
      return { ...child, methods: { tellDigest } }
    },
    stopMs: callMs,
    silentMs,
    restMaxMs: REST_MAX_MS,
    log,
  })
  return {
    address: drop.ready,
    async reloadKeys() {
      await drop.within(callMs)("reloadDropKeys")
    },
    stop: drop.stop,
  }
}
