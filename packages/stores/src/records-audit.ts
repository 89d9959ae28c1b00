import type { Selectable } from "kysely"

import {
  type AuditHead,
  type AuditRow,
  CHAIN_START,
  headText,
  isSame,
  readHead,
  rowMac,
} from "./audit-chain.ts"
import { auditKeyOf, type Database, type Store, type Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** Who changes something, and when; both go into the audit trail. */
export interface Change {
  at: number
  /** `shell:USER`, `key:ID`, `person:ID`, or a word for the program itself. */
  actor: string
  /** The request it came with; commands have none. */
  requestId?: string | null
  /** Whose trail it is in, besides the service's. Without it: the tenant that the subject names. */
  tenantId?: number | null
}

/** Something done that is not in these records itself. `detail` never holds an identity. */
export interface AuditNote extends Change {
  action: string
  subject: string
  detail: Record<string, unknown>
}

export interface AuditEntry extends AuditNote {
  id: number
  requestId: string | null
  /** null: of the service itself. */
  tenantId: number | null
}

/** A row as it is stored, with what proves it. Nothing of it has been checked. */
export interface AuditLink extends AuditRow {
  readonly mac: Uint8Array | null
}

/** The entries with which the chain begins and ends, as the database has them. */
export interface AuditEnds {
  /** null where the database has no head that can be read. */
  readonly head: AuditHead | null
  /** The entry that says which older ones were removed; null where none were. */
  readonly cutBy: number | null
}

/** Removes what happened before a moment. */
export interface AuditCut extends Change {
  readonly before: number
  /** At most this many entries. */
  readonly rowsMax: number
}

/** Who did what. Entries are chained: each proves all before it, see `audit-chain.ts`. */
export interface AuditRecords {
  addAudit(note: AuditNote): Promise<void>
  /** The newest entries first; with `before`, only those with smaller ids. */
  audit(query: AuditPage): Promise<AuditEntry[]>
  /** Entries with greater ids, the oldest first. */
  auditAfter(query: { limit: number; after: number }): Promise<AuditEntry[]>
  /** The same as they are stored, to be verified. */
  auditLinks(query: { limit: number; after: number }): Promise<AuditLink[]>
  auditEnds(): Promise<AuditEnds>
  /**
   * Removes the oldest entries and adds one that says so, from which the chain goes on. Returns how
   * many were removed. Throws `audit-broken` where one of them is not as it was written: removing
   * it would remove the proof.
   */
  cutAudit(cut: AuditCut): Promise<number>
}

export interface AuditPage {
  readonly limit: number
  readonly before?: number
  /** Only what is in this tenant's trail. */
  readonly tenantId?: number
}

export const AUDIT_CUT = "audit.cut"
/** Says that the entries before it were chained later than they were written. */
export const AUDIT_CHAINED = "audit.chained"
export const AUDIT_SUBJECT = "audit"

export const HEAD_NAME = "audit_head"
/** The newest entry that may be deleted: the engine refuses all others, see migration 10. */
export const CUT_NAME = "audit_cut"
const CUT_BY_NAME = "audit_cut_by"
/** What `meta` holds of the chain. */
export const AUDIT_NAMES: readonly string[] = [HEAD_NAME, CUT_NAME, CUT_BY_NAME]

/** Writes into the audit trail, in the transaction of the change it describes, at its end. */
export async function note(
  db: Write,
  change: Change,
  action: string,
  subject: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await append(db, { ...change, action, subject, detail })
}

/** Returns the number of the new row. */
async function append(db: Write, entry: AuditNote): Promise<number> {
  const key = auditKeyOf(db)
  const tenant_id = await tenantIdOf(db, entry)
  const head = await takeHead(db)
  const row: AuditRow = {
    id: head.seq + 1,
    at: entry.at,
    // An unpaired surrogate would come back from the database as another character.
    actor: entry.actor.toWellFormed(),
    action: entry.action,
    subject: entry.subject.toWellFormed(),
    detail: JSON.stringify(entry.detail),
    tenant_id,
    request_id: entry.requestId?.toWellFormed() ?? null,
  }
  const mac = rowMac(key, head.mac, row)
  await db
    .insertInto("audit")
    .values({ ...row, mac })
    .execute()
  await putHead(db, { seq: row.id, mac })
  return row.id
}

/** Locks the head, so that writers take turns from here to their ends: no two rows follow one. */
async function takeHead(db: Write): Promise<AuditHead> {
  const row = await db
    .updateTable("meta")
    .set((eb) => ({ value: eb.ref("value") }))
    .where("name", "=", HEAD_NAME)
    .returning("value")
    .executeTakeFirst()
  const head = readHead(row?.value ?? "")
  if (head === null)
    throw new RecordsError("audit-broken", "The head of the audit trail is gone or unreadable")
  return head
}

async function putHead(db: Pick<Database, "insertInto">, head: AuditHead): Promise<void> {
  await putMeta(db, HEAD_NAME, headText(head))
}

async function putMeta(
  db: Pick<Database, "insertInto">,
  name: string,
  value: string,
): Promise<void> {
  await db
    .insertInto("meta")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute()
}

/** Whose trail an entry belongs to besides the service's. */
export async function tenantIdOf(
  db: Pick<Database, "selectFrom">,
  { tenantId, subject }: Pick<AuditNote, "tenantId" | "subject">,
): Promise<number | null> {
  if (tenantId !== undefined) return tenantId
  const [, kind, id = ""] = /^(tenant|key):(.+)$/.exec(subject) ?? []
  if (kind === "tenant") return /^\d{1,15}$/.test(id) ? Number(id) : null
  if (kind !== "key") return null
  const key = db.selectFrom("keys").select("tenant_id").where("id", "=", id)
  return (await key.executeTakeFirst())?.tenant_id ?? null
}

/** Chains rows that an older program wrote, as they come, the oldest first. */
export function chainer(key: Uint8Array | null): {
  add(row: AuditRow): Uint8Array
  /** Says in the trail itself since when its rows are proven; where there were none, nothing. */
  end(db: Pick<Database, "insertInto">): Promise<void>
} {
  let [rows, lastAt, head] = [0, 0, CHAIN_START]
  const given = (): Uint8Array => key ?? lacking()
  return {
    add(row) {
      head = { seq: row.id, mac: rowMac(given(), head.mac, row) }
      lastAt = row.at
      rows++
      return head.mac
    },
    async end(db) {
      await putHead(db, head)
      if (rows === 0) return
      const detail = { rows, through: head.seq }
      const row: AuditRow = {
        id: head.seq + 1,
        at: lastAt,
        actor: "assay",
        action: AUDIT_CHAINED,
        subject: AUDIT_SUBJECT,
        detail: JSON.stringify(detail),
        tenant_id: null,
        request_id: null,
      }
      const mac = rowMac(given(), head.mac, row)
      await db
        .insertInto("audit")
        .values({ ...row, mac })
        .execute()
      await putHead(db, { seq: row.id, mac })
    },
  }
}

function lacking(): never {
  throw new RecordsError("read-only", "The records were opened without the key of the audit trail")
}

/** The audit trail over either engine. */
export function sqlAudit({ read, write }: Store): AuditRecords {
  const links = (db: Pick<Database, "selectFrom">, after: number, limit: number) =>
    db.selectFrom("audit").selectAll().where("id", ">", after).orderBy("id").limit(limit).execute()

  return {
    addAudit: (entry) =>
      write(async (db) => {
        await append(db, entry)
      }),

    audit: ({ limit, before, tenantId }) =>
      read(async (db) => {
        let query = db.selectFrom("audit").selectAll().orderBy("id", "desc").limit(limit)
        if (before !== undefined) query = query.where("id", "<", before)
        if (tenantId !== undefined) query = query.where("tenant_id", "=", tenantId)
        return (await query.execute()).map(auditEntry)
      }),

    auditAfter: ({ limit, after }) =>
      read(async (db) => (await links(db, after, limit)).map(auditEntry)),

    auditLinks: ({ limit, after }) =>
      read(async (db) => (await links(db, after, limit)).map((row) => ({ ...row }))),

    auditEnds: () =>
      read(async (db) => {
        const rows = await db
          .selectFrom("meta")
          .selectAll()
          .where("name", "in", [HEAD_NAME, CUT_BY_NAME])
          .execute()
        const values = new Map(rows.map(({ name, value }) => [name, value]))
        const cutBy = values.get(CUT_BY_NAME)
        return {
          head: readHead(values.get(HEAD_NAME) ?? ""),
          cutBy: cutBy === undefined ? null : Number(cutBy),
        }
      }),

    cutAudit: ({ before, rowsMax, ...change }) =>
      write(async (db) => {
        await takeHead(db)
        const start = await chainStart(db)
        const oldest = await links(db, 0, rowsMax)
        const kept = oldest.findIndex(({ at }) => at >= before)
        const cut = kept === -1 ? oldest : oldest.slice(0, kept)
        const last = cut.at(-1)
        if (last === undefined) return 0
        const mac = proven(auditKeyOf(db), start, cut)
        await putMeta(db, CUT_NAME, String(last.id))
        await db.deleteFrom("audit").where("id", "<=", last.id).execute()
        const detail = {
          rows: cut.length,
          through: last.id,
          mac: Buffer.from(mac).toString("hex"),
          before: new Date(before).toISOString(),
        }
        const said = { ...change, action: AUDIT_CUT, subject: AUDIT_SUBJECT, detail }
        await putMeta(db, CUT_BY_NAME, String(await append(db, said)))
        return cut.length
      }),
  }

  /** What the oldest row is chained to. */
  async function chainStart(db: Write): Promise<AuditHead> {
    const noted = db.selectFrom("meta").select("value").where("name", "=", CUT_BY_NAME)
    const id = (await noted.executeTakeFirst())?.value
    if (id === undefined) return CHAIN_START
    const [said] = await links(db, Number(id) - 1, 1)
    return (said && cutStart(said)) ?? CHAIN_START
  }
}

/** Where the chain goes on after the cut that an entry tells of; null where it tells of none. */
export function cutStart({
  action,
  detail,
}: Pick<AuditRow, "action" | "detail">): AuditHead | null {
  if (action !== AUDIT_CUT) return null
  try {
    const { through, mac } = JSON.parse(detail) as Record<string, unknown>
    return readHead(`${String(through)}:${String(mac)}`)
  } catch {
    return null
  }
}

/** The proof of the last of some rows, all of which are as they were written. */
function proven(key: Uint8Array, start: AuditHead, rows: readonly AuditLink[]): Uint8Array {
  let previous = start.mac
  for (const row of rows) {
    const mac = rowMac(key, previous, row)
    if (row.mac === null || !isSame(mac, row.mac)) {
      throw new RecordsError(
        "audit-broken",
        `Entry ${row.id} of the audit trail is not as it was written, so nothing is removed`,
      )
    }
    previous = mac
  }
  return previous
}

function auditEntry(row: Selectable<Schema["audit"]>): AuditEntry {
  const { id, at, actor, action, subject, tenant_id: tenantId, request_id: requestId } = row
  const detail = JSON.parse(row.detail) as AuditEntry["detail"]
  return { id, at, actor, action, subject, detail, tenantId, requestId }
}
