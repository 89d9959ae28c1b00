import { ErrorReply } from "@redis/client"
import { IndexUnavailable } from "../exposure-index.ts"
import {
  type Argument,
  COMMAND_OPTIONS,
  type Client,
  type NodeClient,
  type Reply,
} from "./cluster-client.ts"
import type { ReplicaCounts } from "./replica-counts.ts"
import { slotOf } from "./slot.ts"

/** Changes that are answered once a replica has them. */
export interface ReplicatedChanges {
  send(client: Client, key: string, args: Argument[]): Promise<Reply>
}

interface Options {
  readonly replicas: ReplicaCounts
  /** How long a node waits for a replica. */
  readonly waitMs: number
}

interface Change {
  readonly args: Argument[]
  readonly slot: number
  /** Of a slot that moves: the node takes the command though the slot is not its own yet. */
  readonly moving: boolean
  answer(reply: Reply): void
  fail(error: unknown): void
}

const NOT_HELD = "No replica has the change in time"
/** As often as a client of a cluster follows. */
const REDIRECTIONS_MAX = 16

/**
 * What is sent to a node while it waits for a replica goes out together afterwards, with one wait
 * for all of it. The wait counts what came before it on its own connection. So both are sent in one
 * turn of the event loop, and a client that loses its connection drops all that it was given: then
 * either both were on one connection or the wait failed.
 */
export function replicatedChanges({ replicas, waitMs }: Options): ReplicatedChanges {
  const waiting = new WeakMap<NodeClient, Change[]>()

  const sendAll = async (node: NodeClient, changes: readonly Change[]): Promise<void> => {
    const replies = changes.map(({ args, moving }) => {
      // Where it fails, so does the command after it.
      if (moving) node.sendCommand(["ASKING"], COMMAND_OPTIONS).catch(() => undefined)
      return node.sendCommand<Reply>(args, COMMAND_OPTIONS)
    })
    const [held, ...made] = await Promise.allSettled([
      node.sendCommand<Reply>(["WAIT", "1", String(waitMs)], COMMAND_OPTIONS),
      ...replies,
    ])
    if (held.status === "rejected") throw new IndexUnavailable(NOT_HELD, { cause: held.reason })
    const isHeld = Number(held.value) > 0 || (await isAlone(node, changes))
    for (const [i, change] of changes.entries()) {
      const each = made[i]
      if (each?.status === "rejected") change.fail(each.reason)
      else if (each !== undefined && isHeld) change.answer(each.value)
      else change.fail(new IndexUnavailable(NOT_HELD))
    }
  }
  /** The cluster may have found meanwhile that all replicas are away. */
  const isAlone = async (node: NodeClient, [first]: readonly Change[]): Promise<boolean> =>
    first !== undefined && (await replicas.now(node, first.slot)) === 0

  /** Sends what waits for a node, until nothing does. */
  const sendLine = async (node: NodeClient, line: Change[]): Promise<void> => {
    while (line.length > 0) {
      const taken = line.splice(0)
      try {
        await sendAll(node, taken)
      } catch (error) {
        for (const each of taken) each.fail(error)
      }
    }
    waiting.delete(node)
  }
  const sentTo = (
    node: NodeClient,
    change: Pick<Change, "args" | "slot" | "moving">,
  ): Promise<Reply> => {
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<Reply>()
    const line = waiting.get(node)
    if (line !== undefined) {
      line.push({ ...change, answer, fail })
      return promise
    }
    const first = [{ ...change, answer, fail }]
    waiting.set(node, first)
    void sendLine(node, first)
    return promise
  }

  return {
    async send(client, key, args) {
      const slot = slotOf(key)
      let askedOf: NodeClient | null = null
      for (let i = 0; i < REDIRECTIONS_MAX; i++) {
        try {
          const node = askedOf ?? (await primaryOf(client, slot))
          return await sentTo(node, { args, slot, moving: askedOf !== null })
        } catch (error) {
          askedOf = null
          if (!(error instanceof ErrorReply)) throw error
          if (error.message.startsWith("MOVED")) {
            // The client itself follows, and then knows where the slot is.
            await client.sendCommand(key, false, ["EXISTS", key])
          } else if (error.message.startsWith("ASK ")) {
            askedOf = await namedBy(client, error)
          } else throw error
        }
      }
      throw new IndexUnavailable("The parts of the cluster move faster than they can be followed")
    },
  }
}

async function primaryOf(client: Client, slot: number): Promise<NodeClient> {
  const primary = client.slots[slot]?.master
  if (primary === undefined) throw new IndexUnavailable("No node has this part of the cluster")
  return await client.nodeClient(primary)
}

async function namedBy(client: Client, { message }: ErrorReply): Promise<NodeClient> {
  const node = client.nodeByAddress.get(message.slice(message.lastIndexOf(" ") + 1))
  if (node === undefined) throw new IndexUnavailable("A part of the cluster moves to a new node")
  return await client.nodeClient(node)
}
