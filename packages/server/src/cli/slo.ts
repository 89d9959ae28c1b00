import { existsSync } from "node:fs"
import type { ErrorBudget } from "@assay/core/contract"
import { callRunningServer } from "@assay/runtime/control-socket"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { monthOf } from "@assay/runtime/time"
import { recordsAreShared } from "@assay/stores/open/open-database"
import { type Config, readConfig } from "../base/config.ts"
import { budgetOf, noBudget } from "../health/budget.ts"
import { readLevels } from "../health/levels-file.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface SloOptions {
  readonly month?: string
  readonly json?: boolean
}

/** Prints how many requests of a month failed, how many may, and when the service did not run. */
export async function printSlo(options: SloOptions, terminal: Terminal): Promise<void> {
  const month = options.month ?? monthOf(terminal.now())
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month))
    throw new CommandError("--month takes a month such as 2026-03", { exitCode: 2 })
  const config = readConfig(terminal.env)
  const { budget, isRunning } = await errorBudget(config, month, terminal.now())
  if (options.json === true) {
    terminal.print(JSON.stringify(budget, null, 2))
    return
  }
  const { measured_from: since } = budget
  if (since === null) {
    terminal.print(`Nothing was measured in ${month}.`)
    return
  }
  summary(budget).forEach(terminal.print)
  terminal.print("")
  const measured = budget.days.filter(({ day }) => day >= since.slice(0, "YYYY-MM-DD".length))
  const rows = measured.map((day) => [
    day.day,
    String(day.total),
    String(day.failed),
    percent(day.availability),
    duration(day.running_seconds),
    duration(day.not_running_seconds),
  ])
  table(["DAY", "REQUESTS", "FAILED", "GOOD", "RAN", "NOT RUNNING"], rows).forEach(terminal.print)
  if (budget.worst_minutes.length > 0) {
    terminal.print("")
    const minutes = budget.worst_minutes.map(({ at, total, failed }) => [
      `${at.slice(0, 16)}Z`,
      String(total),
      String(failed),
    ])
    table(["WORST MINUTES", "REQUESTS", "FAILED"], minutes).forEach(terminal.print)
  }
  terminal.note(
    "Times are UTC. What was asked while the service did not run is not known and in no figure.",
  )
  if (!recordsAreShared(config)) return
  terminal.note(
    isRunning
      ? "This is what all nodes were asked; what others say of it is up to a minute old."
      : "This node does not run: this is what it was asked alone. One that runs knows of all.",
  )
}

interface Found {
  readonly budget: ErrorBudget
  readonly isRunning: boolean
}

/** Of the running service, or as the last one left it. */
async function errorBudget(config: Config, month: string, nowMs: number): Promise<Found> {
  if (!existsSync(config.dataDirectory))
    return { budget: budgetOf(noBudget(), month, nowMs), isRunning: false }
  const directory = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(directory.controlSocket)
  if (server !== null) {
    const budget = (await server.call("errorBudget", month).finally(server.close)) as ErrorBudget
    return { budget, isRunning: true }
  }
  const kept = readLevels(directory.levels)
  if (kept === null)
    throw new CommandError(
      `${directory.levels} is of another format: the next start of the service sets it aside`,
    )
  return { budget: budgetOf(kept.budget, month, nowMs), isRunning: false }
}

function summary(found: ErrorBudget): string[] {
  const { requests, budget, running } = found
  const lines = [
    [
      "requests",
      `${percent(found.availability)} good`,
      `aim ${percent(found.objective)}; ${requests.failed} of ${requests.total} failed, ${budget.allowed} may`,
    ],
    ["budget", budget.left === null ? "no requests" : `${percent(budget.left)} left`, burn(found)],
    [
      "running",
      percent(running.share),
      `not running for ${duration(running.not_running_seconds)} since ${found.measured_from ?? ""}, ${duration(running.down_seconds)} of it without having been stopped`,
    ],
    ...found.kinds.map(({ kind, total, failed, availability }) => [
      `  ${kind}`,
      total === 0 ? "no requests" : `${percent(availability)} good`,
      total === 0 ? "" : `${failed} of ${total} failed`,
    ]),
  ]
  return table(["", found.month, ""], lines)
}

function burn({ burn: windows }: ErrorBudget): string {
  const told = windows.flatMap(({ hours, rate }) =>
    rate === null ? [] : [`${rate.toFixed(1)} over ${hours} h`],
  )
  return told.length === 0 ? "" : `spent at a rate of ${told.join(", ")}; 1 lasts a month`
}

/** Rounded down, so that what failed once is never shown as whole. */
function percent(share: number | null): string {
  if (share === null) return "-"
  // As many digits as the number has: 0.999 times 100000 is a little less than 99900.
  return `${Math.floor(Number((share * 100_000).toFixed(6))) / 1000} %`
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
