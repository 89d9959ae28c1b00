import { isExplained } from "@assay/runtime/explained"
import { typedCommand } from "@assay/runtime/typed-command"
import type { IndexMember } from "@assay/stores/index-place"
import { openRecords, recordsAreShared } from "@assay/stores/open/open-database"
import { indexAt } from "@assay/stores/open/open-index"
import type { HeldLease, Node } from "@assay/stores/records-nodes"
import type { Records } from "@assay/stores/records"
import { type Config, readConfig } from "../base/config.ts"
import { noteAct } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** A node that says nothing for longer is not there: it says so every half second. */
const SILENT_MS = 10_000
/** All that this one decided until then is in the store, or nearly. */
const BEHIND_MS = 5_000

interface Status {
  readonly nodes: readonly NodeStatus[]
  readonly leases: readonly { name: string; node: string; fence: number; seconds_left: number }[]
  readonly database: { readonly state: "ok" | "unavailable" }
  readonly index: {
    readonly state: "ok" | "degraded" | "unavailable" | "own"
    readonly members: readonly IndexMember[]
  }
}

interface NodeStatus {
  readonly id: string
  readonly host: string
  readonly state: "running" | "behind" | "silent" | "stopped"
  readonly version: string
  readonly index_format: number
  readonly started_at: string
  readonly seen_seconds_ago: number
  readonly clock_off_ms: number
  /** How old the newest moment is up to which all it decided is known to be in the store. */
  readonly decisions_behind_seconds: number
  readonly serves: unknown
}

/** Prints who serves, who does what one does at a time, and how the engines are. */
export async function printClusterStatus(
  { json = false }: { readonly json?: boolean },
  { env, print }: Terminal,
): Promise<void> {
  const config = readConfig(env)
  if (!recordsAreShared(config))
    throw new CommandError(
      "There is one node: its records are in its data directory. Several share a DATABASE_URL",
    )
  const status = await statusOf(config)
  if (json) print(JSON.stringify(status, null, 2))
  else lines(status).forEach(print)
  if (status.database.state === "unavailable" || status.index.state === "unavailable")
    throw new CommandError("A store cannot be reached")
}

/** Forgets a node for good. What it decided and had not brought into the store is then missing. */
export async function forgetNode(id: string, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal.env)
  if (!recordsAreShared(config))
    throw new CommandError("There is one node, and it is not among any")
  await withNodes(config, async (records) => {
    const [now, nodes] = [await records.databaseTime(), await records.nodes()]
    const node = nodes.find((each) => each.id === id)
    if (node === undefined)
      throw new CommandError(`There is no node ${id}; ${typedCommand("cluster status")} lists them`)
    if (node.leftAt === null && now - node.seenAt < SILENT_MS)
      throw new CommandError(`${id} runs on ${node.host}; stop it first`)
    await noteAct(terminal, "cluster.forget", `node:${id}`, { host: node.host })
    await records.forgetNode(id)
  })
  terminal.print(`${id} is forgotten. Started again on its data directory, it comes back.`)
}

async function statusOf(config: Config): Promise<Status> {
  const [found, index] = await Promise.all([nodesOf(config), indexOf(config)])
  if (found === null) return { nodes: [], leases: [], database: { state: "unavailable" }, index }
  const { now, nodes, leases } = found
  const hosts = new Map(nodes.map(({ id, host }) => [id, host]))
  return {
    nodes: nodes.map((node) => nodeStatus(node, now)),
    leases: leases.map(({ name, holder, fence, heldUntil }) => ({
      name,
      node: hosts.has(holder) ? holder : holder.split(" ").slice(0, 2).join(" process "),
      fence,
      seconds_left: Math.max(0, Math.round((heldUntil - now) / 1000)),
    })),
    database: { state: "ok" },
    index,
  }
}

interface Found {
  readonly now: number
  readonly nodes: readonly Node[]
  readonly leases: readonly HeldLease[]
}

/** null: the database cannot be asked, which is part of what is to be shown. */
async function nodesOf(config: Config): Promise<Found | null> {
  try {
    return await withNodes(config, async (records) => ({
      now: await records.databaseTime(),
      nodes: await records.nodes(),
      leases: await records.leases(),
    }))
  } catch (error) {
    if (isExplained(error, "unavailable")) return null
    throw error
  }
}

async function indexOf(config: Config): Promise<Status["index"]> {
  const at = indexAt(config)
  if (at.files !== null) return { state: "own", members: [] }
  try {
    const members = await at.members()
    const isWhole = members.every(({ isWell }) => isWell)
    return { state: isWhole ? "ok" : "degraded", members }
  } catch (error) {
    if (isExplained(error, "unavailable")) return { state: "unavailable", members: [] }
    throw error
  }
}

/** Beside the services, so that it works where none runs on this machine. */
async function withNodes<T>(config: Config, work: (records: Records) => Promise<T>): Promise<T> {
  const records = await openRecords(config)
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}

function nodeStatus(node: Node, now: number): NodeStatus {
  const behind = Math.max(0, now - node.foldedAt)
  return {
    id: node.id,
    host: node.host,
    state: stateOf(node, now, behind),
    version: node.version,
    index_format: node.indexFormat,
    started_at: new Date(node.startedAt).toISOString(),
    seen_seconds_ago: seconds(now - node.seenAt),
    clock_off_ms: node.clockOffMs,
    decisions_behind_seconds: node.leftAt === null ? seconds(behind) : 0,
    serves: JSON.parse(node.serves) as unknown,
  }
}

function stateOf(node: Node, now: number, behind: number): NodeStatus["state"] {
  if (node.leftAt !== null) return "stopped"
  if (now - node.seenAt > SILENT_MS) return "silent"
  return behind > BEHIND_MS ? "behind" : "running"
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000))
}

/** Several nodes of one machine are told apart by their ports. */
function placeOf({ host, serves }: NodeStatus): string {
  const { port } = serves as { readonly port?: number }
  return port === undefined ? host : `${host}:${port}`
}

function lines({ nodes, leases, database, index }: Status): string[] {
  const rows = nodes.map((node) => [
    node.id,
    placeOf(node),
    node.state,
    node.version,
    `${node.seen_seconds_ago} s ago`,
    `${node.decisions_behind_seconds} s`,
    `${node.clock_off_ms} ms`,
  ])
  const held = leases.map((lease) => [
    lease.name,
    lease.node,
    String(lease.fence),
    `${lease.seconds_left} s`,
  ])
  const engines = [
    ["records", "PostgreSQL", database.state, ""],
    ...(index.members.length === 0 ? [["index", "", index.state, ""]] : []),
    ...index.members.map(({ address, role, isWell, parts }) => [
      "index",
      `${role} ${address}`,
      isWell ? "ok" : "failing",
      role === "primary" ? `${parts} of 16384 slots` : "",
    ]),
  ]
  return [
    ...table(["NODE", "WHERE", "STATE", "VERSION", "SEEN", "DECISIONS BEHIND", "CLOCK OFF"], rows),
    "",
    ...table(["LEASE", "HELD BY", "NUMBER", "LEFT"], held),
    "",
    ...table(["STORE", "WHERE", "STATE", "HAS"], engines),
  ]
}
