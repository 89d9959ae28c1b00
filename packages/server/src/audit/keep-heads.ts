import type { Log } from "@assay/runtime/log"
import { typedCommand } from "@assay/runtime/typed-command"
import { HOUR_MS } from "@assay/runtime/time"
import { isSame } from "@assay/stores/audit-chain"
import { startOf } from "@assay/stores/audit-verify"
import type { AuditRecords } from "@assay/stores/records-audit"
import type { NodeTurns } from "../http/feature.ts"
import type { SyslogTarget } from "../base/syslog-target.ts"
import { appendHead, headLine, readHeads } from "./heads-file.ts"
import { sendSyslog, syslogLine } from "./syslog.ts"

interface KeptHeads {
  readonly records: Pick<AuditRecords, "auditEnds" | "auditLinks" | "cutAudit">
  readonly key: Uint8Array
  readonly file: string
  readonly syslog: SyslogTarget | null
  /** Entries older than this many days are removed; 0: none ever. */
  readonly days: number
  readonly host: string
  readonly now: () => number
  readonly turns: NodeTurns
  readonly log: Log
}

const DAY_HOURS = 24
const CUT_ROWS = 5_000

/**
 * Writes the head of the audit trail outside of the database now, every hour and at the end, and
 * removes entries that are old enough once a day. Says at once if the trail no longer agrees with
 * the newest head that was written.
 */
export async function keepHeads(kept: KeptHeads): Promise<{ stop(): Promise<void> }> {
  await compareNewest(kept)
  // A file that cannot be written ends the start: nobody would look for it later.
  await appendHead(kept.file, await currentLine(kept))
  await cutOld(kept)
  let hours = 0
  const hourly = async (): Promise<void> => {
    if (++hours % DAY_HOURS === 0) await cutOld(kept)
    await writeHead(kept)
  }
  let last: Promise<void> = sendLine(kept)
  const timer = setInterval(() => {
    last = last.then(hourly)
  }, HOUR_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await last
      await writeHead(kept)
    },
  }
}

async function compareNewest({ records, key, file, log }: KeptHeads): Promise<void> {
  const { heads } = await readHeads(file, key)
  const newest = heads.at(-1)
  if (newest === undefined || newest.seq === 0) return
  const [row] = await records.auditLinks({ after: newest.seq - 1, limit: 1 })
  if (row?.id === newest.seq && row.mac !== null && isSame(row.mac, newest.mac)) return
  // Or it was lawfully removed since.
  const start = await startOf(records, await records.auditEnds())
  if (start.seq >= newest.seq) return
  log.error(
    `the audit trail does not agree with its newest head; ${typedCommand("audit verify")} names the entry`,
  )
}

async function currentLine({ records, key, now }: KeptHeads): Promise<string> {
  const { head } = await records.auditEnds()
  if (head === null) throw new Error("The audit trail has no head")
  return headLine(key, { ...head, at: now(), kind: "head" })
}

async function writeHead(kept: KeptHeads): Promise<void> {
  try {
    await appendHead(kept.file, await currentLine(kept))
  } catch (error) {
    kept.log.error("the head of the audit trail could not be written", { error })
  }
  await sendLine(kept)
}

async function sendLine(kept: KeptHeads): Promise<void> {
  const { syslog, now, host, log } = kept
  if (syslog === null) return
  try {
    const text = await currentLine(kept)
    await sendSyslog(syslog, syslogLine({ at: now(), host, id: "audit-head", text }))
  } catch (error) {
    log.warn("the head of the audit trail could not be sent to syslog", { error })
  }
}

async function cutOld({ days, now, turns, log }: KeptHeads): Promise<void> {
  if (days === 0) return
  const at = now()
  const before = at - days * DAY_HOURS * HOUR_MS
  try {
    await turns.take("old audit entries", async ({ records }) => {
      for (;;) {
        const removed = await records.cutAudit({ before, rowsMax: CUT_ROWS, at, actor: "assay" })
        if (removed < CUT_ROWS) return
      }
    })
  } catch (error) {
    log.error("old entries of the audit trail could not be removed", { error })
  }
}
