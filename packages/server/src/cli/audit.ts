import { readConfig } from "../base/config.ts"
import type { AuditEntry, Records } from "@assay/stores/records"
import type { AuditLink } from "@assay/stores/records-audit"
import { DAY_MS, dayOf } from "@assay/runtime/time"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

const LIST_MAX = 1_000
const PAGE = 1_000

export interface AuditFilter {
  readonly action?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
}

/** Prints the newest entries of the audit trail that fit, the newest first. */
export async function listAudit(
  options: AuditFilter & { readonly limit: string },
  terminal: Terminal,
): Promise<void> {
  const limit = Number(options.limit)
  if (!/^\d{1,4}$/.test(options.limit) || limit < 1 || limit > LIST_MAX)
    throw new CommandError(`--limit takes an integer from 1 to ${LIST_MAX}`)
  const fits = fitting(options)
  const entries = await withRecords(readConfig(terminal.env), async (records) => {
    const found: AuditEntry[] = []
    for await (const entry of newestFirst(records)) {
      if (fits(entry)) found.push(entry)
      if (found.length === limit) break
    }
    return found
  })
  if (entries.length === 0) {
    terminal.print("Nothing in the audit trail fits.")
    return
  }
  const rows = entries.map(({ id, at, actor, action, subject, detail }) => [
    String(id),
    new Date(at).toISOString(),
    actor,
    action,
    subject,
    JSON.stringify(detail),
  ])
  table(["ID", "AT", "ACTOR", "ACTION", "SUBJECT", "DETAIL"], rows).forEach(terminal.print)
}

/**
 * Prints the whole audit trail as lines of JSON, the oldest first, or what came after an entry that
 * is known.
 */
export async function exportAudit(
  options: AuditFilter & { readonly after?: string },
  terminal: Terminal,
): Promise<void> {
  const { after = "0" } = options
  if (!/^\d{1,15}$/.test(after)) throw new CommandError("--after takes the id of an entry")
  const fits = fitting(options)
  await withRecords(readConfig(terminal.env), async (records) => {
    for await (const link of oldestFirst(records, Number(after)))
      if (fits(link)) terminal.print(JSON.stringify(exported(link)))
  })
}

/** With what proves it, which can be compared with a head that was kept elsewhere. */
function exported(link: AuditLink): Record<string, unknown> {
  const { id, at, actor, action, subject, detail, tenant_id, request_id, mac } = link
  return {
    id,
    at: new Date(at).toISOString(),
    actor,
    action,
    subject,
    detail: JSON.parse(detail) as unknown,
    tenant_id,
    request_id,
    mac: mac === null ? null : Buffer.from(mac).toString("hex"),
  }
}

type Told = Pick<AuditEntry, "action" | "subject" | "at">

function fitting({ action, subject, since, until }: AuditFilter): (entry: Told) => boolean {
  const sinceMs = since === undefined ? 0 : dayMs(since, "--since")
  const untilMs = until === undefined ? Infinity : dayMs(until, "--until") + DAY_MS
  return (entry) =>
    (action === undefined || entry.action === action || entry.action.startsWith(`${action}.`)) &&
    (subject === undefined || entry.subject === subject) &&
    entry.at >= sinceMs &&
    entry.at < untilMs
}

function dayMs(day: string, option: string): number {
  const ms = Date.parse(day)
  if (Number.isNaN(ms) || ms % DAY_MS !== 0 || dayOf(ms) !== day)
    throw new CommandError(`${option} takes a UTC day such as 2026-03-01`)
  return ms
}

async function* newestFirst(records: Records): AsyncGenerator<AuditEntry> {
  let before: number | undefined
  for (;;) {
    const page = await records.audit({ limit: PAGE, ...(before !== undefined && { before }) })
    yield* page
    if (page.length < PAGE) return
    before = page.at(-1)?.id
  }
}

async function* oldestFirst(records: Records, from: number): AsyncGenerator<AuditLink> {
  let after = from
  for (;;) {
    const page = await records.auditLinks({ after, limit: PAGE })
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)?.id ?? after
  }
}
