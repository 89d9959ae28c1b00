import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Config, readConfig } from "../base/config.ts"
import { type DataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { indexAt } from "@assay/stores/open/open-index"
import { TimeLeft } from "@assay/corpus/time-left"
import { clock } from "./progress.ts"
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
  phaseNow: () => string = () => "",
): (done: number, total: number) => void {
  let saidAt = terminal.now()
  const left = new TimeLeft<string>(terminal.now)
  return (done, total) => {
    const phase = phaseNow()
    left.note({ phase, done, total })
    if (terminal.now() - saidAt < NOTE_MS) return
    saidAt = terminal.now()
    const leftMs = left.leftMs()
    const toGo = leftMs === null ? "" : `, ${clock(leftMs)} to go`
    terminal.note(
      `${phase === "" ? "" : `${phase}, `}${what}: ${number(done)} of ${number(total)}${toGo}`,
    )
  }
}

export function phases(
  terminal: Terminal,
  what: string,
): { onPhase: (phase: string) => void; onProgress: (done: number, total: number) => void } {
  let phase = ""
  return {
    onPhase: (next) => (phase = next),
    onProgress: progressNotes(terminal, what, () => phase),
  }
}

export function number(value: number): string {
  return value.toLocaleString("en")
}
