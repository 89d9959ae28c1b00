import { BenchError } from "../bench.ts"
import {
  anonymousBytes,
  type MachineProcessor,
  machineProcessor,
  ownProcessorMicros,
  processorMicros,
  processTree,
} from "../process-figures.ts"
import { type LoadFigures, type LoadOptions, pacedLoad, peakLoad } from "./load.ts"
import type { Variant } from "./servers.ts"

/** A server under one load. */
export interface LoadMeasurement {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** Processor time of all the server's processes. */
  readonly cpuMicrosPerRequest: number
  /**
   * Cores that programs outside the bench kept busy meanwhile. The kernel counts a machine's time
   * by sampling and a process's exactly, so on a quiet machine this is near zero and may fall
   * below.
   */
  readonly othersCores: number
  /** Cores the host of a virtual machine withheld meanwhile. */
  readonly stolenCores: number
}

/** One variant in one round. */
export interface Measurement {
  readonly peak: LoadMeasurement
  readonly half: LoadMeasurement
  /**
   * Anonymous memory of each server process after both loads. The first process started the others.
   */
  readonly anonymousBytes: readonly number[]
}

/** Loads a server with all it can take, then with half of that. */
export async function measure(
  { pid, target }: Variant,
  wrk: string | null,
  options: LoadOptions,
): Promise<Measurement> {
  const peak = await underLoad(pid, () => peakLoad(wrk, target, options))
  const half = await underLoad(pid, () =>
    pacedLoad(target, options, Math.max(1, peak.requestsPerSecond / 2)),
  )
  return { peak, half, anonymousBytes: processTree(pid).map(anonymousBytes) }
}

/** What a server did under one load, and what that cost it. */
export async function underLoad(
  pid: number,
  load: () => Promise<LoadFigures>,
): Promise<LoadMeasurement> {
  const processes = processTree(pid)
  const spent = (): Spent => ({
    server: processes.reduce((sum, process) => sum + processorMicros(process), 0),
    bench: ownProcessorMicros(),
    machine: machineProcessor(),
  })
  const before = spent()
  const startedAt = performance.now()
  const { requests, seconds, p50Ms, p95Ms, p99Ms } = await load()
  if (processTree(pid).join() !== processes.join())
    throw new BenchError("a process of the server ended under load and was replaced")
  const elapsedMicros = (performance.now() - startedAt) * 1000
  const after = spent()
  const server = after.server - before.server
  const used = after.machine.used - before.machine.used
  const others = used - server - (after.bench - before.bench)
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p95Ms,
    p99Ms,
    cpuMicrosPerRequest: server / requests,
    othersCores: others / elapsedMicros,
    stolenCores: (after.machine.stolen - before.machine.stolen) / elapsedMicros,
  }
}

/** Processor time until now, in microseconds. */
interface Spent {
  readonly server: number
  readonly bench: number
  readonly machine: MachineProcessor
}
