import { Counter, type Registry } from "prom-client"

/** Counts tokens that are pushed. No label may carry whose they are. */
export function countPushes(registry: Registry): (result: "taken" | "failed") => void {
  const pushes = new Counter({
    name: "assay_shared_signals_pushes_total",
    help: "Attempts to push security event tokens to receivers, by what came of them.",
    labelNames: ["result"] as const,
    registers: [registry],
  })
  for (const result of ["taken", "failed"] as const) pushes.inc({ result }, 0)
  return (result) => pushes.inc({ result })
}
