import { availableParallelism, cpus, loadavg, release, totalmem, type as systemName } from "node:os"

/** What a reader needs to know of the machine before comparing its figures with another's. */
export interface MachineFacts {
  readonly system: string
  readonly arch: string
  readonly processor: string
  readonly cores: number
  readonly memoryGibibytes: number
  readonly node: string
  /** Over 1, 5 and 15 minutes before the bench began: what else was running. */
  readonly loadAverage: readonly number[]
}

export function machineFacts(): MachineFacts {
  return {
    system: `${systemName()} ${release()}`,
    arch: process.arch,
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGibibytes: rounded(totalmem() / 2 ** 30, 1),
    node: process.versions.node,
    loadAverage: loadavg().map((load) => rounded(load, 2)),
  }
}

export function machineLines(machine: MachineFacts): string {
  const { system, arch, processor, cores, memoryGibibytes, node, loadAverage } = machine
  return `- Machine: ${system} on ${arch} (${processor}), ${cores} cores, ${memoryGibibytes} GiB memory
- Node ${node}; load average before the run: ${loadAverage.join(", ")}`
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
