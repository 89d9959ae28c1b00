import { createReadStream } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import { tenantCaller } from "../../packages/server/src/accounts/callers.ts"
import { openLists } from "../../packages/server/src/score/email/lists.ts"
import { networkTrustOff } from "../../packages/server/src/score/network-trust.ts"
import { openIdentify } from "../../packages/server/src/watch/identify.ts"
import type { NewWatchItem } from "../../packages/stores/src/records-watch.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { BenchError } from "../bench.ts"

const ITEMS_AT_ONCE = 1_000
/** What a first look says of somebody of whom nothing is known. */
const TOLD = {
  risk_score: 5,
  threat_stage: "CLEAN",
  band: "low",
  recommended_action: "allow",
  model_version: "1.1",
}

/**
 * Puts addresses on the demo tenant's watch list as its route does, and as they are once they were
 * first scored. The service must not run.
 */
export async function watchRows(data: string, emails: AsyncIterable<string>): Promise<void> {
  const secrets = openSecrets(join(data, "secret"), false)
  const file = join(data, "records.sqlite")
  const records = await openSqliteRecords({ file, auditKey: secrets.subkeys.audit })
  try {
    const tenant = await records.tenantByName("demo")
    if (tenant === null) throw new BenchError("the demo has no tenant")
    const lists = openLists(join(data, "lists"))
    const identify = openIdentify({ secrets, lists, network: networkTrustOff, now: Date.now })
    const caller = tenantCaller(tenant)
    let count = 0
    let items: NewWatchItem[] = []
    const flush = async (): Promise<void> => {
      await records.addWatchItems({ tenantId: tenant.id, at: Date.now(), items })
      items = []
    }
    for await (const value of emails) {
      const wanted = { type: "email", value, ref: null, deliverIdentity: false } as const
      const number = String(++count).padStart(12, "0")
      const identity = await identify(wanted, caller, tenant.id)
      items.push({ ...identity, id: `wch_${number}`, ref: `ref_${number}` })
      if (items.length === ITEMS_AT_ONCE) await flush()
    }
    await flush()
  } finally {
    await records.close()
  }
  const db = new DatabaseSync(file)
  db.prepare("UPDATE watch_items SET told = ?, due_at = ?, cause = 'time', added_at = ?").run(
    JSON.stringify(TOLD),
    Date.now() + 30 * DAY_MS,
    Date.now() - DAY_MS,
  )
  db.close()
}

/** The addresses of the first rows of a file. */
export async function* emailsOf(file: string, count: number): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(file) })
  let left = count
  for await (const line of lines) {
    if (left-- === 0) break
    yield line.slice(0, line.indexOf(":"))
  }
  lines.close()
}

/** Looks at what a running service has done, in its own database. */
export function openWatchState(data: string): WatchState {
  const db = new DatabaseSync(join(data, "records.sqlite"), { readOnly: true, timeout: 10_000 })
  const number = (query: string, ...values: number[]): number =>
    Number(Object.values(db.prepare(query).get(...values) ?? { none: 0 })[0])
  return {
    items: () => number("SELECT count(*) FROM watch_items"),
    domains: () => number("SELECT count(*) FROM watch_domains"),
    isDue: () =>
      number("SELECT EXISTS (SELECT 1 FROM watch_items WHERE due_at <= ?)", Date.now()) === 1,
    batchesDone: () => number("SELECT count(*) FROM watch_batches WHERE done_at IS NOT NULL"),
    versions: () =>
      db
        .prepare("SELECT DISTINCT version FROM watch_domains")
        .all()
        .map(({ version }) => String(version)),
    events: () => number("SELECT count(*) FROM events"),
    close: () => db.close(),
  }
}

export interface WatchState {
  items(): number
  /** Domains of watched addresses. */
  domains(): number
  /** Whether any item waits to be scored. */
  isDue(): boolean
  /** Batches that were gone through. */
  batchesDone(): number
  /** Of the values of domains: one, unless they are being made again. */
  versions(): string[]
  events(): number
  close(): void
}
