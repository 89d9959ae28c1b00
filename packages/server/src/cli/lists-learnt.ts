import { existsSync } from "node:fs"
import { parseDomain } from "@assay/core/identity"
import ipaddr from "ipaddr.js"
import { type Config, readConfig } from "../base/config.ts"
import {
  type DataDirectory,
  lockDataDirectory,
  openDataDirectory,
} from "@assay/runtime/data-directory"
import { readLearnt, writeLearnt } from "../score/email/lists/learnt-file.ts"
import { HOSTS_NEEDED, type LearntServer } from "../score/email/lists/learnt-servers.ts"
import { callRunningServer } from "@assay/runtime/control-socket"
import { noteAct } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"
import { typedCommand } from "@assay/runtime/typed-command"

export interface LearntOptions {
  readonly all?: boolean
  readonly overrule?: string
  readonly reinstate?: string
}

/**
 * Prints the mail servers that mark hosts as likely disposable, or says that one must not, or may
 * again.
 */
export async function listsLearnt(options: LearntOptions, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal.env)
  if (options.overrule !== undefined && options.reinstate !== undefined)
    throw new CommandError("Take --overrule or --reinstate, not both", { exitCode: 2 })
  if (options.overrule !== undefined) {
    await overrule(options.overrule, true, config, terminal)
    return
  }
  if (options.reinstate !== undefined) {
    await overrule(options.reinstate, false, config, terminal)
    return
  }
  const found = await learntServers(config, terminal.now())
  const shown =
    options.all === true ? found : found.filter(({ marks, overruled }) => marks || overruled)
  if (shown.length > 0) {
    const rows = shown.map((each) => [
      each.server,
      String(each.hosts.length),
      each.seen,
      saysOf(each),
      each.until ?? "",
    ])
    table(["MAIL SERVER", "HOSTS", "SEEN", "SAYS", "UNTIL"], rows).forEach(terminal.print)
  } else terminal.print("No mail server marks the hosts it serves.")
  const rest = found.length - shown.length
  if (rest > 0)
    terminal.note(
      `${rest} more ${rest === 1 ? "says" : "say"} nothing yet: ${typedCommand("lists learnt --all")}`,
    )
  if (config.dns === null)
    terminal.note("ASSAY_DNS is off: nothing is learnt, and none of it is used.")
}

async function learntServers(config: Config, nowMs: number): Promise<readonly LearntServer[]> {
  if (!existsSync(config.dataDirectory)) return []
  const directory = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(directory.controlSocket)
  if (server === null) return readLearnt(directory.lists).all(nowMs)
  return (await server.call("learntServers").finally(server.close)) as readonly LearntServer[]
}

async function overrule(
  text: string,
  overruled: boolean,
  config: Config,
  terminal: Terminal,
): Promise<void> {
  const name = serverName(text)
  const directory = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(directory.controlSocket)
  const changed =
    server === null
      ? overruleInFile(directory, name, overruled)
      : ((await server.call("overruleServer", name, overruled).finally(server.close)) as boolean)
  if (!changed) {
    terminal.print(`${name} ${overruled ? "is overruled already" : "was not overruled"}.`)
    return
  }
  // Afterwards, because without a service the file was changed under the lock that this takes.
  await noteAct(terminal, "lists.overrule", `server:${name}`, { overruled })
  if (overruled) terminal.print(`${name} marks no host, whatever it serves.`)
  else terminal.print(`${name} counts again as what it serves.`)
}

/** Under the lock, so that nobody else writes: a service that starts later reads the new file. */
function overruleInFile(directory: DataDirectory, name: string, overruled: boolean): boolean {
  const lock = lockDataDirectory(directory.path)
  if (lock === null)
    throw new CommandError(
      `The server on ${directory.path} is starting or stopping; try again in a moment`,
    )
  try {
    const learnt = readLearnt(directory.lists)
    if (!learnt.overrule(name, overruled)) return false
    writeLearnt(directory.lists, learnt)
    return true
  } finally {
    lock.release()
  }
}

function serverName(text: string): string {
  if (ipaddr.isValid(text)) return text
  const parsed = parseDomain(text)
  if ("fault" in parsed) throw new CommandError("This is neither a name nor an address of a server")
  return parsed.domain
}

function saysOf({ marks, guarded, overruled, hosts }: LearntServer): string {
  if (overruled) return "nothing: overruled"
  if (marks) return "likely disposable"
  if (guarded) return "nothing: serves a guarded host too"
  return `nothing: ${hosts.length} of ${HOSTS_NEEDED} hosts`
}
