import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"

const LOOK_MS = 500
/** proc_pid_stat(5) counts in hundredths of a second on every Linux of today. */
const TICKS_A_SECOND = 100

interface Taken {
  readonly pid: number
  readonly parent: number
  /** By the process and by those of its children that have ended. */
  readonly seconds: number
}

/** A process, and the processor time that it and all below it were seen to take. */
export interface ProcessorTime {
  readonly pid: number
  readonly lastArgument: string
  readonly seconds: number
}

/**
 * The processor time of each child of a process until the signal comes. It is what was seen twice a
 * second, so it may be somewhat less than what was taken. Uses /proc, so it sees nothing on systems
 * without it.
 */
export async function processorTimes(
  parent: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<ProcessorTime[]> {
  const seen = new Map<number, ProcessorTime>()
  while (!signal.aborted) {
    const byParent = Map.groupBy(takenByAll(), (each) => each.parent)
    const below = (pid: number): number =>
      (byParent.get(pid) ?? []).reduce((sum, each) => sum + each.seconds + below(each.pid), 0)
    for (const { pid, seconds: own } of byParent.get(parent) ?? []) {
      const before = seen.get(pid)
      const seconds = Math.max(before?.seconds ?? 0, own + below(pid))
      seen.set(pid, { pid, lastArgument: before?.lastArgument || lastArgumentOf(pid), seconds })
    }
    await delay(LOOK_MS, null, { signal }).catch(() => null)
  }
  return [...seen.values()]
}

function lastArgumentOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).split("\0").at(-2) ?? ""
}

function takenByAll(): Taken[] {
  const taken: Taken[] = []
  for (const name of namesIn("/proc")) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : ""
    if (stat === "") continue
    // `pid (name) state ppid …`; the name may itself hold brackets and spaces.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0)
    taken.push({ pid: Number(name), parent: fields[1] ?? 0, seconds: ticks / TICKS_A_SECOND })
  }
  return taken
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
