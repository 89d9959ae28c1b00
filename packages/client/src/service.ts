import type { ServiceHealth, ServiceLevels, ServicePeriod } from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import type { Send } from "./sent.ts"

/** The service itself. */
export interface ServiceCalls {
  /** How well it answered, as it measured itself; a day unless another period is given. */
  levels(period?: ServicePeriod, options?: CallOptions): Promise<ServiceLevels>
  /** What is wrong with it, and its settings; for administrators. */
  health(options?: CallOptions): Promise<ServiceHealth>
}

export function serviceCalls(send: Send): ServiceCalls {
  return {
    levels: (period, options) =>
      send("GET", `/service/levels${query({ period })}`, "points", { options }),
    health: (options) => send("GET", "/service/health", "findings", { options }),
  }
}
