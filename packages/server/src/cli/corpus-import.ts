import { constants, getPriority, setPriority } from "node:os"
import { type Config, readConfig } from "../base/config.ts"
import { readSourceFile } from "@assay/corpus/catalogue-file"
import { compactIfNeeded } from "@assay/corpus/compaction"
import type { NodeProgram } from "@assay/runtime/children"
import { startReader } from "@assay/corpus/engine/children"
import type { Examined, ExaminedMember } from "@assay/corpus/engine/examine"
import { ImportFailure, isDiskFull, shortReason } from "@assay/corpus/engine/import-failure"
import { rejectsByCount } from "@assay/corpus/engine/reject-file"
import { FIELDS } from "@assay/corpus/formats/columns"
import { describeFormat, FORMAT_NAMES } from "@assay/corpus/formats/formats"
import type { FormatHints } from "@assay/corpus/formats/head"
import { REJECT_REASONS } from "@assay/corpus/formats/parsed-row"
import { holderText } from "@assay/corpus/import-lock"
import { importCorpus } from "@assay/corpus/import"
import { columnsSaid, isEventDate } from "@assay/corpus/said-options"
import type { ImportReach, ImportReport, ImportRequest } from "@assay/corpus/import-request"
import { InputError } from "@assay/corpus/inputs/member"
import { SKIP_REASONS } from "@assay/corpus/inputs/skipped"
import { failedByCommand, finishedByCommand } from "../imports/import-events.ts"
import { reportOf } from "../imports/run-imports.ts"
import { mailDomain, provedSince } from "../watch/domain-proof.ts"
import { isImportAudited } from "./audited-import.ts"
import { bringForImport } from "./bring-for-import.ts"
import { sharedImportTurn } from "./import-turn.ts"
import { openIndexForWriting } from "../upkeep/open-index.ts"
import {
  IMPORT_KINDS,
  isDataClass,
  isSourceName,
  type SourceRequest,
} from "@assay/corpus/source-request"
import type { TakenNews } from "@assay/corpus/taken-import"
import { DATINGS, type TakenAs, takenAs } from "@assay/corpus/engine/taken-as"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { openSecrets } from "@assay/runtime/secrets"
import { DATA_CLASSES } from "@assay/stores/entry"
import type { SourceDescription } from "@assay/stores/exposure-index"
import { dayOf, HOUR_MS } from "@assay/runtime/time"
import { showImportProgress } from "./corpus-import-progress.ts"
import { indexAt } from "@assay/stores/open/open-index"
import { withRecords } from "./records-access.ts"
import type { ProgressScreen } from "./progress.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface CorpusImportOptions {
  readonly source: string
  readonly title?: string
  readonly kind?: string
  readonly date?: string
  readonly confidence?: string
  readonly classes?: string
  readonly sourceFile?: string
  readonly format?: string
  readonly map?: string
  readonly rejects?: string
  readonly memory: string
  readonly dryRun?: boolean
  readonly wait?: boolean
}

