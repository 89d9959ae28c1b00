import { Command } from "commander"
import { VERSION } from "../../base/version.ts"
import { auditCommands } from "./audit.ts"
import { backupCommands } from "./backup.ts"
import { calibrateCommands } from "./calibrate.ts"
import { corpusCommands } from "./corpus.ts"
import { decisionsCommands } from "./decisions.ts"
import { devCommands } from "./dev.ts"
import { dropCommands } from "./drop.ts"
import { keysCommands } from "./keys.ts"
import { listsCommands } from "./lists.ts"
import { modelCommands } from "./model.ts"
import { operatingCommands } from "./operating.ts"
import { operatorsCommands } from "./operators.ts"
import { providersCommands } from "./providers.ts"
import { scoreCommands } from "./score.ts"
import { serveCommands } from "./serve.ts"
import { subjectsCommands } from "./subjects.ts"
import { tenantsCommands } from "./tenants.ts"
import type { Shell } from "./shell.ts"

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
