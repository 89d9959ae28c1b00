import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { createClient } from "@redis/client"
import { freePort } from "../free-port.ts"

/**
 * A real cluster for tests: three masters on free loopback ports, with their data in a temporary
 * folder.
 */
export interface TestCluster {
  /** For ASSAY_INDEX_URL. */
  readonly urls: string
  readonly nodes: readonly TestNode[]
  /** The number of the node that has a key. */
  nodeOf(key: string): Promise<number>
  stop(): Promise<void>
}

export interface TestNode {
  /** Sends one command to this node only. */
  ask(...command: string[]): Promise<unknown>
  kill(): Promise<void>
  /** Starts it again with its data on disk; resolves when the cluster takes it back. */
  start(): Promise<void>
  /** Suspends its process: connections stay open and nothing answers. */
  pause(): void
  resume(): void
}

const SLOTS = 16_384
const START_MS = 30_000

/** Starts the cluster, or throws where there is no redis-server. */
export async function startTestCluster(): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), "assay-redis-"))
  const nodes: (TestNode & { readonly port: number; readonly busPort: number })[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (let i = 0; i < 3; i++) {
      const node = testNode(join(folder, String(i)), await freePort(), await freePort())
      nodes.push(node)
      await node.start()
    }
    for (const [i, node] of nodes.entries()) {
      const [from, to] = [i, i + 1].map((part) => Math.floor((part * SLOTS) / 3)) as [
        number,
        number,
      ]
      await node.ask("CLUSTER", "ADDSLOTSRANGE", String(from), String(to - 1))
      for (const { port, busPort } of nodes.slice(0, i)) {
        await node.ask("CLUSTER", "MEET", "127.0.0.1", String(port), String(busPort))
      }
    }
    await until(async () => {
      const views = await Promise.all(nodes.map((node) => node.ask("CLUSTER", "SLOTS")))
      return views.every((view) => (view as unknown[]).length === 3)
    })
    await until(async () => (await Promise.all(nodes.map(isServing))).every(Boolean))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    urls: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(","),
    nodes: nodes.map((node) => ({ ...node, start: () => node.start().then(() => rejoined(node)) })),
    async nodeOf(key) {
      const slot = Number(await nodes[0]?.ask("CLUSTER", "KEYSLOT", key))
      return Math.min(
        2,
        nodes.findIndex((_, i) => slot < Math.floor(((i + 1) * SLOTS) / 3)),
      )
    },
    stop,
  }
}

function testNode(
  folder: string,
  port: number,
  busPort: number,
): TestNode & { readonly port: number; readonly busPort: number } {
  let child: ChildProcess | null = null
  const client = createClient({
    RESP: 2,
    socket: { host: "127.0.0.1", port, reconnectStrategy: false, connectTimeout: 1000 },
  }).on("error", () => undefined)
  let last: Promise<unknown> = Promise.resolve()
  // A connection for each command, so that a node can be killed and started between any two.
  const ask = (...command: string[]): Promise<unknown> => {
    const mine = last.then(async () => {
      await client.connect()
      try {
        return await client.sendCommand(command)
      } finally {
        client.destroy()
      }
    })
    last = mine.catch(() => undefined)
    return mine
  }
  return {
    port,
    busPort,
    ask,
    async start() {
      mkdirSync(folder, { recursive: true })
      child = spawn("redis-server", settings(folder, port, busPort), { stdio: "ignore" })
      // Rejects where there is no such program.
      await once(child, "spawn")
      guard(child)
      await until(() => ask("PING").then((reply) => reply === "PONG"))
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
    },
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
  }
}

/**
 * What the operating page asks for, but for the disk: a killed process loses nothing it wrote, and
 * tests pull no plugs.
 */
function settings(folder: string, port: number, busPort: number): string[] {
  return Object.entries({
    port,
    bind: "127.0.0.1",
    dir: folder,
    "cluster-enabled": "yes",
    "cluster-port": busPort,
    "cluster-node-timeout": 2000,
    "cluster-require-full-coverage": "no",
    appendonly: "yes",
    appendfsync: "no",
    save: "",
    "hash-max-listpack-value": 1024,
  }).flatMap(([name, value]) => [`--${name}`, String(value)])
}

async function rejoined(node: TestNode): Promise<void> {
  await until(() => isServing(node))
}

async function isServing(node: TestNode): Promise<boolean> {
  return String(await node.ask("CLUSTER", "INFO")).includes("cluster_state:ok")
}

/** Polls for what other processes bring about, since they do not announce it. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + START_MS
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error("What was waited for did not come about")
    await delay(50)
  }
}

/** Ends the node if this process is killed and can run no code: the guard's input then closes. */
function guard(child: ChildProcess): void {
  const script = 'read -r _; kill -s KILL "$1"'
  const watching = spawn("sh", ["-c", script, "guard", String(child.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  watching.unref()
  child.once("exit", () => watching.kill())
}