/** What the command uses of its process; main.ts hands it in. */
export interface ImportProcess extends NodeProgram {
  readonly pid: number
  readonly stderr: ProgressScreen
  once(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown
}

/** Imports files as evidence of a source, and says what became of every row. */
export async function importFiles(
  paths: readonly string[],
  options: CorpusImportOptions,
  terminal: Terminal,
  host: ImportProcess,
): Promise<void> {
  try {
    const request = requestOf(paths, options, terminal)
    giveWay()
    const stopping = new AbortController()
    for (const signal of ["SIGINT", "SIGTERM"] as const) host.once(signal, () => stopping.abort())
    if (options.dryRun === true) await showInput(request, terminal, host, stopping.signal)
    else await runImport(request, terminal, host, stopping.signal)
  } catch (error) {
    throw explained(error)
  }
}

/**
 * Somebody wanted it so, nothing was begun, or the batch counts and is told when it is completed.
 */
const UNTOLD: ReadonlySet<string> = new Set(["stopped", "another-runs", "unfinished"])
const ROWS_SHOWN = 10
const MEMBERS_SHOWN = 20
/** How wide the names of the figures are at least. */
const NAMES_MIN = 24
const MASKED = "********"
const INTERRUPTED = 130
/** The exit code of an import whose batch is live although a later step failed. */
export const UNFINISHED = 3

/** Only looks: no data directory is made, no lock is taken, nothing is written. */
async function showInput(
  { paths, hints, source }: ImportRequest,
  terminal: Terminal,
  host: ImportProcess,
  signal: AbortSignal,
): Promise<void> {
  const reader = startReader(host)
  signal.addEventListener("abort", () => void reader.kill())
  const progress = showImportProgress(host.stderr, terminal.now)
  try {
    const examined = await reader
      .examine(
        { paths, hints, rowsShown: ROWS_SHOWN, nowMs: terminal.now() },
        ({ bytes, totalBytes }) =>
          progress.update({ phase: "examining", rows: 0, done: bytes, total: totalBytes }),
      )
      .finally(progress.hide)
    const { kind, date, described } = source
    const keyedAs = {
      kind: kind ?? described?.kind ?? null,
      eventDate: date ?? described?.eventDate ?? null,
    }
    memberLines(examined, (member) => takenAs(member, keyedAs)).forEach(terminal.print)
    terminal.print("")
    rowTable(examined).forEach(terminal.print)
    terminal.print("")
    terminal.print("Nothing was written.")
  } catch (error) {
    if (signal.aborted) throw new ImportFailure("stopped", "Stopped", { cause: error })
    throw error
  } finally {
    await reader.kill()
  }
}

async function runImport(
  request: ImportRequest,
  terminal: Terminal,
  host: ImportProcess,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = terminal.now()
  const config = readConfig(terminal.env)
  const progress = showImportProgress(host.stderr, terminal.now)
  const printReport = (report: ImportReport): void =>
    reportLines(report, (terminal.now() - startedAt) / 1000).forEach(terminal.print)
  let report: ImportReport
  const reach: ImportReach = {
    ...importReach(config, terminal, host, signal),
    async tell(made) {
      // A later try knows nothing of the rows.
      const counts = made.changed ? reportOf(made) : null
      const event = finishedByCommand(made.batch, made.source.name, counts, terminal.now())
      await withRecords(config, (records) => records.addEvents([event]))
    },
  }
  try {
    report = await importCorpus(request, reach, {
      waits: (holder) =>
        terminal.note(
          holder === null
            ? "Waiting for another import."
            : `Waiting for another import (${holderText(holder)}).`,
        ),
      brings: ({ number, of, bytes }) =>
        terminal.note(
          `Bringing segment ${number} of ${of} from another node (${(bytes / 1e6).toFixed(1)} MB).`,
        ),
      examined(examined, source, taken) {
        memberLines(examined, ({ number }) => taken.get(number)).forEach(terminal.note)
        terminal.note(sourceLine(source, [...taken.values()]))
      },
      resumes: () => terminal.note("Going on with what an earlier try has read."),
      progress: progress.update,
      compacts: (done, total) => progress.update({ phase: "compacting", rows: done, done, total }),
      unfinished(live) {
        // Print the figures now: the same command again does only the rest, and would not show
        // them.
        if (live.changed) printReport(live)
      },
    })
  } catch (error) {
    const { code } = failureOf(error)
    if (!UNTOLD.has(code)) {
      const event = failedByCommand(request.source.name, code, terminal.now())
      // Whoever waits for the command is told why it failed, and not that records are away too.
      await withRecords(config, (records) => records.addEvents([event])).catch(() => undefined)
    }
    throw error
  } finally {
    progress.hide()
  }
  printReport(report)
}

/** What an import reaches from a process of this machine, beside a service that runs or not. */
export function importReach(
  config: Config,
  { now }: Pick<Terminal, "now">,
  host: NodeProgram & Pick<ImportProcess, "pid">,
  signal: AbortSignal,
): ImportReach {
  const directory = openDataDirectory(config.dataDirectory)
  const secrets = openSecrets(config.secretFile, config.secretMayBeMade)
  const sharedTurn = sharedImportTurn(config, secrets)
  const bringSegments: ImportReach["bringSegments"] = async (onBegun) =>
    await bringForImport({ config, directory, secrets, signal }, onBegun)
  return {
    ...(sharedTurn && { sharedTurn }),
    ...(sharedTurn && {
      isAudited: (batch) =>
        withRecords(config, (records) => isImportAudited(records, batch, now())),
    }),
    ...(sharedTurn && indexAt(config).files === null && { bringSegments }),
    directory,
    secrets,
    program: host,
    pid: host.pid,
    now,
    signal,
    openIndex: () => openIndexForWriting(config, directory, secrets),
    audit: (entry) => withRecords(config, (records) => records.addAudit(entry)),
    watchedDomains: () =>
      withRecords(config, async (records) => {
        const proved = await records.provedDomains({ since: provedSince(now()) })
        return [...new Set(proved.map(({ domain }) => mailDomain(domain)))]
      }),
    async compact(onProgress) {
      const { files } = indexAt(config)
      if (files === null) return
      await compactIfNeeded({ path: files, now, onProgress })
    },
  }
}

/** A service on the same machine comes first; the processes of the import inherit it. */
export function giveWay(): void {
  // Whoever gave it less already keeps it there.
  const { PRIORITY_BELOW_NORMAL } = constants.priority
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL)
}

