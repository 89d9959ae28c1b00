import { MalformedBytes } from "../bytes.ts"
import { COMMAND_OPTIONS, type Client, type NodeClient, type Reply } from "./cluster-client.ts"

/** How many replicas could take the place of a primary. */
export interface ReplicaCounts {
  /** As of a second ago at most. */
  of(client: Client, slot: number): Promise<number>
  /** As of now. */
  now(node: NodeClient, slot: number): Promise<number>
}

const KNOWN_MS = 1_000

/**
 * As the primaries themselves tell it. A replica that most primaries have found to be away is not
 * counted, for it cannot be elected; one that has only lost its primary is.
 */
export function replicaCounts(): ReplicaCounts {
  const known = new Map<string, { readonly count: Promise<number>; readonly at: number }>()

  const now = async (node: NodeClient, slot: number): Promise<number> =>
    countIn(await node.sendCommand<Reply>(["CLUSTER", "SLOTS"], COMMAND_OPTIONS), slot)

  return {
    now,
    async of(client, slot) {
      const primary = client.slots[slot]?.master
      if (primary === undefined) throw new Error("No node has this part of the cluster")
      const { address } = primary
      const told = known.get(address)
      if (told !== undefined && performance.now() - told.at < KNOWN_MS) return await told.count
      const asked = {
        count: client.nodeClient(primary).then((node) => now(node, slot)),
        at: performance.now(),
      }
      known.set(address, asked)
      try {
        return await asked.count
      } catch (error) {
        if (known.get(address) === asked) known.delete(address)
        throw error
      }
    },
  }
}

/**
 * A row a range of slots: first and last slot, the primary, and each replica that is not away and
 * has had data (https://valkey.io/commands/cluster-slots).
 */
export function countIn(reply: Reply, slot: number): number {
  if (!Array.isArray(reply)) throw new MalformedBytes("a reply of another shape")
  for (const row of reply as readonly Reply[]) {
    if (!Array.isArray(row)) throw new MalformedBytes("a reply of another shape")
    const [from, to, ...nodes] = row as readonly Reply[]
    if (slot >= Number(from) && slot <= Number(to)) return nodes.length - 1
  }
  throw new MalformedBytes("a node that says of a slot of its own that nobody has it")
}
