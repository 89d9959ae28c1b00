import { type ChildProcess, fork, spawn, type StdioOptions } from "node:child_process"
import type { Worker as ClusterWorker } from "node:cluster"
import type { Socket } from "node:net"
import { parse } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Worker as Thread } from "node:worker_threads"
import { childChannel, threadChannel, workerChannel } from "./channels.ts"
import { watchHeartbeat } from "./heartbeat.ts"
import type { Log } from "./log.ts"
import {
  type Call,
  type Channel,
  type Methods,
  openCalls,
  type Port,
  remote,
  RemoteError,
  serve,
} from "./rpc.ts"
import { Explained } from "./explained.ts"

/** How a process ended; both null if it could not be started. */
export interface End {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process or a thread that was started. */
export interface Started {
  readonly channel: Channel
  /** Resolves when it is gone, or could not be started. */
  readonly ended: Promise<End>
  /** Closes the channel, which lets a process that has stopped end. */
  disconnect(): void
  /** Ends it at once; resolves when it is gone, or when the system does not end it for a while. */
  kill(): Promise<void>
}

/**
 * How this program was started, so that its children are started alike; main.ts hands in the
 * process's own.
 */
export interface NodeProgram {
  readonly execPath: string
  readonly execArgv: readonly string[]
}

/** How long a process may take to be gone once it is killed. */
export const ENDING_MS = 10_000

/** Core dumps are memory on the disk: identities, passwords, messages and codes included. */
const WITHOUT_CORE_DUMPS = ["-c", 'ulimit -c 0; exec "$0" "$@"']

/** Starts a module of ours in a process that leaves no core dump and has only `env`. */
export function startProcess(
  { execPath, execArgv }: NodeProgram,
  module: string,
  { stdio, env = {} }: { readonly stdio: StdioOptions; readonly env?: NodeJS.ProcessEnv },
): Started & { readonly process: ChildProcess } {
  const process = spawn("/bin/sh", [...WITHOUT_CORE_DUMPS, execPath, ...execArgv, module], {
    stdio,
    env,
    serialization: "advanced",
  })
  const ended = endOf(process).catch(() => ({ exitCode: null, signal: null }))
  return {
    process,
    channel: childChannel(process),
    ended,
    disconnect() {
      if (process.connected) process.disconnect()
    },
    async kill() {
      process.kill("SIGKILL")
      await orAfter(ENDING_MS, ended, null)
      // A process that hangs in the system does not keep this process from ending.
      process.unref()
    },
  }
}

/** A worker of the cluster, as it was forked. */
export function startedWorker(worker: ClusterWorker): Started {
  const { promise: ended, resolve } = Promise.withResolvers<End>()
  worker.once("exit", (exitCode, signal) =>
    resolve({ exitCode, signal: signal as NodeJS.Signals | null }),
  )
  worker.on("error", () => {
    // Without a process there is no exit: no file was left for its pipes.
    if (worker.process.pid === undefined) resolve({ exitCode: null, signal: null })
  })
  return {
    channel: workerChannel(worker),
    ended,
    disconnect: () => worker.disconnect(),
    async kill() {
      worker.process.kill("SIGKILL")
      await orAfter(ENDING_MS, ended, null)
    },
  }
}

/**
 * Starts a module of ours in a thread. Without `onError`, an uncaught error in the thread ends this
 * process.
 */
export function startThread(
  module: URL,
  workerData: unknown,
  onError?: (error: unknown) => void,
): Started {
  // By its name it is told from others in what the system shows.
  const thread = new Thread(module, { workerData, name: parse(module.pathname).name })
  if (onError !== undefined) thread.on("error", onError)
  const kill = async (): Promise<void> => {
    await thread.terminate()
  }
  return {
    channel: threadChannel(thread),
    ended: new Promise((resolve) => {
      thread.once("exit", (exitCode) => resolve({ exitCode, signal: null }))
    }),
    disconnect: () => void kill(),
    kill,
  }
}

interface InThreadOptions<P> {
  /** How long a call may take; null: as long as it takes. */
  readonly callMs: number
  /** Of methods for which that is otherwise. */
  readonly deadlines?: Partial<Readonly<Record<keyof P, number | null>>>
  readonly faultOf?: (error: RemoteError) => Error
  /** What the thread may call here. */
  readonly methods?: Methods
}

/** A port served by its own thread. `close` ends the thread, even if the call fails. */
export function inThread<P extends { close(): Promise<void> }>(
  module: URL,
  workerData: unknown,
  port: Port<P>,
  { callMs, deadlines = {}, faultOf, methods }: InThreadOptions<P>,
): P {
  const thread = startThread(module, workerData)
  if (methods !== undefined) serve(thread.channel, methods)
  const within = openCalls(thread.channel)
  const over = (ms: number | null): P => remote(port, within(ms), faultOf)
  const opened = over(callMs)
  for (const name of Object.keys(deadlines) as (keyof P)[])
    opened[name] = over(deadlines[name] ?? null)[name]
  const { close } = opened
  return { ...opened, close: () => close().finally(thread.kill) }
}

/** A command that runs in its own process. */
export interface RunningCommand {
  /** Rejects if it could not be started. */
  readonly ended: Promise<End>
  /** Ends it at once. */
  stop(): void
}

interface CommandOptions {
  readonly stdio: "inherit" | "ignore"
  /** How long it may take before it is killed. */
  readonly timeoutMs?: number
  readonly env?: Record<string, string>
}

/** How this program is started once more; `exec` is its main file. */
export interface CommandProgram {
  readonly exec?: string | undefined
  readonly execArgv?: readonly string[] | undefined
}

/** Runs a command of this program, which may say how far it is. */
export function startCommand(
  { exec, execArgv = [] }: CommandProgram,
  args: readonly string[],
  { stdio, timeoutMs, env }: CommandOptions,
): SpokenCommand {
  if (exec === undefined) throw new Error("It is not known which program this is")
  const child = fork(exec, args, {
    execArgv: [...execArgv],
    stdio: ["ignore", stdio, stdio, "ipc"],
    ...(env !== undefined && { env }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs, killSignal: "SIGKILL" }),
  })
  return {
    channel: childChannel(child),
    ended: endOf(child),
    stop: () => void child.kill("SIGKILL"),
  }
}