function requestOf(
  paths: readonly string[],
  options: CorpusImportOptions,
  terminal: Terminal,
): ImportRequest {
  return {
    paths,
    hints: hintsOf(options),
    source: sourceOf(options, terminal.now()),
    rejects: options.rejects ?? null,
    memoryMb: memoryOf(options.memory),
    wait: options.wait === true,
    importedBy: terminal.user,
  }
}

function sourceOf(options: CorpusImportOptions, nowMs: number): SourceRequest {
  const { source: name, title, kind, date, confidence, classes, sourceFile } = options
  if (!isSourceName(name)) {
    throw new CommandError(
      "--source takes up to 64 lower-case letters, digits, hyphens, dots and underscores",
    )
  }
  const known = IMPORT_KINDS.find((each) => each === kind)
  if (kind !== undefined && known === undefined) {
    throw new CommandError(`--kind takes ${IMPORT_KINDS.join(", ")}`)
  }
  if (date !== undefined && !isEventDate(date, nowMs)) {
    throw new CommandError("--date takes a day from 1990-01-01 to today, as YYYY-MM-DD")
  }
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(known === undefined ? {} : { kind: known }),
    ...(date === undefined ? {} : { date }),
    ...(confidence === undefined ? {} : { confidence: confidenceOf(confidence) }),
    ...(classes === undefined ? {} : { classes: classesOf(classes) }),
    ...(sourceFile === undefined ? {} : { described: readSourceFile(sourceFile, name) }),
  }
}

function confidenceOf(text: string): number {
  const value = Number(text)
  if (text.trim() !== "" && value > 0 && value <= 1) return value
  throw new CommandError("--confidence takes a number above 0, up to 1")
}

function classesOf(text: string): SourceRequest["classes"] & object {
  const words = text.split(",").map((word) => word.trim())
  const classes = words.filter(isDataClass)
  if (classes.length === words.length) return classes
  throw new CommandError(`--classes takes words of this list: ${DATA_CLASSES.join(", ")}`)
}

function hintsOf({ format, map }: CorpusImportOptions): FormatHints {
  if (format !== undefined && !FORMAT_NAMES.includes(format)) {
    throw new CommandError(`--format takes ${FORMAT_NAMES.join(", ")}`)
  }
  const columns = columnsSaid(map)
  if (columns === null) {
    throw new CommandError(`--map takes FIELD=COLUMN, separated by commas: ${FIELDS.join(", ")}`)
  }
  return { map: columns, ...(format === undefined ? {} : { format }) }
}

const MEMORY_MB = { min: 128, max: 65_536 }

export function memoryOf(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= MEMORY_MB.min && value <= MEMORY_MB.max) return value
  throw new CommandError(`--memory takes megabytes from ${MEMORY_MB.min} to ${MEMORY_MB.max}`)
}

/**
 * One line for each file of the input: what it holds and what it is imported as. Long inputs show
 * the first files only.
 */
function memberLines(
  { members, skipped }: Examined,
  takenOf: (member: ExaminedMember) => TakenAs | undefined,
): string[] {
  const lines = members.slice(0, MEMBERS_SHOWN).map((member) => {
    const { number, name, detected } = member
    if (detected === null) return `${number}  ${name}: nothing that can be imported, passed over`
    const taken = takenOf(member)
    const as = taken === undefined ? "" : `; ${taken.kind}, dated ${datedText(taken)}`
    return `${number}  ${name}: ${describeFormat(detected)}${as}`
  })
  const more = members.slice(MEMBERS_SHOWN)
  if (more.length > 0) {
    const passed = more.filter(({ detected }) => detected === null).length
    lines.push(`and ${more.length} more files, ${passed} of them passed over`)
  }
  for (const [reason, count] of skipped) lines.push(`Left out, ${SKIP_REASONS[reason]}: ${count}`)
  return lines
}

function datedText({ day, dating }: TakenAs): string {
  return day === null ? `by ${DATINGS[dating]}` : `${day} by ${DATINGS[dating]}`
}

function sourceLine(
  { name, eventDate, confidence }: SourceDescription,
  taken: readonly TakenAs[],
): string {
  const kinds = [...new Set(taken.map(({ kind }) => kind))].sort().join(" and ")
  const dated = eventDate === null ? "by each file" : eventDate
  return `Source ${name}: ${kinds}, dated ${dated}, confidence ${confidence}`
}

