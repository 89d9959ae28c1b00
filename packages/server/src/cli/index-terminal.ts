import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Config, readConfig } from "../base/config.ts"
import { type DataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { indexAt } from "@assay/stores/open/open-index"
import { CommandError, type Terminal } from "./terminal.ts"

/** The data directory of a command that is about an index in files. */
export function opened({ env }: Terminal): { config: Config; directory: DataDirectory } {
  const config = readConfig(env)
  if (indexAt(config).files === null) {
    throw new CommandError(
      "The index is in a cluster: these commands are about one in the data directory",
    )
  }
  if (!existsSync(join(config.dataDirectory, "format.json"))) {
    throw new CommandError(`No service was ever started on ${config.dataDirectory}`)
  }
  return { config, directory: openDataDirectory(config.dataDirectory) }
}

const NOTE_MS = 5_000

/** Says now and then how far something has come; what is quick says nothing. */
export function progressNotes(
  terminal: Terminal,
  what: string,
): (done: number, total: number) => void {
  let saidAt = terminal.now()
  return (done, total) => {
    if (terminal.now() - saidAt < NOTE_MS) return
    saidAt = terminal.now()
    terminal.note(`${what}: ${number(done)} of ${number(total)}`)
  }
}

export function phases(
  terminal: Terminal,
  what: string,
): { onPhase: (phase: string) => void; onProgress: (done: number, total: number) => void } {
  let phase = ""
  const notes = progressNotes(
    { ...terminal, note: (line) => terminal.note(`${phase}, ${line}`) },
    what,
  )
  return { onPhase: (next) => (phase = next), onProgress: notes }
}

export function number(value: number): string {
  return value.toLocaleString("en")
}
