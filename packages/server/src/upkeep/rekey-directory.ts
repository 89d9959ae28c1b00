import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { eachRecord } from "./each-record.ts"
import { jsonLines, readJsonLines } from "./lines.ts"
import { copyFiles } from "./make-backup.ts"
import {
  type DataDirectory,
  LOCK,
  type Lock,
  lockDataDirectory,
  openDataDirectory,
  REKEYING,
} from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type { DatabasePlace } from "@assay/stores/database"
import { copyRecords, openRecords } from "@assay/stores/open/open-database"
import { AUDIT_NAMES } from "@assay/stores/records-audit"
import { SHARED_OWNER } from "@assay/stores/records-evidence"
import type { CopiedRow } from "@assay/stores/records-copy"
import type { AuditNote } from "@assay/stores/records"
import { syncTree, writeDurably } from "@assay/runtime/durable-files"
import { Explained } from "@assay/runtime/explained"

/** How many rows of the records are under keys of the old secret, and so cannot be carried over. */
export interface LeftBehind {
  readonly feedback: number
  /** Lines that tenants sent. */
  readonly evidence: number
  readonly notifications: number
  /** Watched identities. Domains go too: their proofs are made by the old secret. */
  readonly watch_items: number
  readonly webhooks: number
  readonly tombstones: number
}

export async function countLeftBehind(place: DatabasePlace): Promise<LeftBehind> {
  const counts = {
    feedback: 0,
    evidence: 0,
    notifications: 0,
    watch_items: 0,
    webhooks: 0,
    tombstones: 0,
  }
  await eachRecord(place, ({ table, row }) => {
    const name = table === "evidence" && row["owner"] === SHARED_OWNER ? "notifications" : table
    if (name in counts) counts[name as keyof LeftBehind]++
  })
  return counts
}

/**
 * Refuses a directory with anything in it but its secret, and what an earlier try has brought
 * there.
 */
export function refuseForeignDirectory(path: string, secretFile: string): void {
  if (!existsSync(path) || existsSync(join(path, REKEYING))) return
  const secret = dirname(secretFile) === path ? basename(secretFile) : null
  if (readdirSync(path).every((name) => name === secret || name === LOCK)) return
  throw new Explained("data-directory", `${path} is not empty; name a new directory`)
}

/**
 * Makes the new directory, or continues an earlier try. Nothing else opens it before it is
 * complete: with only some of its batches, a service would call people clean who are not.
 */
export async function beginRekeying(
  path: string,
  from: Secrets,
  to: Secrets,
): Promise<{ directory: DataDirectory; lock: Lock }> {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const lock = lockDataDirectory(path)
  if (lock === null)
    throw new Explained("data-directory", `Another Assay is already running on ${path}`)
  try {
    const mark = join(path, REKEYING)
    const secrets = `${from.checkValue} ${to.checkValue}\n`
    if (!existsSync(mark)) await writeDurably(mark, secrets)
    else if (readFileSync(mark, "utf8") !== secrets) {
      throw new Explained(
        "data-directory",
        `A corpus was being rekeyed into ${path} from or to another master secret`,
      )
    }
    return { directory: openDataDirectory(path, { completing: REKEYING }), lock }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A directory that is being made keeps its records in files, wherever the old ones are. */
function filesIn({ path }: DataDirectory): DatabasePlace {
  return { dataDirectory: path, databaseUrl: null }
}

/** Brings the rest over, and lets the directory be used. */
export async function completeRekeying(
  from: { readonly config: DatabasePlace; readonly directory: DataDirectory },
  to: { readonly directory: DataDirectory; readonly secrets: Secrets },
  note: AuditNote,
): Promise<void> {
  const { directory } = to
  await carryRecords(from, to)
  const records = await openRecords(filesIn(directory), { auditKey: to.secrets.subkeys.audit })
  try {
    await records.checkKeyCheckValue(to.secrets.checkValue)
    await records.addAudit(note)
  } finally {
    await records.close()
  }
  copyFiles(from.directory.lists, directory.lists)
  copyFiles(from.directory.models, directory.models)
  directory.markIndexed()
  if (from.directory.demo) directory.markDemo()
  syncTree(directory.path)
  rmSync(join(directory.path, REKEYING))
}

/**
 * Last of all, so that what the old service took meanwhile is in it; what an earlier try brought
 * goes first.
 */
async function carryRecords(
  from: { readonly config: DatabasePlace; readonly directory: DataDirectory },
  { directory, secrets }: { readonly directory: DataDirectory; readonly secrets: Secrets },
): Promise<void> {
  const { path, records } = directory
  const file = join(path, "records.ndjson")
  for (const old of [file, records, `${records}-wal`, `${records}-shm`])
    rmSync(old, { force: true })
  const lines = jsonLines(file)
  await eachRecord(from.config, async (row) => {
    if (isCarried(row)) await lines.put(unchained(row))
  })
  await lines.end()
  const auditKey = secrets.subkeys.audit
  const copy = await copyRecords(filesIn(directory), { readOnly: false, auditKey })
  try {
    await copy.restore(readJsonLines<CopiedRow>(file))
  } finally {
    await copy.close()
  }
  rmSync(file)
}

/**
 * Whatever is about an identity is under a key of the old secret, as are tags of a day's
 * identities.
 */
const CARRIED: ReadonlySet<CopiedRow["table"]> = new Set([
  "meta",
  "tenants",
  "keys",
  "usage",
  "audit",
])

/** What the old secret proves; under the new one the audit trail is chained anew. */
const OF_OLD_SECRET: ReadonlySet<unknown> = new Set(["key_check_value", ...AUDIT_NAMES])

function isCarried({ table, row }: CopiedRow): boolean {
  return CARRIED.has(table) && !(table === "meta" && OF_OLD_SECRET.has(row["name"]))
}

function unchained({ table, row }: CopiedRow): CopiedRow {
  if (table !== "audit") return { table, row }
  const { mac: _, ...rest } = row
  return { table, row: rest }
}
