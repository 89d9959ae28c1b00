import type { Lists } from "../score/email/lists.ts"
import type { Workers } from "./workers.ts"
import { Explained } from "@assay/runtime/explained"

/**
 * In a worker: takes changed lists over. Returns what is wrong with them, in which case the old
 * ones stay.
 */
export function reloadedLists(lists: Lists): string | null {
  try {
    lists.reload()
    return null
  } catch (error) {
    // Returned, not thrown: the primary drops calls that fail, since a worker that died needs no
    // lists.
    const explained = error instanceof Explained && error.code === "lists"
    return explained ? error.message : "The lists cannot be read"
  }
}

/**
 * In the primary: makes every worker read the lists again. Returns how many did, or throws what is
 * wrong with them.
 */
export async function reloadLists(workers: Workers): Promise<number> {
  const faults = await workers.callAll((worker) => worker.reloadLists())
  const fault = faults.find((each) => each !== null)
  if (fault !== undefined) throw new Explained("lists", fault)
  return faults.length
}
