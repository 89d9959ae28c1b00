import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import { childChannel } from "../../process/channels.ts"
import { answerCalls } from "../../process/rpc.ts"
import type { DropDesk } from "../drop-desk.ts"
import { deskMethods } from "../remote-desk.ts"
import { ownUpload } from "./own-upload.ts"
import { openReadBuffer } from "./read-buffer.ts"
import type { SealerSettings } from "./sealer-settings.ts"

export interface SealerPoolOptions {
  /** How many sealers there are at a time, and so how many connections are served at a time. */
  readonly count: number
  readonly desk: DropDesk
  /** How this program was started, so that sealers are started alike. */
  readonly program: { readonly execPath: string; readonly execArgv: readonly string[] }
  readonly settings: SealerSettings
  /** A sealer ended before it had a connection: a fault of ours, told as a code. */
  readonly onFault: (code: "sealer-start") => void
}

export interface SealerPool {
  /**
   * Hands a connection to a sealer, or lets it wait for one, unread. `head` is what was read of it, which is overwritten once
   * the sealer has it. False: too many wait, and the connection is still the caller's.
   */
  handOver(socket: Socket, head: readonly Buffer[]): boolean
  /** The sealers that run, for those who look at them from outside. */
  pids(): number[]
  /** Closes the connections that wait, and ends every sealer: idle ones at once, the others when they are done or it is late. */
  close(withinMs?: number): Promise<void>
}

/** More than these get "try again in a few minutes". */
const WAITING_MAX = 20
/** After a sealer that could not start: the next one would likely fail as well. */
const RESTART_MS = 1000
/** Core dumps are memory on the disk, messages and codes included. */
const WITHOUT_CORE_DUMPS = ["-c", 'ulimit -c 0; exec "$0" "$@"']

interface Connection {
  readonly socket: Socket
  readonly head: readonly Buffer[]
}

/**
 * Processes that see what is sent without JavaScript: started ahead, one connection each, then gone, memory and all. A new one
 * starts when an old one has ended, so that no more than `count` ever hold a message.
 */
export function openSealerPool(options: SealerPoolOptions): SealerPool {
  const idle: ChildProcess[] = []
  const running = new Map<ChildProcess, Promise<void>>()
  const waiting: Connection[] = []
  const timers = new Set<NodeJS.Timeout>()
  const readBuffer = openReadBuffer()
  let closed = false

  const startOne = (): void => {
    if (closed) return
    const child = spawnSealer(options.program)
    const upload = ownUpload(options.desk)
    const channel = childChannel(child)
    answerCalls(channel, deskMethods(upload.desk))
    channel.send({ settings: options.settings })
    idle.push(child)
    const ended = new Promise<void>((resolve) => {
      child.once("error", () => resolve())
      child.once("exit", () => resolve())
    })
    running.set(child, ended)
    void ended.then(async () => {
      running.delete(child)
      await upload.abandonUnfinished()
      if (!idle.includes(child)) {
        startOne()
        return
      }
      idle.splice(idle.indexOf(child), 1)
      if (closed) return
      options.onFault("sealer-start")
      const timer = setTimeout(() => {
        timers.delete(timer)
        startOne()
      }, RESTART_MS)
      timers.add(timer)
    })
    serve()
  }

  const serve = (): void => {
    while (idle.length > 0) {
      const connection = waiting.shift()
      if (connection === undefined) return
      if (connection.socket.destroyed) continue
      const child = idle.shift()
      if (child !== undefined) give(child, connection)
    }
  }

  for (let n = 0; n < options.count; n++) startOne()
  return {
    handOver(socket, head) {
      if (closed || (idle.length === 0 && waiting.length >= WAITING_MAX)) return false
      waiting.push({ socket, head })
      readBuffer.overwrite()
      serve()
      return true
    },
    pids: () => [...running.keys()].flatMap(({ pid }) => pid ?? []),
    async close(withinMs = 0) {
      closed = true
      readBuffer.close()
      for (const timer of timers) clearTimeout(timer)
      for (const { socket } of waiting.splice(0)) socket.destroy()
      for (const child of idle) child.kill("SIGKILL")
      const late = setTimeout(() => {
        for (const child of running.keys()) child.kill("SIGKILL")
      }, withinMs)
      await Promise.all(running.values())
      clearTimeout(late)
    },
  }
}

/** Its environment is empty, and what a runtime prints of an error of its own goes nowhere: it may quote a message. */
function spawnSealer({ execPath, execArgv }: SealerPoolOptions["program"]): ChildProcess {
  const entry = new URL(`./sealer-process${extname(import.meta.filename)}`, import.meta.url)
  const command = [execPath, ...execArgv, fileURLToPath(entry)]
  return spawn("/bin/sh", [...WITHOUT_CORE_DUMPS, ...command], {
    stdio: ["pipe", "ignore", "ignore", "ipc"],
    env: {},
    serialization: "advanced",
  })
}

/** First what was read, which must not stay in this process, then the connection itself. */
function give(child: ChildProcess, { socket, head }: Connection): void {
  const { stdin } = child
  // A sealer that dies now takes the connection with it: the sender sees that it broke and can try again.
  stdin?.on("error", () => socket.destroy())
  for (const bytes of head) stdin?.write(bytes)
  stdin?.end(() => {
    for (const bytes of head) bytes.fill(0)
    if (!child.connected) return void socket.destroy()
    // Node would let the listener ask the sealer, when it closes, whether its connection is over, and wait for an answer of
    // one that is gone. It is told nothing of the hand-over, and what is left here is closed as any other connection.
    Object.assign(socket, { server: null })
    child.send("connection", socket, () => socket.destroy())
  })
}
