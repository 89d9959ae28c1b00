import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { appendHead, headLine } from "../audit/heads-file.ts"
import type { Config } from "../base/config.ts"
import { syncTree } from "@assay/runtime/durable-files"
import {
  LOCK,
  lockDataDirectory,
  openDataDirectory,
  RESTORING,
} from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type { AuditHead } from "@assay/stores/audit-chain"
import type { DatabasePlace } from "@assay/stores/database"
import type { Decision } from "@assay/stores/decisions"
import { copyRecords, openDecisions, openRecords } from "@assay/stores/open/open-database"
import type { Tombstone } from "@assay/stores/records-subjects"
import type { CopiedRow } from "@assay/stores/records-copy"
import { hasOldKeys, oldKeysSentence } from "@assay/runtime/old-keys"
import { type DecisionLine, decisionOfLine } from "./decision-lines.ts"
import { readJsonLines } from "./lines.ts"
import { PARTS } from "./make-backup.ts"
import { checkedManifest, type Manifest } from "./manifest.ts"
import type { Replays } from "./settle-index.ts"
import { settleRestored } from "./settle-restored.ts"
import { Explained } from "@assay/runtime/explained"

export interface RestoreReach {
  readonly config: DatabasePlace & Pick<Config, "secretFile" | "auditHeadsFile">
  readonly secrets: Secrets
  /**
   * Who was erased, as it is known outside of the backup. Asked for before anything is written; may
   * refuse.
   */
  readonly tombstones: () => Promise<readonly Tombstone[]>
  readonly replays: Replays
  /** Who restores, for the audit trail. */
  readonly user: string
  readonly now: () => number
  readonly note: (line: string) => void
}

const DECISIONS_AT_ONCE = 1_000

/**
 * Puts a backup into an empty data directory, after every file was compared with its checksum. A
 * restore that is interrupted leaves a mark that no service starts over; the same command again
 * begins anew.
 */
export async function restoreBackup(
  folder: string,
  reach: RestoreReach,
): Promise<{ manifest: Manifest; tombstones: number }> {
  const { config, secrets, note } = reach
  const { dataDirectory } = config
  note("Comparing checksums …")
  const manifest = await checkedManifest(folder)
  if (hasOldKeys(manifest.key_check_value)) {
    throw new Explained("backup", oldKeysSentence("The backup", "Make a new data directory"))
  }
  if (manifest.key_check_value !== secrets.checkValue)
    throw new Explained(
      "backup",
      "The backup was made with another master secret; put that one in place",
    )
  refuseFull(config)
  const tombstones = await reach.tombstones()
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = lockDataDirectory(dataDirectory)
  if (lock === null)
    throw new Explained("data-directory", `Another Assay is already running on ${dataDirectory}`)
  try {
    for (const name of foundIn(config)) rmSync(join(dataDirectory, name), { recursive: true })
    const mark = join(dataDirectory, RESTORING)
    writeFileSync(mark, "", { mode: 0o600, flush: true })
    note("Copying files …")
    for (const part of [PARTS.index, PARTS.segments, PARTS.lists, PARTS.models]) {
      const from = join(folder, part)
      if (existsSync(from)) cpSync(from, join(dataDirectory, part), { recursive: true })
    }
    note("Restoring records …")
    const head = await restoreRecords(folder, reach)
    note("Restoring decisions …")
    await restoreDecisions(folder, config, tombstones)
    note("Settling the index …")
    await settleRestored(
      config,
      secrets,
      { decisions: decisionsIn(folder), tombstones },
      reach.replays,
      {
        at: reach.now(),
        actor: reach.user,
        action: "backup.restore",
        subject: "service",
        detail: { made: manifest.created_at, entry: head.seq },
      },
    )
    // Later entries than those of the backup are given up, which the heads must say.
    const restored = { ...head, at: reach.now(), kind: "restored" } as const
    await appendHead(config.auditHeadsFile, headLine(secrets.subkeys.audit, restored))
    const directory = openDataDirectory(dataDirectory, { completing: RESTORING })
    directory.markIndexed()
    if (manifest.demo) directory.markDemo()
    syncTree(dataDirectory)
    rmSync(mark)
    return { manifest, tombstones: tombstones.length }
  } finally {
    lock.release()
  }
}

function refuseFull(config: RestoreReach["config"]): void {
  const found = foundIn(config)
  if (found.length === 0 || found.includes(RESTORING)) return
  throw new Explained(
    "backup",
    `${config.dataDirectory} is not empty; a restore never overwrites. Name another directory in ASSAY_DATA`,
  )
}

/**
 * What is in the directory besides the secret and the lock; after a restore that was interrupted,
 * what that left.
 */
function foundIn({ dataDirectory, secretFile }: RestoreReach["config"]): string[] {
  if (!existsSync(dataDirectory)) return []
  const secret = dirname(secretFile) === dataDirectory ? basename(secretFile) : null
  return readdirSync(dataDirectory).filter((name) => name !== secret && name !== LOCK)
}

/** Returns the head of the audit trail that was put back. */
async function restoreRecords(
  folder: string,
  { config, secrets }: Pick<RestoreReach, "config" | "secrets">,
): Promise<AuditHead> {
  const { audit: auditKey } = secrets.subkeys
  const copy = await copyRecords(config, { readOnly: false, auditKey })
  try {
    await copy.restore(readJsonLines<CopiedRow>(join(folder, PARTS.records)))
  } finally {
    await copy.close()
  }
  const records = await openRecords(config, { auditKey })
  try {
    const { head } = await records.auditEnds()
    if (head === null) throw new Explained("backup", "The audit trail of the backup has no head")
    return head
  } finally {
    await records.close()
  }
}

async function restoreDecisions(
  folder: string,
  config: RestoreReach["config"],
  tombstones: readonly Tombstone[],
): Promise<void> {
  const store = await openDecisions(config)
  try {
    for await (const page of decisionsIn(folder)) await store.add(page)
    for (const { identityKey, erasedAt } of tombstones) {
      await store.eraseIdentity({ identityKey, tenantId: null, upTo: erasedAt })
    }
  } finally {
    await store.close()
  }
}

async function* decisionsIn(folder: string): AsyncGenerator<Decision[]> {
  let held: Decision[] = []
  for await (const line of readJsonLines<DecisionLine>(join(folder, PARTS.decisions))) {
    held.push(decisionOfLine(line))
    if (held.length < DECISIONS_AT_ONCE) continue
    yield held
    held = []
  }
  if (held.length > 0) yield held
}
