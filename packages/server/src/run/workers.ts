import type { Cluster, Worker } from "node:cluster"
import type { Log } from "@assay/runtime/log"
import { workerChannel } from "@assay/runtime/channels"
import { watchHeartbeat } from "@assay/runtime/heartbeat"
import { type Call, type Methods, openCalls, remote, serve } from "@assay/runtime/rpc"
import { type WorkerPort, workerPort } from "./ports.ts"

export interface WorkerAddress {
  readonly port: number
  readonly addresses: readonly string[]
}

export interface Workers {
  readonly address: WorkerAddress
  /** Replaces every worker by a new one, one after the other, without refusing a request. */
  restart(): Promise<void>
  /** Lets every worker finish its requests, then ends them. */
  stop(): Promise<void>
  /** Calls every worker that is ready; one that dies meanwhile is left out. */
  callAll<T>(work: (worker: WorkerPort) => Promise<T>): Promise<T[]>
}

/** The service could not start; what kept a worker from it, the worker has already said. */
export class StartError extends Error {
  override readonly name = "StartError"
}

/** What the primary does for its workers. */
export interface Offered {
  /** What a worker may call, by the number no other worker of this primary has. */
  methods(worker: number): Methods
  /** Called when a worker has ended, however it did. */
  onGone(worker: number): void
}

interface Running {
  readonly worker: Worker
  readonly call: Call
  /** Resolves when its process has ended, however long ago that was. */
  readonly gone: Promise<void>
  /** Its place is taken, or about to be: its end is no reason to start another. */
  leaving: boolean
}

const READY_MS = 30_000
/**
 * How long a worker that is replaced answers on its open connections, so that clients leave them by
 * themselves.
 */
const LINGER_MS = 3000
/**
 * A worker that dies is replaced at once, but one that keeps dying does not turn into a busy loop.
 */
const RESPAWN_MS = 1000

/** Starts `count` workers and keeps that many running. Rejects if the first ones cannot start. */
export async function startWorkers(
  cluster: Cluster,
  count: number,
  offered: Offered,
  { stopMs, silentMs }: { readonly stopMs: number; readonly silentMs: number },
  log: Log,
): Promise<Workers> {
  const running = new Set<Running>()
  const starting = new Set<Worker>()
  let stopping = false
  const isStopping = (): boolean => stopping
  let listenedOn: WorkerAddress | null = null
  let portOfOthers: Readonly<Record<string, string>> | undefined

  async function spawn(): Promise<WorkerAddress> {
    // With the last worker the port is gone. The next one takes the same, also where PORT asked for
    // any.
    if (running.size === 0 && listenedOn !== null) portOfOthers = { PORT: String(listenedOn.port) }
    const worker = cluster.fork(portOfOthers)
    const channel = workerChannel(worker)
    const within = openCalls(channel)
    const gone = new Promise<void>((resolve) => void worker.once("exit", () => resolve()))
    const self: Running = { worker, call: within(stopMs + 5000), gone, leaving: false }
    starting.add(worker)
    let endWatch = (): void => undefined
    const ready = new Promise<WorkerAddress>((resolve, reject) => {
      const timer = setTimeout(() => {
        worker.process.kill("SIGKILL")
        reject(new StartError("A worker did not become ready in time"))
      }, READY_MS)
      serve(channel, {
        ...offered.methods(worker.id),
        async unable(why: string) {
          reject(new StartError(why))
        },
        async ready(address: WorkerAddress) {
          clearTimeout(timer)
          starting.delete(worker)
          running.add(self)
          endWatch = watchHeartbeat({
            ping: () => within(silentMs)("ping"),
            silentMs,
            onSilent() {
              log.error("worker does not answer and is ended", { worker: worker.id })
              worker.process.kill("SIGKILL")
            },
          })
          resolve(address)
        },
      })
      // Without a process there is no exit: no file was left for its pipes.
      worker.on("error", (error) => {
        clearTimeout(timer)
        starting.delete(worker)
        reject(error)
      })
      worker.once("exit", (exitCode, signal) => {
        clearTimeout(timer)
        starting.delete(worker)
        offered.onGone(worker.id)
        endWatch()
        reject(new StartError("A worker ended before it was ready"))
        if (!running.delete(self) || self.leaving || stopping) return
        log.error("worker died and is replaced", {
          worker: worker.id,
          exitCode,
          signal,
        })
        setTimeout(() => void respawn(), RESPAWN_MS)
      })
    })
    return await ready
  }

  async function respawn(): Promise<void> {
    while (!stopping) {
      try {
        await spawn()
        return
      } catch (error) {
        // Ended by the stop.
        if (isStopping()) return
        log.error("worker could not be replaced, trying again", { error })
        await new Promise((resolve) => setTimeout(resolve, RESPAWN_MS))
      }
    }
  }

  async function retire(self: Running, lingerMs?: number): Promise<void> {
    self.leaving = true
    await self
      .call("stop", lingerMs)
      .catch((error: unknown) =>
        log.warn("worker did not stop by itself", { worker: self.worker.id, error }),
      )
    self.worker.disconnect()
    const timer = setTimeout(() => self.worker.process.kill("SIGKILL"), 2000)
    await self.gone
    clearTimeout(timer)
  }

  /** Starts the one that takes the place of `old`, which may die meanwhile. */
  async function succeed(old: Running): Promise<void> {
    old.leaving = true
    try {
      await spawn()
    } catch (error) {
      old.leaving = false
      if (!running.has(old)) void respawn()
      throw error
    }
  }

  /** They have answered nobody yet, and nobody would end them once they are ready. */
  function endStarting(): void {
    for (const worker of starting) worker.process.kill("SIGKILL")
  }

  const addresses = await Promise.all(Array.from({ length: count }, spawn)).catch(
    async (error: unknown) => {
      stopping = true
      endStarting()
      await Promise.all([...running].map((self) => retire(self)))
      throw error
    },
  )
  const [address] = addresses
  if (address === undefined) throw new Error("A service needs at least one worker")
  listenedOn = address
  let restarting: Promise<void> = Promise.resolve()
  return {
    address,
    restart() {
      // Whoever asked for the restart before was told if it failed; this one starts from what runs
      // now.
      restarting = restarting
        .catch(() => undefined)
        .then(async () => {
          for (const old of [...running]) {
            if (stopping) return
            // One that died meanwhile is replaced after its death.
            if (!running.has(old)) continue
            await succeed(old)
            await retire(old, LINGER_MS)
          }
          log.info("workers restarted", { workers: running.size })
        })
      return restarting
    },
    async stop() {
      stopping = true
      endStarting()
      await restarting.catch(() => undefined)
      await Promise.all([...running].map((self) => retire(self)))
    },
    async callAll(work) {
      const results = await Promise.allSettled(
        [...running].map(({ call }) => work(remote(workerPort, call))),
      )
      return results.filter((result) => result.status === "fulfilled").map(({ value }) => value)
    },
  }
}