function rowTable({ shown }: Examined): string[] {
  const rows = shown.map((each) => {
    const place = [String(each.member), String(each.line)]
    if ("reject" in each) return [...place, "", "", "", `rejected: ${REJECT_REASONS[each.reject]}`]
    const { identity, secret, kind, hours } = each.row
    return [
      ...place,
      identity,
      secret === "none" ? "" : MASKED,
      secret,
      [kind, hours === null ? null : dayOf(hours * HOUR_MS)]
        .filter((text) => text !== null)
        .join(" "),
    ]
  })
  return table(["FILE", "LINE", "IDENTITY", "SECRET", "CLASS", "SAYS"], rows)
}

function reportLines(report: ImportReport, seconds: number): string[] {
  const { batch, source, tally, merged } = report
  if (!report.changed) {
    const rest = report.completed ? "what was left to do is done" : "nothing changed"
    return [`Already imported as batch ${batch.id} of ${source.name}; ${rest}.`]
  }
  const rejects = rejectsByCount(tally.rejects)
  const rejected = rejects.reduce((sum, [, count]) => sum + count, 0)
  const count = (value: number): string => value.toLocaleString("en")
  const figures: [string, number][] = [
    ["rows read", tally.rows + rejected],
    ["imported", merged.rows - merged.known],
    ["already known", merged.known],
    ["repeated in the input", report.repeated],
    ["rejected", rejected],
    ...rejects.map(([reason, value]): [string, number] => [`  ${reason}`, value]),
    ["identities", merged.identities],
    ...countsOf(tally.kinds, (kind) => `of kind ${kind}`),
    ...countsOf(tally.datings, (dating) => `dated by ${DATINGS[dating]}`),
  ]
  const names = Math.max(NAMES_MIN, ...figures.map(([name]) => name.length + 1))
  const width = Math.max(...figures.map(([, value]) => count(value).length))
  const memory =
    report.peakMemory === null ? "" : `, ${(report.peakMemory / 1e6).toFixed(0)} MB of memory`
  return [
    `Batch ${batch.id} of ${source.name} is live.`,
    ...figures.map(([name, value]) => `${name.padEnd(names)}${count(value).padStart(width)}`),
    ...circulationLines(report),
    ...(rejected === 0 ? [] : [`Rejected rows are listed in ${report.rejects}`]),
    ...timeLines(report),
    `${seconds.toFixed(1)} s${memory}`,
  ]
}

/** Where its time went, in the order of the phases. */
function timeLines({ phases }: ImportReport): string[] {
  const text = phases.map(({ phase, ms }) => `${phase} ${(ms / 1000).toFixed(1)} s`).join(", ")
  return text === "" ? [] : [`Time: ${text}`]
}

function circulationLines({ source, sameAs }: ImportReport): string[] {
  if (!source.circulates) return []
  return sameAs === null
    ? ["Older sources hold most of this already: it counts as circulation, not as another origin."]
    : [`This is the same data as ${sameAs}: it counts as circulation, not as another origin.`]
}

/** The most first. */
function countsOf<Name extends string>(
  counts: Readonly<Partial<Record<Name, number>>>,
  title: (name: Name) => string,
): [string, number][] {
  return (Object.entries(counts) as [Name, number][])
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => [title(name), count])
}

/** Why an import failed, by a code and in words. */
export function failureOf(
  error: unknown,
): Pick<TakenNews & { type: "failed" }, "code" | "message"> {
  if (error instanceof ImportFailure) return { code: error.code, message: error.message }
  if (error instanceof InputError) return { code: "input", message: error.message }
  if (isDiskFull(error)) return { code: "disk-full", message: "The disk is full" }
  return { code: "other", message: `The import broke off (${shortReason(error)})` }
}

function explained(error: unknown): unknown {
  if (error instanceof ImportFailure) {
    const { code, message } = error
    if (code === "unfinished")
      return new CommandError(message, { cause: error, exitCode: UNFINISHED })
    if (code === "stopped")
      return new CommandError(message, { cause: error, exitCode: INTERRUPTED })
    if (code === "another-runs")
      return new CommandError(`${message}; --wait queues behind it`, { cause: error })
  }
  if (error instanceof InputError || error instanceof ImportFailure) {
    return new CommandError(`Nothing was imported: ${error.message}`, { cause: error })
  }
  if (isDiskFull(error)) {
    return new CommandError("Nothing was imported: The disk is full", { cause: error })
  }
  return error
}
