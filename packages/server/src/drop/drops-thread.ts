import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "../process/channels.ts"
import { answerCalls } from "../process/rpc.ts"
import type { Drops } from "../stores/drops.ts"
import { openSqliteDrops } from "../stores/sqlite/drops.ts"
import { DROPS_METHODS } from "./open-drops.ts"

const opening = openSqliteDrops(workerData as string)

/** Calls wait for the opening, so its failure reaches whoever called first. */
const method =
  (name: keyof Drops) =>
  async (...args: unknown[]): Promise<unknown> => {
    const drops = (await opening) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >
    return await drops[name]?.(...args)
  }

if (parentPort === null) throw new Error("drops-thread runs as a thread of the drop process")
answerCalls(
  threadChannel(parentPort),
  Object.fromEntries(DROPS_METHODS.map((name) => [name, method(name)])),
)
// Told to the first caller; until there is one, it must not end the process as unhandled.
opening.catch(() => undefined)
