import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { createClient } from "@redis/client"
import { lastingPort } from "../free-port.ts"

/**
 * A real cluster for tests: three primaries on free loopback ports, maybe each with a replica, with
 * their data in a temporary folder.
 */
export interface TestCluster {
  /** For ASSAY_INDEX_URL. */
  readonly urls: string
  /** The primaries as the cluster was begun, then the replica of each. */
  readonly nodes: readonly TestNode[]
  /** The number of the node that had a key at first. */
  nodeOf(key: string): Promise<number>
  /** Waits until every replica has what its primary has, and every node knows so. */
  replicated(): Promise<void>
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
const START_ATTEMPTS = 5
const PRIMARIES = 3

/**
 * Starts the cluster, or throws where there is neither Valkey nor Redis. Its nodes take one for
 * dead that says nothing for `nodeTimeoutMs`, for whatever reason.
 */
export async function startTestCluster({
  replicas = false,
  nodeTimeoutMs = 2_000,
} = {}): Promise<TestCluster> {
  const program = installed("valkey-server") ? "valkey-server" : "redis-server"
  const folder = await mkdtemp(join(tmpdir(), "assay-redis-"))
  const nodes: (TestNode & { readonly port: number; readonly busPort: number })[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (let i = 0; i < (replicas ? 2 * PRIMARIES : PRIMARIES); i++) {
      nodes.push(await startedNode(program, join(folder, String(i)), nodeTimeoutMs))
    }
    for (const [i, node] of nodes.entries()) {
      if (i < PRIMARIES) {
        const [from, to] = [startOf(i), startOf(i + 1) - 1]
        await node.ask("CLUSTER", "ADDSLOTSRANGE", String(from), String(to))
      }
      for (const { port, busPort } of nodes.slice(0, i)) {
        await node.ask("CLUSTER", "MEET", "127.0.0.1", String(port), String(busPort))
      }
    }
    await until(async () => {
      const views = await Promise.all(nodes.map((node) => node.ask("CLUSTER", "SLOTS")))
      return views.every((view) => (view as unknown[]).length === PRIMARIES)
    })
    await until(async () => (await Promise.all(nodes.map(isServing))).every(Boolean))
    for (const [i, node] of nodes.entries()) {
      if (i < PRIMARIES) continue
      const primary = String(await nodes[i - PRIMARIES]?.ask("CLUSTER", "MYID"))
      // Refused until it has heard of its primary.
      await until(async () => (await node.ask("CLUSTER", "REPLICATE", primary)) === "OK")
    }
    await untilReplicated(nodes)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    urls: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(","),
    nodes: nodes.map((node) => ({ ...node, start: () => node.start().then(() => rejoined(node)) })),
    async nodeOf(key) {
      const slot = Number(await nodes[0]?.ask("CLUSTER", "KEYSLOT", key))
      return [0, 1, 2].findIndex((i) => slot < startOf(i + 1))
    },
    replicated: () => untilReplicated(nodes),
    stop,
  }
}

/** On ports that nobody has: others may take them between the search and the start. */
async function startedNode(
  program: string,
  folder: string,
  nodeTimeoutMs: number,
): Promise<ReturnType<typeof testNode>> {
  for (let attempt = 1; ; attempt++) {
    const place = { port: await lastingPort(), busPort: await lastingPort(), nodeTimeoutMs }
    const node = testNode(program, folder, place)
    try {
      await node.start()
      return node
    } catch (error) {
      await node.kill()
      if (!(error instanceof EndedAtStart) || attempt === START_ATTEMPTS) throw error
    }
  }
}

class EndedAtStart extends Error {}

/** The first slot of a primary. */
function startOf(primary: number): number {
  return Math.floor((primary * SLOTS) / PRIMARIES)
}

function installed(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(delimiter)
  return folders.some((folder) => existsSync(join(folder, program)))
}

/** The replicas are those that the cluster knows now: a failover may have changed them. */
async function untilReplicated(nodes: readonly TestNode[]): Promise<void> {
  const wanted = nodes.length / PRIMARIES
  const listed = (view: unknown): boolean =>
    (view as unknown[][]).every((range) => range.length - 2 === wanted)
  await until(async () => {
    const views = await Promise.all(nodes.map((node) => node.ask("CLUSTER", "SLOTS")))
    const told = await Promise.all(nodes.map((node) => node.ask("INFO", "replication")))
    const behind = told.filter((text) => /^master_link_status:down/m.test(String(text)))
    return behind.length === 0 && views.every(listed)
  })
}

interface NodePlace {
  readonly port: number
  readonly busPort: number
  readonly nodeTimeoutMs: number
}

function testNode(
  program: string,
  folder: string,
  place: NodePlace,
): TestNode & Pick<NodePlace, "port" | "busPort"> {
  const { port, busPort } = place
  let child: ChildProcess | null = null
  const client = createClient({
    RESP: 2,
    socket: { host: "127.0.0.1", port, reconnectStrategy: false, connectTimeout: START_MS },
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
      child = spawn(program, settings(folder, place), { stdio: "ignore" })
      // Rejects where there is no such program.
      await once(child, "spawn")
      guard(child)
      const { pid } = child
      const hasEnded = (): boolean => child?.exitCode !== null
      // Where it has not got its port, whoever has may answer in its place.
      const isOwn = async (): Promise<boolean> =>
        new RegExp(`^process_id:${pid}\r?$`, "m").test(String(await ask("INFO", "server")))
      await until(async () => hasEnded() || (await isOwn()))
      if (hasEnded()) throw new EndedAtStart(`A node of the cluster on ${port} ended at its start`)
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
function settings(folder: string, { port, busPort, nodeTimeoutMs }: NodePlace): string[] {
  return Object.entries({
    port,
    bind: "127.0.0.1",
    dir: folder,
    "cluster-enabled": "yes",
    "cluster-port": busPort,
    "cluster-node-timeout": nodeTimeoutMs,
    "cluster-require-full-coverage": "no",
    "repl-diskless-sync-delay": 0,
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