/** A command that is spoken to while it runs. */
export interface SpokenCommand extends RunningCommand {
  readonly channel: Channel
}

/**
 * Runs a command of this program that gets its work over a pipe. `stdin` is handed to it, and this
 * process's own end of it is closed.
 */
export function startSpokenCommand(
  { exec, execArgv = [] }: CommandProgram,
  args: readonly string[],
  stdin: Socket | null,
): SpokenCommand {
  if (exec === undefined) throw new Error("It is not known which program this is")
  const child = fork(exec, args, {
    execArgv: [...execArgv],
    stdio: [stdin ?? "ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  })
  stdin?.destroy()
  return {
    channel: childChannel(child),
    ended: endOf(child),
    stop: () => void child.kill("SIGKILL"),
  }
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    // A process that runs has an exit, which is more useful than the error of a message that did
    // not reach it.
    child.on("error", (error) => {
      if (child.pid === undefined) reject(error)
    })
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }))
  })
}

/** The result of the work, or `otherwise` if it takes longer. */
export async function orAfter<T, Otherwise>(
  ms: number,
  work: Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  const over = new AbortController()
  try {
    return await Promise.race([work, delay(ms, otherwise, { signal: over.signal })])
  } finally {
    over.abort()
  }
}

/** One of the children that `keepChildren` starts. */
export interface Child extends Started {
  /** The methods it may call here. */
  readonly methods?: Methods
  /** Its fields in log lines. */
  readonly facts?: Readonly<Record<string, unknown>>
}

export interface KeepOptions<Ready> {
  /** The name in log lines: "worker died and is replaced". */
  readonly name: string
  readonly count?: number
  /**
   * Starts one child, which calls `ready` with its data, or `unable` with the reason. `before` is
   * the data of the first one, if meanwhile no child ran: then nobody holds its port.
   */
  readonly start: (before: Ready | null) => Child
  /** What `unable` means to the caller. */
  readonly unable?: (why: string) => Error
  /** How long a child may take to stop by itself. */
  readonly stopMs: number
  /** How long one may be silent before it is ended and replaced; null: it is not watched. */
  readonly silentMs: number | null
  /**
   * The longest pause between attempts to replace a child that keeps dying; the first is a second.
   */
  readonly restMaxMs?: number
  readonly log: Log
}

export interface Children<Ready> {
  /** The data that the first one passed to `ready`. */
  readonly ready: Ready
  /** Calls a child that is ready; rejects with the code `unavailable` if there is none. */
  within(timeoutMs: number): Call
  /** Calls each that is ready. */
  all(timeoutMs: number): Call[]
  /**
   * Replaces every one by a new one, one after the other. The old ones answer for another
   * `lingerMs`. Returns how many run then.
   */
  restart(lingerMs: number): Promise<number>
  /** Lets every child finish its work, then ends it. */
  stop(): Promise<void>
}

interface Running {
  readonly child: Child
  readonly within: (timeoutMs: number) => Call
  /** Its place is taken, or about to be: its end is no reason to start another. */
  leaving: boolean
}

const READY_MS = 30_000
/**
 * A child that dies is replaced at once, but one that keeps dying must not turn into a busy loop.
 */
const REST_MS = 1000
/** How long a stopped child may take to end. */
const LEAVE_MS = 2000

