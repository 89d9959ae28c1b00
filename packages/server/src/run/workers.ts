import type { Cluster } from "node:cluster"
import { keepChildren, type Started, startedWorker } from "@assay/runtime/children"
import type { Log } from "@assay/runtime/log"
import { type Methods, remote } from "@assay/runtime/rpc"
import { BEGIN, type WorkerPort, workerPort } from "./ports.ts"

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

/** What the primary does for its workers. */
export interface Offered {
  /** What a worker may call. Its number is unique within this primary. */
  methods(worker: number): Methods
  /** Called when a worker has ended, however it did. */
  onGone(worker: number): void
}

/**
 * How long a worker that is replaced answers on its open connections, so that clients leave them by
 * themselves.
 */
const LINGER_MS = 3000

/**
 * A worker does its work in one thread. glibc would give each of V8's helper threads a heap of its
 * own, which stays half empty: 4 MB at a start, 5 to 10 MB under load.
 */
const ONE_HEAP = { MALLOC_ARENA_MAX: "1" }

/** The process of a worker, which loads its program and then waits for `BEGIN`. */
export interface WorkerProcess {
  readonly id: number
  readonly started: Started
}

export function forkWorker(cluster: Cluster, env?: Record<string, string>): WorkerProcess {
  const worker = cluster.fork({ ...ONE_HEAP, ...env })
  return { id: worker.id, started: startedWorker(worker) }
}

/**
 * Takes the workers that were forked out of the list, lets them begin and keeps that many running.
 * Rejects if these cannot start.
 */
export async function startWorkers(
  cluster: Cluster,
  forked: WorkerProcess[],
  offered: Offered,
  { stopMs, silentMs }: { readonly stopMs: number; readonly silentMs: number },
  log: Log,
): Promise<Workers> {
  const callMs = stopMs + 5000
  const workers = await keepChildren<WorkerAddress>({
    name: "worker",
    count: forked.length,
    start(before) {
      // With the last worker the port is gone. The next one takes the same, also where PORT asked
      // for any.
      const env = before === null ? undefined : { PORT: String(before.port) }
      const { id, started } = forked.shift() ?? forkWorker(cluster, env)
      void started.ended.then(() => offered.onGone(id))
      started.channel.send(BEGIN)
      return { ...started, methods: offered.methods(id), facts: { worker: id } }
    },
    stopMs: callMs,
    silentMs,
    log,
  })
  return {
    address: workers.ready,
    async restart() {
      log.info("workers restarted", { workers: await workers.restart(LINGER_MS) })
    },
    stop: workers.stop,
    async callAll(work) {
      const calls = workers.all(callMs).map((call) => work(remote(workerPort, call)))
      const results = await Promise.allSettled(calls)
      return results.filter((result) => result.status === "fulfilled").map(({ value }) => value)
    },
  }
}
