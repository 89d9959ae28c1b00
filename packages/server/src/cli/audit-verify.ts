import { existsSync } from "node:fs"
import { join } from "node:path"
import { openSecrets } from "@assay/runtime/secrets"
import { type AuditReport, verifyAudit } from "@assay/stores/audit-verify"
import type { SealedHead } from "@assay/stores/audit-chain"
import { openRecords } from "@assay/stores/open/open-database"
import { type HeadsRead, readHeads } from "../audit/heads-file.ts"
import { type Config, readConfig } from "../base/config.ts"
import { number } from "./index-terminal.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/**
 * Reads the whole audit trail and names what is wrong with it. It reads the database itself, not
 * through a service that may run: nobody but the holder of the secret need be trusted.
 */
export async function verifyTrail(terminal: Terminal): Promise<void> {
  const config = readConfig(terminal.env)
  if (!existsSync(join(config.dataDirectory, "format.json")))
    throw new CommandError(`No service was ever started on ${config.dataDirectory}`)
  const { checkValue, subkeys } = openSecrets(config.secretFile, false)
  const kept = await readHeads(config.auditHeadsFile, subkeys.audit)
  const records = await openRecords(config, { readOnly: true })
  try {
    await records.checkKeyCheckValue(checkValue)
    const { head } = await records.auditEnds()
    const [first] = await records.auditLinks({ after: 0, limit: 1 })
    if (head === null && first !== undefined && !("mac" in first))
      throw new CommandError(
        "The audit trail is from an older version and not chained yet; the next start does that",
      )
    const report = await verifyAudit(records, subkeys.audit, kept.heads)
    printReport(report, kept, config, terminal)
  } finally {
    await records.close()
  }
}

function printReport(
  report: AuditReport,
  { heads, strangeLines }: HeadsRead,
  { auditHeadsFile: file }: Config,
  { print, note }: Terminal,
): void {
  const { rows, last, faults, faultCount, provenBy, cutThrough, chainedThrough } = report
  if (strangeLines > 0)
    note(`${number(strangeLines)} lines of ${file} are damaged, or of another secret: not used`)
  for (const { text } of faults) print(`fault  ${text}`)
  if (faultCount > 0) {
    const more = faultCount - faults.length
    if (more > 0) print(`and ${number(more)} more`)
    throw new CommandError(
      faultCount === 1 ? "1 fault found" : `${number(faultCount)} faults found`,
    )
  }
  print(`${number(rows)} entries up to ${last} are as they were written, and none is missing.`)
  if (cutThrough > 0) print(`Entries up to ${cutThrough} were removed because of their age.`)
  if (chainedThrough > 0)
    print(`Entries up to ${chainedThrough} were chained later than they were written.`)
  for (const { seq, at } of heads.filter(isRestored))
    print(`A backup was restored at ${timeOf(at)}; what came after entry ${seq} was given up then.`)
  print(
    provenBy === null
      ? `There is no head in ${file} yet: entries cut off the end would not be missed.`
      : `Up to ${provenBy.seq} that is proven by the head of ${timeOf(provenBy.at)} in ${file}`,
  )
}

function isRestored({ kind }: SealedHead): boolean {
  return kind === "restored"
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
