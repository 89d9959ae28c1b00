import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { parseDomain } from "@assay/core/identity"
import { readConfig } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import {
  categoryMark,
  isListCategory,
  LIST_CATEGORIES,
  type ListCategory,
} from "../score/email/lists/categories.ts"
import type { DomainTable } from "../score/email/lists/domain-table.ts"
import { readImportFile } from "../score/email/lists/import-file.ts"
import {
  hasGuardedSuffix,
  judgeDomain,
  listedIn,
  type Naming,
  verdictOn,
} from "../score/email/lists/judgement.ts"
import { isListName, removeOwnList, writeOwnList } from "../score/email/lists/own-list-file.ts"
import { type OwnList, readOwnLists } from "../score/email/lists/own-lists.ts"
import { registrableDomain } from "../score/email/lists/registrable-domain.ts"
import { shippedLists } from "../score/email/lists/shipped-lists.ts"
import { verdictOf } from "../score/email/lists/verdict.ts"
import { callRunningServer } from "@assay/runtime/control-socket"
import { RemoteError } from "@assay/runtime/rpc"
import { DAY_MS } from "@assay/runtime/time"
import { noteAct } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"
import { Explained } from "@assay/runtime/explained"

export interface ImportOptions {
  readonly category: string
  readonly name?: string
  readonly note?: string
}

/** Rewritten by every start of the demo. */
const DEMO_LIST = "demo"

/** Prints every list, and how many names the shipped ones put in each category. */
export function printListStats(terminal: Terminal): void {
  const days = (ms: number): string =>
    `${Math.max(0, Math.floor((terminal.now() - ms) / DAY_MS))} d`
  const { lists, table: names } = shippedLists()
  const shipped = lists.map(({ name, version, kind, entries, unusable, released }) => [
    name,
    version,
    kind,
    String(entries),
    String(unusable),
    days(Date.parse(released)),
  ])
  const own = ownLists(terminal).map(({ file, table: domains, changedAtMs }) => [
    file,
    "",
    categoriesIn(domains).join(" "),
    String(domains.size),
    "0",
    days(changedAtMs),
  ])
  table(
    ["LIST", "VERSION", "CATEGORY", "ENTRIES", "UNUSABLE", "AGE"],
    [...shipped, ...own],
  ).forEach(terminal.print)
  terminal.print("")
  terminal.print(shippedVerdicts(names))
}

/**
 * Counts how each shipped name is used. Its own marks are not enough: guards and parents count too.
 * Names stand in the table as they are parsed, and how they look decides nothing here.
 */
function shippedVerdicts(names: DomainTable): string {
  const counts = { masked: 0, disposable: 0, free: 0, likely: 0, guarded: 0 }
  let all = 0
  names.forEachName((name) => {
    all++
    const registrable = registrableDomain(name)
    const { category, disposableLikely, guarded } = verdictOn(
      listedIn(name, registrable, []),
      hasGuardedSuffix(registrable),
    )
    // A free provider may be on one bulk list too, and is then answered as both.
    if (disposableLikely) counts.likely++
    if (category !== null) counts[category]++
    else if (guarded) counts.guarded++
  })
  return `Shipped: ${all} domains; ${counts.disposable} disposable, ${counts.likely} on one bulk list alone, ${counts.free} free, ${counts.masked} masked, ${counts.guarded} others under guard.`
}

/** Prints what is said of a domain, by whom, and what follows. */
export function checkDomain(text: string, terminal: Terminal): void {
  const parsed = parseDomain(text)
  if ("fault" in parsed) throw new CommandError("This is no domain")
  const judgement = judgeDomain(parsed, ownLists(terminal))
  terminal.print(`${parsed.domain}: ${verdictOf(judgement).join(", ")}`)
  const rows = [
    ...judgement.own.map((naming) => namingRow("own", naming)),
    ...judgement.shipped.map((naming) => namingRow("shipped", naming)),
  ]
  if (rows.length > 0) table(["LISTS", "LIST", "SAYS", "NAMES"], rows).forEach(terminal.print)
  else terminal.print("No list names it.")
}

/** Makes a list of a file, as a whole or not at all, and has a running service take it over. */
export async function importList(
  file: string,
  options: ImportOptions,
  terminal: Terminal,
): Promise<void> {
  const { category, note = "" } = options
  if (!isListCategory(category))
    throw new CommandError(`--category takes ${LIST_CATEGORIES.join(", ")}`)
  if (!/^\P{C}{0,200}$/u.test(note))
    throw new CommandError("--note takes up to 200 printable characters")
  const name = options.name ?? basename(file, extname(file))
  checkName(name)
  const domains = readDomains(file)
  const directory = openDataDirectory(readConfig(terminal.env).dataDirectory)
  // A list that is broken already is named before anything changes.
  readOwnLists(directory.lists)
  const detail = { category, domains: domains.length }
  await noteAct(terminal, "lists.import", `list:${name}`, detail)
  const changed = writeOwnList(directory.lists, name, domains, category, note, statSync(file).mtime)
  terminal.print(
    changed
      ? `${name}.csv: ${domains.length} domains, ${category}.`
      : `${name}.csv has these ${domains.length} domains already; nothing changed.`,
  )
  await notifyService(directory.controlSocket, terminal)
}

export async function removeList(name: string, terminal: Terminal): Promise<void> {
  checkName(name)
  const directory = openDataDirectory(readConfig(terminal.env).dataDirectory)
  const missing = (): CommandError => new CommandError(`There is no list ${name}`)
  if (!existsSync(join(directory.lists, `${name}.csv`))) throw missing()
  await noteAct(terminal, "lists.remove", `list:${name}`, {})
  if (!removeOwnList(directory.lists, name)) throw missing()
  terminal.print(`${name}.csv is removed.`)
  await notifyService(directory.controlSocket, terminal)
}

function readDomains(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw new CommandError("The file cannot be read", { cause: error })
  }
  try {
    return readImportFile(text)
  } catch (error) {
    if (!(error instanceof Explained && error.code === "lists")) throw error
    throw new CommandError(`Nothing was imported: ${basename(file)}, ${error.message}`, {
      cause: error,
    })
  }
}

async function notifyService(controlSocket: string, terminal: Terminal): Promise<void> {
  const server = await callRunningServer(controlSocket)
  if (server === null) {
    terminal.note("No service runs here; the next start reads it.")
    return
  }
  try {
    await server.call("reloadLists")
    terminal.note("The running service has taken it over.")
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    throw new CommandError(`The running service goes on with its old lists: ${error.message}`, {
      cause: error,
    })
  } finally {
    server.close()
  }
}

function checkName(name: string): void {
  if (!isListName(name))
    throw new CommandError("--name takes up to 64 letters, digits, hyphens and underscores")
  if (name === DEMO_LIST)
    throw new CommandError(`${DEMO_LIST} is the demo's own list; take another name with --name`)
}

/** Only reads, so a data directory that is not there is not made either. */
function ownLists({ env }: Terminal): OwnList[] {
  const { dataDirectory } = readConfig(env)
  return existsSync(dataDirectory) ? readOwnLists(openDataDirectory(dataDirectory).lists) : []
}

function categoriesIn(domains: DomainTable): ListCategory[] {
  let all = 0
  domains.forEachMarks((marks) => void (all |= marks))
  return LIST_CATEGORIES.filter((category) => (all & categoryMark(category)) !== 0)
}

function namingRow(lists: string, { origin, says, domain }: Naming): string[] {
  return [lists, origin, says, domain]
}
