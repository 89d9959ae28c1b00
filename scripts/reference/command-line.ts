import cluster from "node:cluster"
import type { Command } from "commander"
import { assayCommand } from "../../packages/server/src/cli/assay-command.ts"
import { lines } from "./page.ts"

/** The width used without a terminal. */
const COLUMNS = 80

export function commandLinePage(): string {
  const terminal = {
    env: {},
    user: "",
    now: Date.now,
    print: () => undefined,
    note: () => undefined,
  }
  return lines(
    "# Command line",
    "In a checkout the command is `npx assay`; the published package `@assay/server` installs it as `assay`. A command that changes something hands the change to the service running on the same data directory, or takes the directory's lock where none runs. Results go to standard output, everything else to standard error. Exit code 0: done; 1: could not be done; 2: wrong arguments.",
    ...sectionsOf(assayCommand({ terminal, process, cluster }), "assay"),
  )
}

/** The help of a command and of all commands under it, in the order its own help names them. */
function sectionsOf(command: Command, title: string): string[] {
  const below = command.commands.map((each) => sectionsOf(each, `${title} ${each.name()}`))
  return [`## ${title}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\``, ...below.flat()]
}

function helpOf(command: Command): string {
  let help = ""
  command
    .configureOutput({
      writeOut: (text) => void (help += text),
      getOutHelpWidth: () => COLUMNS,
      getOutHasColors: () => false,
    })
    .outputHelp()
  return help
}
