import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Registry,
} from "prom-client"

export interface Metrics {
  /** `route` is a pattern, never a URL: no label may carry what a caller sent. */
  observeRequest(route: string, method: string, status: number, seconds: number): void
  countLimitsFailOpen(): void
  countUnrecordedDecision(): void
  /** The metrics of all workers, in Prometheus' text form. */
  text(): Promise<string>
}

/** A worker's own metrics; `text` asks the primary, which gathers them from every worker. */
export function openMetrics(registry: Registry, text: () => Promise<string>): Metrics {
  const requests = new Histogram({
    name: "assay_http_request_seconds",
    help: "Time to answer a request, by route pattern, method and status.",
    labelNames: ["route", "method", "status"] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 5],
    registers: [registry],
  })
  const failedOpen = new Counter({
    name: "assay_limits_failed_open_total",
    help: "Requests let through because the counters could not be asked.",
    registers: [registry],
  })
  const unrecorded = new Counter({
    name: "assay_decisions_unrecorded_total",
    help: "Scored requests whose decision could not be recorded.",
    registers: [registry],
  })
  collectDefaultMetrics({ register: registry })
  return {
    observeRequest: (route, method, status, seconds) =>
      requests.observe({ route, method, status }, seconds),
    countLimitsFailOpen: () => failedOpen.inc(),
    countUnrecordedDecision: () => unrecorded.inc(),
    text,
  }
}

/** Adds up what the workers report, each as its registry's JSON. */
export async function gatheredMetrics(reports: object[]): Promise<string> {
  return await AggregatorRegistry.aggregate(reports).metrics()
}

export { Registry }
