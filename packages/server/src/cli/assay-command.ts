import { Command } from "commander"
import { VERSION } from "../base/version.ts"
import { corpusCommands } from "./corpus-commands.ts"
import { dropCommands } from "./drop-commands.ts"
import {
  auditCommands,
  keysCommands,
  operatorsCommands,
  peopleCommands,
  policyCommands,
  signUpsCommands,
  tenantsCommands,
} from "./account-commands.ts"
import { reviewCommands } from "./review-commands.ts"
import { listsCommands } from "./lists-commands.ts"
import {
  calibrateCommands,
  decisionsCommands,
  modelCommands,
  providersCommands,
  scoreCommands,
} from "./scoring-commands.ts"
import {
  backupCommands,
  devCommands,
  serveCommands,
  clusterCommands,
  settingsCommands,
} from "./operating-commands.ts"
import { subjectsCommands } from "./subjects-commands.ts"
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
  peopleCommands,
  signUpsCommands,
  policyCommands,
  reviewCommands,
  providersCommands,
  modelCommands,
  scoreCommands,
  decisionsCommands,
  auditCommands,
  backupCommands,
  subjectsCommands,
  operatorsCommands,
  dropCommands,
  settingsCommands,
  clusterCommands,
  devCommands,
]

/** The `assay` command. */
export function assayCommand(shell: Shell): Command {
  const assay = new Command("assay")
    .description(
      "Self-hosted identity risk: one explainable score for an e-mail address or a phone number.",
    )
    .version(VERSION)
    // --version after a verb is that verb's own.
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError("(--help shows what there is)")
  for (const add of commands) add(assay, shell)
  return assay
}
