import { Gauge, Registry } from "prom-client"

/** How a node stands among the others. */
export interface NodeFigures {
  /** The clock of the database minus ours. */
  readonly clockOffMs: number
  /** How long ago everything decided until then was in the store; null: not yet since the start. */
  readonly behindMs: number | null
  readonly leases: number
  /** Segments of live batches that are not in its data directory; null: not known yet. */
  readonly segmentsLacking: number | null
}

/** As a registry reports it, to be added to what the workers report. */
export async function nodeMetrics({
  clockOffMs,
  behindMs,
  leases,
  segmentsLacking,
}: NodeFigures): Promise<object> {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: "assay_node_clock_off_seconds",
    help: "The clock of the database minus that of this machine.",
    registers,
  }).set(clockOffMs / 1000)
  if (behindMs !== null) {
    new Gauge({
      name: "assay_node_decisions_behind_seconds",
      help: "How long ago all that this node had decided was in the store.",
      registers,
    }).set(behindMs / 1000)
  }
  new Gauge({
    name: "assay_node_leases",
    help: "Leases that this node holds.",
    registers,
  }).set(leases)
  if (segmentsLacking !== null) {
    new Gauge({
      name: "assay_node_segments_lacking",
      help: "Segments of live batches that this node lacks.",
      registers,
    }).set(segmentsLacking)
  }
  return await registry.getMetricsAsJSON()
}
