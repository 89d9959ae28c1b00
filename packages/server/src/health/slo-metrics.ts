import { type ErrorBudget, REQUEST_KINDS } from "@assay/core/contract"
import { Counter, Gauge, Registry } from "prom-client"
import type { Kinds } from "./budget.ts"

/** As a registry reports it: what was counted since the start, and how the month stands. */
export async function sloMetrics(counted: Kinds, month: ErrorBudget): Promise<object> {
  const registry = new Registry()
  const registers = [registry]
  const labelNames = ["kind"] as const
  const total = new Counter({
    name: "assay_slo_requests_total",
    help: "Requests that count for the error budget, by what they were for.",
    labelNames,
    registers,
  })
  const good = new Counter({
    name: "assay_slo_good_requests_total",
    help: "Of them, those that were answered with a status below 500.",
    labelNames,
    registers,
  })
  // From the first scrape on: the first failure must not begin a series.
  for (const kind of REQUEST_KINDS) {
    total.inc({ kind }, counted.get(kind)?.total ?? 0)
    good.inc({ kind }, counted.get(kind)?.good ?? 0)
  }
  const gauge = (name: string, help: string, value: number | null): void => {
    if (value !== null) new Gauge({ name, help, registers }).set(value)
  }
  gauge(
    "assay_slo_objective_ratio",
    "The share of requests that is to be good, and of the time that is to be run.",
    month.objective,
  )
  gauge(
    "assay_slo_month_availability_ratio",
    "The share of this month's requests that were good; absent without requests.",
    month.availability,
  )
  gauge(
    "assay_slo_month_budget_left_ratio",
    "The share of this month's error budget that is left; below 0 more failed than may.",
    month.budget.left,
  )
  gauge(
    "assay_slo_month_running_ratio",
    "The share of the measured time of this month in which the service ran.",
    month.running.share,
  )
  gauge(
    "assay_slo_month_not_running_seconds",
    "How long it did not run in the measured time of this month.",
    month.running.not_running_seconds,
  )
  return await registry.getMetricsAsJSON()
}