/**
 * Starts children and keeps that many running: a child that is not ready in time or gives no sign
 * of life is killed, and a child that ends is replaced. Rejects if the first ones cannot start.
 */
export async function keepChildren<Ready>(options: KeepOptions<Ready>): Promise<Children<Ready>> {
  const { name, count = 1, start, stopMs, silentMs, restMaxMs = REST_MS, log } = options
  const unable = options.unable ?? ((why: string) => new Explained("start", why))
  const running = new Set<Running>()
  const starting = new Set<Child>()
  const ending = new AbortController()
  const isEnding = (): boolean => ending.signal.aborted
  let first: Ready | null = null
  let before: Ready | null = null
  let restarting: Promise<unknown> = Promise.resolve()

  async function startOne(): Promise<Ready> {
    if (running.size === 0) before = first
    const child = start(before)
    const { facts = {} } = child
    const within = openCalls(child.channel)
    const self: Running = { child, within, leaving: false }
    starting.add(child)
    const { promise: isReady, resolve, reject } = Promise.withResolvers<Ready>()
    const timer = setTimeout(() => {
      reject(new Explained("start", `The ${name} did not become ready in time`))
      void child.kill()
    }, READY_MS)
    let endWatch = (): void => undefined
    serve(child.channel, {
      ...child.methods,
      async unable(why: string) {
        reject(unable(why))
      },
      async ready(said: Ready) {
        clearTimeout(timer)
        starting.delete(child)
        running.add(self)
        if (silentMs !== null)
          endWatch = watchHeartbeat({
            ping: () => within(silentMs)("ping"),
            silentMs,
            onSilent() {
              log.error(`${name} does not answer and is ended`, facts)
              void child.kill()
            },
          })
        resolve(said)
      },
    })
    void child.ended.then(({ exitCode, signal }) => {
      clearTimeout(timer)
      starting.delete(child)
      endWatch()
      reject(new Explained("start", `The ${name} ended before it was ready`))
      if (!running.delete(self) || self.leaving || isEnding()) return
      log.error(`${name} died and is replaced`, {
        ...facts,
        ...(exitCode !== null && { exitCode }),
        ...(signal !== null && { signal }),
      })
      void replace()
    })
    return await isReady
  }

  /** Starts a child in place of one that is gone, and tries until it is ready. */
  async function replace(): Promise<void> {
    for (let restMs = REST_MS; ; restMs = Math.min(2 * restMs, restMaxMs)) {
      await delay(restMs, undefined, { signal: ending.signal }).catch(() => undefined)
      if (isEnding()) return
      try {
        await startOne()
        return
      } catch (error) {
        if (isEnding()) return
        log.error(`${name} could not be replaced, trying again`, { error })
      }
    }
  }

  async function retire(self: Running, lingerMs?: number): Promise<void> {
    const { child, within } = self
    self.leaving = true
    await within(stopMs)("stop", lingerMs).catch((error: unknown) =>
      log.warn(`${name} did not stop by itself`, { ...child.facts, error }),
    )
    child.disconnect()
    if ((await orAfter(LEAVE_MS, child.ended, null)) === null) await child.kill()
  }

  /** Starts the successor of `old`, which may die meanwhile. */
  async function succeed(old: Running): Promise<void> {
    old.leaving = true
    try {
      await startOne()
    } catch (error) {
      old.leaving = false
      if (!running.has(old)) void replace()
      throw error
    }
  }

  async function restart(lingerMs: number): Promise<number> {
    for (const old of [...running]) {
      if (isEnding()) break
      // A child that died meanwhile is replaced by the handler of its death.
      if (!running.has(old)) continue
      await succeed(old)
      await retire(old, lingerMs)
    }
    return running.size
  }

  async function stop(): Promise<void> {
    ending.abort()
    // These have not served anybody yet, and once ready nobody would end them.
    await Promise.all([...starting].map((child) => child.kill()))
    await restarting.catch(() => undefined)
    await Promise.all([...running].map((self) => retire(self)))
  }

  try {
    const [ready] = await Promise.all(Array.from({ length: count }, startOne))
    if (ready === undefined) throw new Error(`A service needs at least one ${name}`)
    first = ready
    return {
      ready,
      within:
        (timeoutMs) =>
        async (method, ...args) => {
          const [one] = running
          if (one !== undefined) return await one.within(timeoutMs)(method, ...args)
          throw new RemoteError("unavailable", `The ${name} is not running at the moment`)
        },
      all: (timeoutMs) => [...running].map(({ within }) => within(timeoutMs)),
      restart(lingerMs) {
        // The caller of the previous restart got its failure; this restart begins with the children
        // running now.
        const restarted = restarting.catch(() => undefined).then(() => restart(lingerMs))
        restarting = restarted
        return restarted
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
