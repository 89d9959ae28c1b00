import { IndexUnavailable } from "../exposure-index.ts"
import {
  type Argument,
  COMMAND_OPTIONS,
  type ConnectionOptions,
  openClient,
  type RenewedClient,
  type Reply,
} from "./cluster-client.ts"
import { replicaCounts } from "./replica-counts.ts"
import { replicatedChanges } from "./replicated-changes.ts"
import { slotOf } from "./slot.ts"

export interface Sender {
  /**
   * Sends a command to the node that has `key`. An error answered by the node itself is thrown
   * unchanged.
   */
  send(key: string, args: Argument[]): Promise<Reply>
}

/** A cluster that is addressed by key. Any missing or late answer throws IndexUnavailable. */
export interface ClusterConnection extends Sender {
  /**
   * Sends commands that change something. Where a replica could take the place of the node, the
   * answer comes once a replica has the change as well; where none has it in time, it may be made
   * or not, and IndexUnavailable is thrown.
   */
  readonly replicated: Sender
  /**
   * Whether a replica could take the place of the node that has `key`: what is seen there may then
   * be lost until a change is made by `replicated`.
   */
  hasReplica(key: string): Promise<boolean>
  /** Sends a command that has no key to every master. */
  sendToMasters(args: Argument[]): Promise<readonly Reply[]>
  close(): Promise<void>
}

/**
 * Connects to at least one node, and to the others on first use, so that a node that is down keeps
 * nobody out.
 */
export async function openConnection(options: ConnectionOptions): Promise<ClusterConnection> {
  const asking = await openClient(options)
  let closed = false
  /**
   * Waiting for a replica holds up what comes after it on the same connection, so that changes
   * which wait have one of their own.
   */
  let changing: Promise<RenewedClient> | null = null
  const replicas = replicaCounts()
  const changes = replicatedChanges({ replicas, waitMs: Math.ceil(options.timeoutMs / 2) })
  const hasReplica = async (key: string): Promise<boolean> =>
    await asking.answered(async (client) => (await replicas.of(client, slotOf(key))) > 0)
  const forChanges = async (): Promise<RenewedClient> => {
    if (closed) throw new IndexUnavailable("The index is closed")
    const opening = (changing ??= openClient(options))
    try {
      return await opening
    } catch (error) {
      if (changing === opening) changing = null
      throw error
    }
  }

  return {
    send: (key, args) => asking.answered((client) => client.sendCommand<Reply>(key, false, args)),
    replicated: {
      async send(key, args) {
        if (!(await hasReplica(key))) {
          return await asking.answered((client) => client.sendCommand<Reply>(key, false, args))
        }
        const { answered } = await forChanges()
        return await answered((client) => changes.send(client, key, args))
      },
    },
    hasReplica,
    sendToMasters: (args) =>
      asking.answered((client) =>
        Promise.all(
          client.masters.map(async (master) =>
            (await client.nodeClient(master)).sendCommand<Reply>(args, COMMAND_OPTIONS),
          ),
        ),
      ),
    async close() {
      if (closed) return
      closed = true
      asking.close()
      // One that cannot be opened has nothing to close.
      await changing?.then(
        (opened) => opened.close(),
        () => undefined,
      )
    },
  }
}
