import { createCluster, ErrorReply, RESP_TYPES, SocketClosedUnexpectedlyError } from "@redis/client"
import { IndexUnavailable } from "../exposure-index.ts"
import type { ClusterPlace } from "./cluster-place.ts"

/** What a node answers. Strings come as the bytes they are. */
export type Reply = Buffer | string | number | null | readonly Reply[]
export type Argument = Buffer | string

export interface ConnectionOptions {
  readonly place: ClusterPlace
  /** How long a command may take. */
  readonly timeoutMs: number
}

/**
 * The most commands without an answer from one node: a hanging node must not fill the memory of its
 * callers.
 */
const OWED_MAX = 20_000
/** Between two attempts to rediscover the cluster. */
const RENEW_MS = 2_000
const RECONNECT_MS_MAX = 500

/**
 * Of every command, also of one to a node, which does not inherit them. The client's own limit is
 * five seconds until a command is written, which a busy process may take; it is off, for ours ends
 * with the answer.
 */
export const COMMAND_OPTIONS = {
  timeout: 0,
  typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer },
}

export type Client = ReturnType<typeof createClient>
/** Of one node; it is always the same connection between two failures. */
export type NodeClient = Awaited<ReturnType<Client["nodeClient"]>>

export interface RenewedClient {
  /** What `ask` gets from the cluster in time. */
  answered<T>(ask: (client: Client) => Promise<T>): Promise<T>
  close(): void
}

/** A client that is replaced where an answer is missing. */
export async function openClient({ place, timeoutMs }: ConnectionOptions): Promise<RenewedClient> {
  let client = createClient(place, timeoutMs)
  /** Clients that were replaced and may still get answers. */
  const replaced = new Set<Client>()
  let closed = false
  let renewing = false
  let renewedAt = performance.now()

  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new IndexUnavailable("The cluster gives no answer in time")),
      timeoutMs,
    )
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Rediscovers the cluster from the given addresses after a missing answer. A lost connection
   * comes back by itself, but a hanging one, or one whose node moved to another address, would be
   * used for ever.
   */
  const renew = (): void => {
    if (closed || renewing || performance.now() - renewedAt < RENEW_MS) return
    renewing = true
    const next = createClient(place, timeoutMs)
    inTime(next.connect())
      .then(
        () => {
          if (closed) {
            next.destroy()
            return
          }
          const before = client
          client = next
          replaced.add(before)
          // What nodes that answer still owe arrives within the limit.
          setTimeout(() => {
            replaced.delete(before)
            before.destroy()
          }, timeoutMs).unref()
        },
        () => next.destroy(),
      )
      .finally(() => {
        renewing = false
        renewedAt = performance.now()
      })
  }

  try {
    await inTime(client.connect())
  } catch (cause) {
    client.destroy()
    throw notReached(cause)
  }

  return {
    async answered(ask) {
      if (closed) throw new IndexUnavailable("The index is closed")
      try {
        return await inTime(ask(client))
      } catch (error) {
        if (error instanceof ErrorReply) throw error
        renew()
        if (error instanceof IndexUnavailable) throw error
        throw notReached(error)
      }
    },
    close() {
      if (closed) return
      closed = true
      for (const each of [client, ...replaced]) each.destroy()
    },
  }
}

// RESP 2, because every engine that speaks the cluster protocol knows it. Reads go to masters only:
// a replica may not have what was just made live.
function createClient({ nodes, tls, username, password }: ClusterPlace, timeoutMs: number) {
  const client = createCluster({
    rootNodes: nodes.map((node) => ({ socket: { ...node, tls } })),
    defaults: {
      ...(username === null ? {} : { username }),
      ...(password === null ? {} : { password }),
      socket: { tls, connectTimeout: timeoutMs, reconnectStrategy },
      disableOfflineQueue: true,
      disableClientInfo: true,
      commandsQueueMaxLength: OWED_MAX,
    },
    minimizeConnections: true,
    RESP: 2,
    commandOptions: COMMAND_OPTIONS,
    topologyRefreshOnReconnectionAttemptStrategy: RECONNECT_MS_MAX,
  })
  // A command that fails rejects. A connection that fails between two commands matters only to the
  // next one.
  return client.on("error", () => undefined)
}

/**
 * A connection that worked before is retried again and again. One that never worked fails the
 * command that needed it, and the next command makes a new attempt: otherwise all commands to a
 * dead node would queue until it returns.
 */
function reconnectStrategy(retries: number, cause: Error): number | false {
  const worked = retries > 0 || cause instanceof SocketClosedUnexpectedlyError || isReset(cause)
  return worked ? Math.min(20 * 2 ** retries, RECONNECT_MS_MAX) : false
}

function isReset(cause: Error): boolean {
  const { code } = cause as NodeJS.ErrnoException
  return code === "ECONNRESET" || code === "EPIPE" || code === "ETIMEDOUT"
}

function notReached(cause: unknown): IndexUnavailable {
  const { message, name } = cause as Error
  return new IndexUnavailable(`The cluster cannot be reached (${message || name})`, { cause })
}
