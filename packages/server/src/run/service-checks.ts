import { statfsSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "@assay/core/contract"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { DAY_MS } from "@assay/runtime/time"
import { typedCommand } from "@assay/runtime/typed-command"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { readVerification } from "@assay/stores/lmdb/verification"
import type { Config } from "../base/config.ts"
import { filesSetAside } from "../decisions/journal-files.ts"
import type { Lists } from "../score/email/lists.ts"

/** Below this much room on the disk the operator should know. */
const DISK_LOW_BYTES = 1024 ** 3
/** Domains come and go: a list that is older misses many. */
const LIST_OLD_DAYS = 90

/** What one look found. */
export type Found = Omit<Finding, "name">
/** Looks at what usually goes wrong, by name. What throws is a fault. */
export type ServiceChecks = Readonly<Record<string, () => Promise<Found>>>

interface Checked {
  readonly config: Pick<Config, "indexVerifyHours">
  readonly directory: Pick<DataDirectory, "path" | "journal">
  readonly index: Pick<ExposureIndex, "ping">
  /** The folder of the index; null for one in a cluster. */
  readonly indexFiles: string | null
  readonly pingRecords: () => Promise<void>
  readonly lists: Pick<Lists, "size" | "newestAtMs">
  /** Of all workers and of the thread that asks providers. */
  readonly metrics: () => Promise<string>
  readonly now: () => number
}

const ok = (detail: string): Found => ({ state: "ok", detail, remedy: null })
const warning = (detail: string, remedy: string): Found => ({ state: "warning", detail, remedy })
const fault = (detail: string, remedy: string): Found => ({ state: "fault", detail, remedy })

/** Of a running service, by what it has open: nothing outside of it is asked. */
export function serviceChecks(of: Checked): ServiceChecks {
  const { config, directory, index, indexFiles, pingRecords, lists, metrics, now } = of
  return {
    records: () =>
      pingRecords().then(
        () => ok("They can be read."),
        () =>
          fault(
            "They cannot be read. Requests with a key that is not remembered are refused.",
            `Look at the log and at the database of DATABASE_URL; ${typedCommand("doctor")} tries to reach it.`,
          ),
      ),
    index: () =>
      index.ping().then(
        () => indexFound(indexFiles, config.indexVerifyHours, now()),
        () =>
          fault(
            "It cannot be read. Every score is refused.",
            `Look at the log; ${typedCommand("doctor")} names the fault.`,
          ),
      ),
    decisions: async () => {
      const aside = filesSetAside(directory.journal).length
      const lost = sumOf(await metrics(), "assay_decisions_unrecorded_total")
      if (lost > 0)
        return fault(
          `${lost} decisions could not be recorded since the workers were started.`,
          "Look for room on the disk and for the cause in the log.",
        )
      if (aside === 0) return ok("All are recorded, and no journal is damaged.")
      return warning(
        `${aside} damaged files of their journal were set aside. What could be read is stored.`,
        `Look at ${join(directory.journal, "damaged")} and delete it; the next erasure does so too.`,
      )
    },
    disk: async () => diskFound(directory.path),
    lists: async () => listsFound(lists, now()),
    "look-ups": async () => {
      const open = openBreakers(await metrics())
      if (open.length === 0) return ok("None is paused after failures.")
      return warning(
        `Not asked at the moment, after several failures in a row: ${open.join(", ")}. Scores go without them.`,
        `${typedCommand("doctor")} asks each of them and says what came back.`,
      )
    },
  }
}

function indexFound(files: string | null, everyHours: number, nowMs: number): Found {
  if (files === null) return ok("It can be read. An index in a cluster is not read through.")
  const verification = readVerification(files)
  if (verification === null)
    return everyHours === 0
      ? warning("It can be read, and is never read through.", "Set ASSAY_INDEX_VERIFY_HOURS.")
      : ok("It can be read. It was not read through yet since it was made.")
  const at = new Date(verification.at).toISOString()
  if (verification.faults.length > 0)
    return fault(
      `It was found damaged at ${at}: ${verification.faults.join("; ")}`,
      `Run ${typedCommand("corpus rebuild")}, which makes it anew from what was imported.`,
    )
  const days = Math.floor((nowMs - verification.at) / DAY_MS)
  return ok(`It was read through at ${at} and is sound${days > 0 ? `, ${days} days ago` : ""}.`)
}

/** How much room there is. */
export function diskFound(path: string): Found {
  const { bavail, blocks, bsize } = statfsSync(path)
  const free = bavail * bsize
  const detail = `${(free / 1024 ** 3).toFixed(1)} GiB of ${((blocks * bsize) / 1024 ** 3).toFixed(1)} GiB are free.`
  if (free >= DISK_LOW_BYTES) return ok(detail)
  return warning(detail, "Make room: without any, decisions and feedback cannot be stored.")
}

/** How old the newest list of domains is. */
export function listsFound(lists: Checked["lists"], nowMs: number): Found {
  const days = Math.max(0, Math.floor((nowMs - lists.newestAtMs()) / DAY_MS))
  const age = days === 0 ? "is of today" : days === 1 ? "is 1 day old" : `is ${days} days old`
  const detail = `${lists.size().toLocaleString("en")} domains are listed; the newest list ${age}.`
  if (days <= LIST_OLD_DAYS) return ok(detail)
  return warning(detail, "Update Assay, or put newer lists into the folder of lists.")
}

/** The sum of a counter over all its labels. */
function sumOf(metrics: string, name: string): number {
  return metrics
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0)
}

/** Whom nobody asks, because they failed several times in a row. */
function openBreakers(metrics: string): string[] {
  const lines = metrics.matchAll(
    /^assay_(?:network|provider)_breaker_open\{\w+="([^"]*)"\} (\d+)$/gm,
  )
  return [...lines].filter(([, , count]) => Number(count) > 0).map(([, name = ""]) => name)
}
