import type {
  ErrorBudget,
  ServiceHealth,
  ServiceLevels,
  ServicePeriod,
  SinkList,
  SinkTestResult,
} from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** The service itself. */
export interface ServiceCalls {
  /** How well it answered, as it measured itself; a day unless another period is given. */
  levels(period?: ServicePeriod, options?: CallOptions): Promise<ServiceLevels>
  /** How many requests of a month failed and how many may; the present one unless given. */
  budget(month?: string, options?: CallOptions): Promise<ErrorBudget>
  /** What is wrong with it, and its settings; for administrators. */
  health(options?: CallOptions): Promise<ServiceHealth>
  /** The security tools that get every event; for administrators. */
  sinks(options?: CallOptions): Promise<SinkList>
  /** Sends an event for a trial and says what came of it; for administrators. */
  testSink(name: string, options?: CallOptions): Promise<SinkTestResult>
}

export function serviceCalls(send: Send): ServiceCalls {
  return {
    levels: (period, options) =>
      send("GET", `/service/levels${query({ period })}`, "points", { options }),
    budget: (month, options) =>
      send("GET", `/service/budget${query({ month })}`, "budget", { options }),
    sinks: (options) => send("GET", "/sinks", "sinks", { options }),
    testSink: (name, options) => send("POST", `/sinks/${idIn(name)}/test`, "event_id", { options }),
    health: (options) => send("GET", "/service/health", "findings", { options }),
  }
}
