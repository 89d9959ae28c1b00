import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { answerCalls } from "@assay/runtime/rpc"
import type { Drops } from "./store/drops.ts"
import { openSqliteDrops } from "./store/sqlite-drops.ts"
import { DROPS_METHODS } from "./drops-methods.ts"

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

if (parentPort === null) throw new Error("store-thread-main runs as a thread of the drop process")
answerCalls(
  threadChannel(parentPort),
  Object.fromEntries(DROPS_METHODS.map((name) => [name, method(name)])),
)
// Told to the first caller; until there is one, it must not end the process as unhandled.
opening.catch(() => undefined)
