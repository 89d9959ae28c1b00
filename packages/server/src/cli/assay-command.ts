import { Command } from "commander"
import { VERSION } from "../base/version.ts"
import { auditCommands } from "./audit-commands.ts"
import { backupCommands } from "./backup-commands.ts"
import { calibrateCommands } from "./calibrate-commands.ts"
import { corpusCommands } from "./corpus-commands.ts"
import { decisionsCommands } from "./decisions-commands.ts"
import { devCommands } from "./dev-commands.ts"
import { dropCommands } from "./drop-commands.ts"
import { keysCommands } from "./keys-commands.ts"
import { listsCommands } from "./lists-commands.ts"
import { modelCommands } from "./model-commands.ts"
import { operatingCommands } from "./operating-commands.ts"
import { operatorsCommands } from "./operators-commands.ts"
import { providersCommands } from "./providers-commands.ts"
import { scoreCommands } from "./score-commands.ts"
import { serveCommands } from "./serve-commands.ts"
import { subjectsCommands } from "./subjects-commands.ts"
import { tenantsCommands } from "./tenants-commands.ts"
import type { Shell } from "./terminal.ts"

/**
 * Every command, in the order in which help lists them. Each imports only what it runs, when it
 * runs.
 */
const commands: readonly ((assay: Command, shell: Shell) => void)[] = [
  serveCommands,
  keysCommands,
  listsCommands,
  corpusCommands,
  calibrateCommands,
  tenantsCommands,
  providersCommands,
  modelCommands,
  scoreCommands,
  decisionsCommands,
  auditCommands,
  backupCommands,
  subjectsCommands,
  operatorsCommands,
  dropCommands,
  operatingCommands,
  devCommands,
]

/** The `assay` command. */
export function assayCommand(shell: Shell): Command {
  const assay = new Command("assay")
    .description(
      "Self-hosted identity risk: one explainable score for an e-mail address or a phone number.",
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError("(--help shows what there is)")
  for (const add of commands) add(assay, shell)
  return assay
}
