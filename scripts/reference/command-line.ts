import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import { serverCommand } from "./demo-server.ts"
import { lines } from "./page.ts"

const run = promisify(execFile)

export async function commandLinePage(): Promise<string> {
  const sections = await sectionsOf([])
  return lines(
    "# Command line",
    "In a checkout the command is `npx assay`; the published package `@assay/server` installs it as `assay`. A command that changes something hands the change to the service running on the same data directory, or takes the directory's lock where none runs. Results go to standard output, everything else to standard error. Exit code 0: done; 1: could not be done; 2: wrong arguments.",
    ...sections,
  )
}

/** The help of a command and of all commands under it, in the order its own help names them. */
async function sectionsOf(path: readonly string[]): Promise<string[]> {
  const help = await helpOf(path)
  const below = await Promise.all(subcommands(help).map((name) => sectionsOf([...path, name])))
  const title = ["assay", ...path].join(" ")
  return [`## ${title}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\``, ...below.flat()]
}

async function helpOf(path: readonly string[]): Promise<string> {
  const [program, ...args] = serverCommand
  const { stdout } = await run(program, [...args, ...path, "--help"], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  })
  return stdout
}

function subcommands(help: string): string[] {
  const [, list = ""] = help.split("\nCommands:\n")
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help")
}
