import { parentPort, workerData } from "node:worker_threads"
import type { DatabasePlace } from "@assay/stores/database"
import { openRecords } from "@assay/stores/open/open-database"
import type { Records } from "@assay/stores/records"
import { threadChannel } from "@assay/runtime/channels"
import { RECORDS_METHODS } from "./records-methods.ts"
import { answerCalls } from "@assay/runtime/rpc"

const opening = openRecords(workerData as DatabasePlace, { connections: 4 })

/** Calls wait for the opening, so its failure reaches whoever called first. */
const method =
  (name: keyof Records) =>
  async (...args: unknown[]): Promise<unknown> => {
    const records = (await opening) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >
    return await records[name]?.(...args)
  }

if (parentPort === null) throw new Error("records-thread runs as a thread of the primary process")
answerCalls(
  threadChannel(parentPort),
  Object.fromEntries(RECORDS_METHODS.map((name) => [name, method(name)])),
)
// Told to the first caller; until there is one, it must not end the process as unhandled.
opening.catch(() => undefined)
