import { readFileSync } from "node:fs"
import { processTree } from "../process-figures.ts"

/** The programs of the drop, by the file they run. */
const PROGRAMS = { drop: /drop-process\.[jt]s/, sealer: /sealer-process\.[jt]s/ } as const
export type DropProgram = keyof typeof PROGRAMS

/**
 * How often processes are looked at. The kernel keeps each one's peak, so only short lives could be
 * missed.
 */
const EVERY_MS = 25

export interface MemoryPeaks {
  /** The most memory one process of the kind had resident until now, in bytes. */
  readonly peaks: Readonly<Record<DropProgram, number>>
  stop(): void
}

/** Watches the processes of a service for their peaks of resident memory. */
export function watchMemory(servicePid: number): MemoryPeaks {
  const peaks = { drop: 0, sealer: 0 }
  const look = (): void => {
    for (const pid of processTree(servicePid))
      for (const program of Object.keys(PROGRAMS) as DropProgram[])
        if (PROGRAMS[program].test(textOf(pid, "cmdline")))
          peaks[program] = Math.max(peaks[program], peakBytes(pid))
  }
  const timer = setInterval(look, EVERY_MS)
  return {
    peaks,
    stop() {
      clearInterval(timer)
      look()
    },
  }
}

/** The processes of a kind that run now. */
export function runningPids(servicePid: number, program: DropProgram): number[] {
  return processTree(servicePid).filter((pid) => PROGRAMS[program].test(textOf(pid, "cmdline")))
}

function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(textOf(pid, "status"))?.[1] ?? 0) * 1024
}

/** Empty for a process that ended meanwhile. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}
