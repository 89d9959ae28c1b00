import type { IndexMember } from "../index-place.ts"
import type { ClusterPlace } from "./cluster-place.ts"
import { openConnection } from "./connection.ts"

/** Every primary and replica that the cluster knows of, as one of its nodes sees them. */
export async function clusterMembers(options: {
  readonly place: ClusterPlace
  readonly timeoutMs: number
}): Promise<readonly IndexMember[]> {
  const connection = await openConnection(options)
  try {
    const [first] = await connection.sendToMasters(["CLUSTER", "NODES"])
    return readMembers(String(first))
  } finally {
    await connection.close()
  }
}

/**
 * A line a node: id, address, flags, its primary, when it was asked and answered, epoch, state of
 * the link, slots (https://valkey.io/commands/cluster-nodes).
 */
export function readMembers(text: string): IndexMember[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, address = "", flags = "", , , , , link = "", ...slots] = line.trim().split(" ")
      const marks = new Set(flags.split(","))
      const isWell = !marks.has("fail") && !marks.has("fail?") && !marks.has("noaddr")
      return {
        address: address.replace(/[@,].*$/, ""),
        role: marks.has("master") ? ("primary" as const) : ("replica" as const),
        isWell: isWell && (link === "connected" || marks.has("myself")),
        parts: slots.reduce((sum, range) => sum + slotsIn(range), 0),
      }
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1))
}

/** Slots on the move stand in brackets, and are counted where they still are. */
function slotsIn(range: string): number {
  const match = /^(\d+)(?:-(\d+))?$/.exec(range)
  if (match === null) return 0
  const from = Number(match[1])
  const to = match[2] === undefined ? from : Number(match[2])
  return to - from + 1
}
