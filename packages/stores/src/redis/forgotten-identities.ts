import type { Log } from "@assay/runtime/log"
import type { ForgottenIdentities, ForgottenUse } from "../forgotten-identities.ts"
import type { ClusterPlace } from "./cluster-place.ts"
import type { Reply } from "./cluster-client.ts"
import { type ClusterConnection, openConnection } from "./connection.ts"
import { metaKey } from "./layout.ts"

const LOOK_MS = 1000
const READ_AT_ONCE = 1000
/** More than arrive while a node does not look; what it missed for longer it forgets as a whole. */
const KEPT = "100000"
/** Past this nobody remembers anything from before. */
const KEPT_MS = String(2 * 86_400_000)

/**
 * Told by a stream in the cluster, which every node reads from where it was. A node that could not
 * look for a moment, and so may have missed some, takes all for forgotten.
 */
export async function openForgottenInCluster(
  { place, name, timeoutMs }: { place: ClusterPlace; name: string; timeoutMs: number },
  { onForgotten, onMissed, log }: ForgottenUse,
): Promise<ForgottenIdentities> {
  const connection = await openConnection({ place, timeoutMs })
  return followStream({ connection, key: `${metaKey(name)}:forgotten`, onForgotten, onMissed, log })
}

interface Following extends ForgottenUse {
  readonly connection: ClusterConnection
  readonly key: string
  readonly log: Log
}

export async function followStream(following: Following): Promise<ForgottenIdentities> {
  const { connection, key, onForgotten, onMissed, log } = following
  const newest = async (): Promise<string> =>
    entriesOf(await connection.send(key, ["XREVRANGE", key, "+", "-", "COUNT", "1"])).at(0)?.id ??
    "0-0"
  let read = await newest()
  let missed = false
  /** Those that could not be told. */
  const pending = new Set<string>()
  const send = async (identity: string): Promise<void> => {
    await connection.replicated.send(key, ["XADD", key, "MAXLEN", "~", KEPT, "*", "k", identity])
    await connection.send(key, ["PEXPIRE", key, KEPT_MS])
  }
  const look = async (): Promise<void> => {
    for (const identity of pending) {
      await send(identity)
      pending.delete(identity)
    }
    if (missed) {
      // First where the stream is, then forgetting: what comes in between is read next.
      read = await newest()
      await onMissed()
      missed = false
    }
    for (;;) {
      const range = ["XRANGE", key, `(${read}`, "+", "COUNT", String(READ_AT_ONCE)]
      const entries = entriesOf(await connection.send(key, range))
      for (const { id, identity } of entries) {
        await onForgotten(identity)
        read = id
      }
      if (entries.length < READ_AT_ONCE) return
    }
  }
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => {
        if (!missed) log.warn("what other nodes forgot could not be read", { error })
        missed = true
      })
      .finally(() => (looking = null))
  }, LOOK_MS)
  return {
    async tell(identity) {
      try {
        await send(identity)
      } catch (error) {
        pending.add(identity)
        throw error
      }
    },
    async close() {
      clearInterval(timer)
      await looking
      await connection.close()
    },
  }
}

function entriesOf(reply: Reply): { readonly id: string; readonly identity: string }[] {
  const rows = Array.isArray(reply) ? (reply as [Buffer, [Buffer, Buffer]][]) : []
  return rows.map(([id, [, identity]]) => ({ id: id.toString(), identity: identity.toString() }))
}
