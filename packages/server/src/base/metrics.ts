import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from "prom-client"
import type { EvidenceOutcome } from "@assay/stores/records-evidence"

export interface Metrics {
  /** `route` is a pattern, never a URL: no label may carry what a caller sent. */
  observeRequest(route: string, method: string, status: number, seconds: number): void
  /** A request or a line was refused because the counters could not be asked. */
  countLimitsUnavailable(): void
  /**
   * The metrics of one kind of look-up over the network, found once so that counting searches no
   * labels.
   */
  networkProbe(probe: string): ProbeMetrics
  /** A request with context was answered without velocity. */
  countVelocityFailed(): void
  /** Sign-ups that the counters left out or pushed out, to keep their memory bounded. */
  countSignupsDropped(count: number): void
  countUnrecordedDecision(): void
  /**
   * A phone number was scored without providers, because the place that asks them did not answer.
   */
  countSignalsFailed(): void
  /** A decision was recorded without the answer of the tenant's second policy. */
  countShadowFailed(): void
  /** What became of a notification of a carrier, by the carrier's name in the settings. */
  countNotification(carrier: string, outcome: EvidenceOutcome | "ended" | "other"): void
  /** The metrics of all workers, in Prometheus' text form. */
  text(): Promise<string>
}

export interface ProbeMetrics {
  count(outcome: "answered" | "failed" | "late"): void
  showBreaker(open: boolean): void
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
  const limitsUnavailable = new Counter({
    name: "assay_limits_unavailable_total",
    help: "Requests and lines refused because the counters of a limited plan could not be asked.",
    registers: [registry],
  })
  const lookups = new Counter({
    name: "assay_network_lookups_total",
    help: "What requests learned from look-ups over the network, remembered answers included.",
    labelNames: ["probe", "outcome"] as const,
    registers: [registry],
  })
  const breakers = new Gauge({
    name: "assay_network_breaker_open",
    help: "Workers that do not ask because the provider failed several times in a row.",
    labelNames: ["probe"] as const,
    registers: [registry],
  })
  const velocityFailed = new Counter({
    name: "assay_velocity_failed_total",
    help: "Requests with context answered without velocity, because the counters could not be asked.",
    registers: [registry],
  })
  const signupsDropped = new Counter({
    name: "assay_signups_dropped_total",
    help: "Entries of sign-ups left out or pushed out because a window or the memory for them was full.",
    registers: [registry],
  })
  const unrecorded = new Counter({
    name: "assay_decisions_unrecorded_total",
    help: "Scored requests whose decision could not be recorded.",
    registers: [registry],
  })
  const signalsFailed = new Counter({
    name: "assay_signals_failed_total",
    help: "Phone numbers scored without providers, because the place that asks them did not answer.",
    registers: [registry],
  })
  const shadowFailed = new Counter({
    name: "assay_shadow_failed_total",
    help: "Scored requests whose shadow could not be computed; they were answered all the same.",
    registers: [registry],
  })
  const notifications = new Counter({
    name: "assay_carrier_notifications_total",
    help: "Notifications of carriers that were taken, by what became of them.",
    labelNames: ["operator", "outcome"] as const,
    registers: [registry],
  })
  collectDefaultMetrics({ register: registry })
  return {
    observeRequest: (route, method, status, seconds) =>
      requests.observe({ route, method, status }, seconds),
    countLimitsUnavailable: () => limitsUnavailable.inc(),
    networkProbe(probe) {
      const outcomes = {
        answered: lookups.labels(probe, "answered"),
        failed: lookups.labels(probe, "failed"),
        late: lookups.labels(probe, "late"),
      }
      const breaker = breakers.labels(probe)
      breaker.set(0)
      return {
        count: (outcome) => outcomes[outcome].inc(),
        showBreaker: (open) => breaker.set(open ? 1 : 0),
      }
    },
    countVelocityFailed: () => velocityFailed.inc(),
    countSignupsDropped: (count) => signupsDropped.inc(count),
    countUnrecordedDecision: () => unrecorded.inc(),
    countSignalsFailed: () => signalsFailed.inc(),
    countShadowFailed: () => shadowFailed.inc(),
    countNotification: (carrier, outcome) => notifications.labels(carrier, outcome).inc(),
    text,
  }
}

/** Adds up what the workers report, each as its registry's JSON. */
export async function gatheredMetrics(reports: object[]): Promise<string> {
  return await AggregatorRegistry.aggregate(reports).metrics()
}

export { Registry }
