import { BenchError } from "../bench.ts"
import {
  anonymousBytes,
  type MachineProcessor,
  machineProcessor,
  ownProcessorMicros,
  processorMicros,
  processTree,
  threadMicros,
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
  /** The same by process and thread, without those that used next to nothing. */
  readonly threadMicrosPerRequest: Readonly<Record<string, number>>
  /**
   * Cores that programs outside the bench kept busy meanwhile. The kernel counts a machine's time
   * by sampling and a process's exactly, so on a quiet machine this is near zero and may fall
   * below.
   */
  readonly othersCores: number
  /** Cores the host of a virtual machine withheld meanwhile. */
  readonly stolenCores: number
}

/**
 * Requests a second, the same for every server: half of a server's own peak is another load for
 * each of them.
 */
export const RATES = [1000, 2000, 5000] as const
export type Rate = (typeof RATES)[number]

/** One variant in one round. */
export interface Measurement {
  readonly peak: LoadMeasurement
  /** At each constant rate; null where the peak is not well above it. */
  readonly paced: Readonly<Record<Rate, LoadMeasurement | null>>
  /**
   * Anonymous memory of each server process after all loads. The first process started the others.
   */
  readonly anonymousBytes: readonly number[]
}

/** A server that can just keep a rate queues, and its latencies say nothing about it. */
const ROOM = 1.2
/** Threads below this are left out, in microseconds a request. */
const THREAD_MICROS_MIN = 0.2

/** Loads a server with all it can take, then with each of the rates. */
export async function measure(
  { pid, target }: Variant,
  wrk: string | null,
  options: LoadOptions,
): Promise<Measurement> {
  const peak = await underLoad(pid, () => peakLoad(wrk, target, options))
  const paced: [Rate, LoadMeasurement | null][] = []
  for (const rate of RATES) {
    const keepsUp = peak.requestsPerSecond >= rate * ROOM
    const load = (): Promise<LoadFigures> => pacedLoad(target, options, rate)
    paced.push([rate, keepsUp ? await underLoad(pid, load) : null])
  }
  return {
    peak,
    paced: Object.fromEntries(paced) as Measurement["paced"],
    anonymousBytes: processTree(pid).map(anonymousBytes),
  }
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
  const threadsBefore = threadMicros(processes)
  const startedAt = performance.now()
  const { requests, seconds, p50Ms, p95Ms, p99Ms } = await load()
  if (processTree(pid).join() !== processes.join())
    throw new BenchError("a process of the server ended under load and was replaced")
  const elapsedMicros = (performance.now() - startedAt) * 1000
  const after = spent()
  const threads = [...threadMicros(processes)]
    .map(([name, micros]) => [name, (micros - (threadsBefore.get(name) ?? 0)) / requests] as const)
    .filter(([, micros]) => micros >= THREAD_MICROS_MIN)
  const server = after.server - before.server
  const used = after.machine.used - before.machine.used
  const others = used - server - (after.bench - before.bench)
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p95Ms,
    p99Ms,
    cpuMicrosPerRequest: server / requests,
    threadMicrosPerRequest: Object.fromEntries(threads),
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
