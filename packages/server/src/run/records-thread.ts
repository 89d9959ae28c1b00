import { parentPort, workerData } from "node:worker_threads"
import { openPostgresRecords } from "@assay/stores/postgres/records"
import type { Records } from "@assay/stores/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { threadChannel } from "@assay/runtime/channels"
import { RECORDS_METHODS, type RecordsPlace } from "./records-methods.ts"
import { answerCalls } from "@assay/runtime/rpc"

const place = workerData as RecordsPlace
const opening =
  "file" in place
    ? openSqliteRecords({ file: place.file })
    : openPostgresRecords({ url: place.url, poolMax: 4 })

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
