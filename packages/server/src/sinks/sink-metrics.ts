import { Counter, Gauge, type Registry } from "prom-client"
import type { SinkState } from "@assay/core/contract"

/** What is counted of a sink. Its name is the operator's own. */
export interface SinkMetrics {
  countSent(sink: string, events: number): void
  countFault(sink: string): void
}

/** Metrics of the thread that sends to sinks. */
export function openSinkMetrics(
  registry: Registry,
  names: readonly string[],
  states: () => Promise<readonly SinkState[]>,
): SinkMetrics {
  const registers = [registry]
  const labelNames = ["sink"] as const
  const events = new Counter({
    name: "assay_sink_events_total",
    help: "Events that a sink's receiver took, those sent again among them.",
    labelNames,
    registers,
  })
  const faults = new Counter({
    name: "assay_sink_faults_total",
    help: "Attempts to send events to a sink that failed; all of them are made again.",
    labelNames,
    registers,
  })
  for (const sink of names) {
    events.inc({ sink }, 0)
    faults.inc({ sink }, 0)
  }
  new Gauge({
    name: "assay_sink_lag_seconds",
    help: "Age of the oldest event that a sink does not have yet; 0: it has all.",
    labelNames,
    registers,
    async collect() {
      for (const { name: sink, lag_seconds } of await states()) this.set({ sink }, lag_seconds)
    },
  })
  new Gauge({
    name: "assay_sink_behind",
    help: "Events that a sink does not have yet, counted up to 100,000.",
    labelNames,
    registers,
    async collect() {
      for (const { name: sink, behind } of await states()) this.set({ sink }, behind)
    },
  })
  return {
    countSent: (sink, count) => events.inc({ sink }, count),
    countFault: (sink) => faults.inc({ sink }),
  }
}
