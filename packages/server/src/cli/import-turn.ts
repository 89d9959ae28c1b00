import { setTimeout as delay } from "node:timers/promises"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import type { SharedTurn } from "@assay/corpus/import-request"
import type { Secrets } from "@assay/runtime/secrets"
import { openRecords, recordsAreShared } from "@assay/stores/open/open-database"
import type { Lease } from "@assay/stores/records-nodes"
import type { Records } from "@assay/stores/records"
import type { Config } from "../base/config.ts"
import { IMPORT_LEASE } from "../base/import-lease.ts"
import { nodeIdIn } from "../run/node-id.ts"

const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
const RETRY_MS = 500

/**
 * The turn of this node among all that may import into an index that several nodes serve. It is
 * taken by whoever has the turn of the data directory, so that a node takes back at once what an
 * import of its own held that was killed.
 */
export function sharedImportTurn(
  config: Config,
  secrets: Secrets,
):
  | ((wait: { readonly wait: boolean; readonly signal: AbortSignal }) => Promise<SharedTurn>)
  | null {
  if (!recordsAreShared(config)) return null
  return async ({ wait, signal }) => {
    // A connection of its own: the service of this node may end before the import does.
    const records = await openRecords(config, {
      connections: 1,
      auditKey: secrets.subkeys.audit,
    })
    try {
      await records.migrate()
      return await takeTurn(records, nodeIdIn(config.dataDirectory), wait, signal)
    } catch (error) {
      await records.close()
      throw error
    }
  }
}

async function takeTurn(
  records: Records,
  holder: string,
  wait: boolean,
  signal: AbortSignal,
): Promise<SharedTurn> {
  const asked = { name: IMPORT_LEASE, holder, forMs: LEASE_MS }
  let lease: Lease | null = null
  while ((lease = await records.takeLease(asked)) === null) {
    if (!wait) {
      const held = (await records.leases()).find(({ name }) => name === IMPORT_LEASE)
      const where = held === undefined ? "it has just ended" : `on ${held.holder}`
      throw new ImportFailure("another-runs", `Another import runs (${where})`)
    }
    await delay(RETRY_MS, undefined, { signal })
  }
  const own = lease
  // What cannot be renewed now may be later; whether it is held is asked before the batch counts.
  const renewal = setInterval(
    () => void records.renewLease(own, LEASE_MS).catch(() => false),
    RENEW_MS,
  )
  return {
    async require() {
      if (await records.renewLease(own, LEASE_MS)) return
      throw new ImportFailure(
        "another-runs",
        "This import was stopped for so long that another began; the same command again completes it",
      )
    },
    async release() {
      clearInterval(renewal)
      // One that cannot be let go is over by itself.
      await records.releaseLease(own).catch(() => undefined)
      await records.close()
    },
  }
}
