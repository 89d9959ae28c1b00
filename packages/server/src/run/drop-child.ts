import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Environment } from "../base/config.ts"
import type { DropSettings } from "@assay/drop/drop-settings"
import type { Log } from "@assay/runtime/log"
import { childChannel } from "@assay/runtime/channels"
import { watchHeartbeat } from "@assay/runtime/heartbeat"
import { serve, type Call, openCalls } from "@assay/runtime/rpc"
import { StartError } from "./workers.ts"

/**
 * How this program was started, so that its children are started alike; main.ts hands in the
 * process's own.
 */
export interface Program {
  readonly execPath: string
  readonly execArgv: readonly string[]
  readonly env: Environment
}

export interface DropAddress {
  /** null: no port of its own. */
  readonly port: number | null
  readonly addresses: readonly string[]
}

export interface DropChild {
  readonly address: DropAddress
  /** Takes over changed keys; throws where they cannot be used or there is no process to tell. */
  reloadKeys(): Promise<void>
  stop(): Promise<void>
}

const READY_MS = 30_000
const CALL_MS = 30_000
const RESPAWN_MS = 1_000
/** One that keeps dying is tried less and less often. */
const RESPAWN_MAX_MS = 60_000
/** Core dumps are memory on the disk. */
const WITHOUT_CORE_DUMPS = ["-c", 'ulimit -c 0; exec "$0" "$@"']

/**
 * The drop is what strangers reach, so it gets no secret of the service: its settings are sent to
 * it.
 */
const NEEDED: readonly string[] = ["NODE_COMPILE_CACHE", "PATH", "TZ"]

interface Running {
  readonly child: ChildProcess
  readonly call: Call
  readonly ping: Call
  readonly gone: Promise<void>
  readonly address: DropAddress
}

/** Starts the process of the drop and keeps one running. Rejects if the first cannot start. */
export async function startDrop({
  program,
  settings,
  stopMs,
  silentMs,
  log,
}: {
  readonly program: Program
  readonly settings: DropSettings
  readonly stopMs: number
  /** How long its process may be silent before it is ended and replaced. */
  readonly silentMs: number
  readonly log: Log
}): Promise<DropChild> {
  let stopping = false
  let running: Running | null = null
  /** One that is not ready yet. */
  let starting: Pick<Running, "child" | "gone"> | null = null
  let respawning: NodeJS.Timeout | undefined

  const start = async (port: number | null): Promise<Running> => {
    const child = spawnDrop(program)
    const channel = childChannel(child)
    const { drop } = settings
    channel.send({ settings: { ...settings, drop: { ...drop, port: port ?? drop.port } } })
    const within = openCalls(channel)
    const call = within(Math.max(stopMs + 5000, CALL_MS))
    const gone = new Promise<void>((resolve) => {
      child.once("error", () => resolve())
      child.once("exit", () => resolve())
    })
    starting = { child, gone }
    const address = await new Promise<DropAddress>((resolve, reject) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS)
      serve(channel, {
        async unable(why: string) {
          reject(new StartError(why))
        },
        async ready(address: DropAddress) {
          clearTimeout(timer)
          resolve(address)
        },
      })
      void gone.then(() => {
        clearTimeout(timer)
        reject(new StartError("The drop ended before it was ready"))
      })
    }).finally(() => (starting = null))
    return { child, call, ping: within(silentMs), gone, address }
  }
  const keep = (started: Running): void => {
    running = started
    const endWatch = watchHeartbeat({
      ping: () => started.ping("ping"),
      silentMs,
      onSilent() {
        log.error("drop does not answer and is ended")
        started.child.kill("SIGKILL")
      },
    })
    void started.gone.then(() => {
      running = null
      endWatch()
      if (stopping) return
      const { exitCode, signalCode } = started.child
      log.error("drop died and is replaced", {
        ...(exitCode !== null && { exitCode }),
        ...(signalCode !== null && { signal: signalCode }),
      })
      respawn(started.address.port, RESPAWN_MS)
    })
  }
  const respawn = (port: number | null, afterMs: number): void => {
    respawning = setTimeout(() => {
      // Where it listened before: whoever was told the address finds it there again.
      start(port).then(
        (started) => {
          if (stopping) started.child.kill("SIGKILL")
          keep(started)
        },
        (error: unknown) => {
          if (stopping) return
          log.error("drop could not be replaced, trying again", { error })
          respawn(port, Math.min(2 * afterMs, RESPAWN_MAX_MS))
        },
      )
    }, afterMs)
  }

  const first = await start(null)
  keep(first)
  return {
    address: first.address,
    async reloadKeys() {
      if (running === null) throw new StartError("The drop is not running at the moment")
      await running.call("reloadDropKeys")
    },
    async stop() {
      stopping = true
      clearTimeout(respawning)
      // It has taken nothing yet; left alone it would hold the port of the service that is started
      // next.
      starting?.child.kill("SIGKILL")
      await starting?.gone
      if (running === null) return
      const { child, call, gone } = running
      await call("stop").catch((error: unknown) =>
        log.warn("drop did not stop by itself", { error }),
      )
      child.disconnect()
      const timer = setTimeout(() => child.kill("SIGKILL"), 2000)
      await gone
      clearTimeout(timer)
    },
  }
}

/** What it logs goes where our own log goes. */
function spawnDrop({ execPath, execArgv, env }: Program): ChildProcess {
  const entry = import.meta.resolve("@assay/drop/run/drop-process")
  const needed = Object.entries(env).filter(([name]) => NEEDED.includes(name))
  return spawn("/bin/sh", [...WITHOUT_CORE_DUMPS, execPath, ...execArgv, fileURLToPath(entry)], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: Object.fromEntries(needed),
    serialization: "advanced",
  })
}
