import { Counter, Gauge, type Registry } from "prom-client"

/** What is counted of deliveries. No label may carry whose they are. */
export interface DeliveryMetrics {
  countAttempt(result: "delivered" | "failed" | "given-up"): void
}

/** Metrics of the thread that calls webhooks. */
export function openDeliveryMetrics(
  registry: Registry,
  pending: () => Promise<{ readonly count: number }>,
): DeliveryMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: "assay_webhook_attempts_total",
    help: "Attempts to deliver events to webhooks, by what came of them; those that were asked for by hand are not counted.",
    labelNames: ["result"] as const,
    registers,
  })
  for (const result of ["delivered", "failed", "given-up"] as const) attempts.inc({ result }, 0)
  new Gauge({
    name: "assay_webhook_pending",
    help: "Deliveries of events to webhooks that wait for their next attempt.",
    registers,
    async collect() {
      this.set((await pending()).count)
    },
  })
  return { countAttempt: (result) => attempts.inc({ result }) }
}
