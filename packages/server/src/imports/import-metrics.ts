import { Counter, Gauge, Registry } from "prom-client"
import type { ImportState } from "@assay/core/contract"

export type ImportOutcome = Exclude<ImportState["state"], "running">

/** What became of imports over HTTP since the service was started. */
export interface ImportCounts {
  readonly outcomes: Readonly<Record<ImportOutcome, number>>
  /** Observations that were new. */
  readonly rows: number
  /** Rows that were not imported. */
  readonly rejected: number
  readonly seconds: number
  /** Of these seconds, by phase. */
  readonly phases: Readonly<Partial<Record<ImportState["phase"], number>>>
  readonly running: number
  /** Of the one that runs, if any, the phase it is in. */
  readonly current: {
    readonly phase: ImportState["phase"]
    /** How much of it is done, 0 to 1; null where it is not known. */
    readonly share: number | null
    readonly secondsLeft: number | null
  } | null
}

/** As a registry reports it, to be added to what the workers report. */
export async function importMetrics(counts: ImportCounts): Promise<object> {
  const registry = new Registry()
  const registers = [registry]
  const outcomes = new Counter({
    name: "assay_imports_total",
    help: "Imports over HTTP that ended, by how they did.",
    labelNames: ["outcome"] as const,
    registers,
  })
  for (const [outcome, count] of Object.entries(counts.outcomes)) outcomes.inc({ outcome }, count)
  new Counter({
    name: "assay_import_rows_total",
    help: "Observations that imports over HTTP added.",
    registers,
  }).inc(counts.rows)
  new Counter({
    name: "assay_import_rejected_rows_total",
    help: "Rows of imports over HTTP that were rejected.",
    registers,
  }).inc(counts.rejected)
  new Counter({
    name: "assay_import_seconds_total",
    help: "How long imports over HTTP took that ended.",
    registers,
  }).inc(counts.seconds)
  const phases = new Counter({
    name: "assay_import_phase_seconds_total",
    help: "Of these seconds, those of each phase.",
    labelNames: ["phase"] as const,
    registers,
  })
  for (const [phase, seconds] of Object.entries(counts.phases)) phases.inc({ phase }, seconds)
  new Gauge({
    name: "assay_import_running",
    help: "1 while an import over HTTP runs.",
    registers,
  }).set(counts.running)
  const ofPhase = (name: string, help: string, value: number | null | undefined): void => {
    const gauge = new Gauge({ name, help, labelNames: ["phase"] as const, registers })
    if (counts.current !== null && value != null) gauge.set({ phase: counts.current.phase }, value)
  }
  ofPhase(
    "assay_import_phase_done_ratio",
    "How much is done of the phase that an import over HTTP is in, 0 to 1.",
    counts.current?.share,
  )
  ofPhase(
    "assay_import_phase_left_seconds",
    "How long that phase still takes, as it went so far.",
    counts.current?.secondsLeft,
  )
  return await registry.getMetricsAsJSON()
}
