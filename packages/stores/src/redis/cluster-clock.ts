import { MalformedBytes } from "../bytes.ts"
import type { ClusterConnection } from "./connection.ts"

/** The time of the cluster, which is one for all nodes of the service. */
export interface ClusterClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Asks for the time again. If that fails, the clock goes on from what it had. */
  set(): Promise<void>
}

/**
 * The time of the node that has `key`, carried on by a clock that only grows, so that it does not
 * matter what time somebody sets on this machine.
 */
export async function openClusterClock(
  connection: ClusterConnection,
  key: string,
  elapsed: () => number,
): Promise<ClusterClock> {
  let ahead = 0
  const set = async (): Promise<void> => {
    const asked = elapsed()
    const reply = await connection.send(key, ["TIME"])
    const [seconds, micros] = Array.isArray(reply) ? reply.map(String).map(Number) : []
    if (seconds === undefined || micros === undefined) throw new MalformedBytes("no time")
    // The answer is of some moment between question and now.
    ahead = seconds * 1000 + micros / 1000 - (asked + elapsed()) / 2
  }
  await set()
  return { now: () => Math.floor(elapsed() + ahead), set }
}
