import { statSync } from "node:fs"
import type { Log } from "@assay/runtime/log"
import { DAY_MS, MINUTE_MS } from "@assay/runtime/time"
import type { AuditRecords } from "@assay/stores/records-audit"
import { ERASE } from "@assay/stores/records-subjects"
import { deleteSetAside, filesSetAside } from "../decisions/journal-files.ts"

interface SetAsideOptions {
  /** The directory of this node's journals. */
  readonly journal: string
  readonly records: Pick<AuditRecords, "audit">
  /** How many days decisions are kept. */
  readonly days: number
  readonly now: () => number
  readonly log: Log
  readonly everyMs?: number
}

const ENTRIES_AT_ONCE = 1000
/** Clocks of nodes may differ, and the time of a file is by this machine's. */
const CLOCKS_DIFFER_MS = 10 * MINUTE_MS

/**
 * Deletes this node's damaged journal files after an erasure by any node, since nobody can be
 * searched for in them, and when decisions of their age are deleted. A node that is alone does both
 * where it erases and where it deletes; among several, another node may have done that.
 */
export function keepSetAside(options: SetAsideOptions): { stop(): Promise<void> } {
  const { journal, records, days, now, log, everyMs = MINUTE_MS } = options

  async function tidy(): Promise<void> {
    deleteSetAside(journal, now() - days * DAY_MS)
    const written = filesSetAside(journal).map(
      (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity,
    )
    if (written.length === 0) return
    const since = Math.min(...written) - CLOCKS_DIFFER_MS
    if (!(await wasErasedSince(records, since))) return
    const count = deleteSetAside(journal)
    if (count > 0) log.warn("an erasure deleted damaged journal files", { count })
  }

  let tidying = Promise.resolve()
  const timer = setInterval(() => {
    tidying = tidying.then(tidy).catch((error: unknown) => {
      log.error("damaged journal files could not be looked after", { error })
    })
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await tidying
    },
  }
}

async function wasErasedSince(
  records: Pick<AuditRecords, "audit">,
  since: number,
): Promise<boolean> {
  let before: number | undefined
  for (;;) {
    const entries = await records.audit({
      limit: ENTRIES_AT_ONCE,
      ...(before !== undefined && { before }),
    })
    if (entries.some(({ action, at }) => action === ERASE && at >= since)) return true
    const last = entries.at(-1)
    if (last === undefined || entries.length < ENTRIES_AT_ONCE || last.at < since) return false
    before = last.id
  }
}
