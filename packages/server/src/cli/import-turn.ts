import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import type { SharedTurn } from "@assay/corpus/import-request"
import type { Secrets } from "@assay/runtime/secrets"
import { openRecords, recordsAreShared } from "@assay/stores/open/open-database"
import type { Lease } from "@assay/stores/records-nodes"
import type { Records } from "@assay/stores/records"
import type { Config } from "../base/config.ts"
import { IMPORT_LEASE } from "../base/import-lease.ts"

const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
const RETRY_MS = 500

/** The turn of this process among all that may import into an index that several nodes serve. */
export function sharedImportTurn(
  config: Config,
  secrets: Secrets,
  pid: number,
):
  ((wait: { readonly wait: boolean; readonly signal: AbortSignal }) => Promise<SharedTurn>) | null {
  if (!recordsAreShared(config)) return null
  return async ({ wait, signal }) => {
    // A connection of its own: the service of this node may end before the import does.
    const records = await openRecords(config, {
      connections: 1,
      auditKey: secrets.subkeys.audit,
    })
    try {
      await records.migrate()
      return await takeTurn(
        records,
        `${hostname()} ${pid} ${randomBytes(4).toString("hex")}`,
        wait,
        signal,
      )
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
      throw new ImportFailure("another-runs", `Another import runs (${whoOf(held?.holder)})`)
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
        "This import was stopped for so long that another may have begun; the same command again completes it",
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

function whoOf(holder: string | undefined): string {
  const [host, pid] = (holder ?? "").split(" ")
  return pid === undefined ? "it has just ended" : `process ${pid} on ${host}`
}
