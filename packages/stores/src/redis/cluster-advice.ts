import { ErrorReply } from "@redis/client"
import { HEAVY_BYTES } from "./layout.ts"
import type { ClusterPlace } from "./cluster-place.ts"
import type { Reply } from "./cluster-client.ts"
import { openConnection } from "./connection.ts"

/**
 * By setting of a node: the fault of a value, or null. Settings that an engine does not have are
 * skipped.
 */
const advices: Readonly<Record<string, (value: string) => string | null>> = {
  appendonly: (value) =>
    value === "yes" ? null : "appendonly is off, so a node that restarts is an empty one",
  appendfsync: (value) =>
    value === "always" ? null : `appendfsync is ${value}, so a power cut loses what came last`,
  "maxmemory-policy": (value) =>
    value === "noeviction" ? null : `maxmemory-policy is ${value}, so a full node forgets evidence`,
  "hash-max-listpack-value": (value) =>
    Number(value) >= HEAVY_BYTES
      ? null
      : `hash-max-listpack-value is under ${HEAVY_BYTES}, so the index takes several times its memory`,
  "cluster-require-full-coverage": (value) =>
    value === "no" ? null : "cluster-require-full-coverage is on, so one lost node stops all",
}

/** What the nodes' own settings put at risk, one sentence each; nothing where all is well. */
export async function clusterAdvice(options: {
  readonly place: ClusterPlace
  readonly timeoutMs: number
}): Promise<readonly string[]> {
  const connection = await openConnection(options)
  try {
    const found = new Set<string>()
    for (const [name, advice] of Object.entries(advices)) {
      for (const reply of await connection.sendToMasters(["CONFIG", "GET", name])) {
        const value = valueOf(reply)
        const text = value === null ? null : advice(value)
        if (text !== null) found.add(text)
      }
    }
    return [...found]
  } catch (error) {
    if (error instanceof ErrorReply) return ["the nodes do not say how they are set up"]
    throw error
  } finally {
    await connection.close()
  }
}

function valueOf(reply: Reply): string | null {
  const value: unknown = Array.isArray(reply) ? reply[1] : undefined
  return value instanceof Buffer ? value.toString() : null
}
