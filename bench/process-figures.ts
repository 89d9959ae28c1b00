import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { BenchError } from "./bench.ts"

/** Throws where the kernel does not say what a process used. */
export function requireProcessFigures(): void {
  if (!existsSync("/proc/self/smaps_rollup"))
    throw new BenchError("processor time and memory are read from /proc, which needs Linux")
}

/**
 * The processes that a process started and that still run. Not from the lists that the kernel keeps
 * of a thread's children, in which one is missing now and then while others end (proc(5)).
 */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number)
}

/** A process and all that it started, itself first. */
export function processTree(pid: number): readonly number[] {
  const tree = [pid]
  // Grows while it is walked, until the last descendant has no children.
  for (const member of tree) tree.push(...childrenOf(member))
  return tree
}

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))

/** Processor time a process has used so far in microseconds: user and system, all its threads. */
export function processorMicros(pid: number): number {
  const fields = statFields(String(pid))
  return microsOf([Number(fields[STAT_UTIME]), Number(fields[STAT_STIME])])
}

/**
 * Processor time of each living thread of these processes in microseconds, by the kernel's exact
 * count. Threads of one name in one process are added up.
 */
export function threadMicros(pids: readonly number[]): ReadonlyMap<string, number> {
  const micros = new Map<string, number>()
  pids.forEach((pid, place) => {
    const role = pids.length === 1 ? "server" : place === 0 ? "primary" : "worker"
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${thread}`
      const name = Number(thread) === pid ? "main" : readFileSync(`${folder}/comm`, "utf8").trim()
      const [nanos = "0"] = readFileSync(`${folder}/schedstat`, "utf8").split(" ")
      const key = `${role} ${name}`
      micros.set(key, (micros.get(key) ?? 0) + Number(nanos) / 1000)
    }
  })
  return micros
}

/** Processor time this process and those it started and saw end have used, in microseconds. */
export function ownProcessorMicros(): number {
  return keptMicros(process.pid)
}

/** Of that, what the processes it started and saw end have used, with all that those started. */
export function endedProcessorMicros(): number {
  const fields = statFields("self")
  return microsOf([STAT_CHILDREN_UTIME, STAT_CHILDREN_STIME].map((field) => Number(fields[field])))
}

/** Processor time of a process, of all that it started, and of those of them that have ended. */
export function treeProcessorMicros(pid: number): number {
  for (;;) {
    const tree = processTree(pid)
    try {
      const micros = tree.map(keptMicros).reduce((sum, each) => sum + each, 0)
      // One that ended meanwhile was counted as running, as ended, as both or as neither.
      if (String(processTree(pid)) === String(tree)) return micros
    } catch (error) {
      if (!existsSync(`/proc/${pid}`)) throw error
    }
  }
}

function keptMicros(pid: number): number {
  const fields = statFields(String(pid))
  const kept = [STAT_UTIME, STAT_STIME, STAT_CHILDREN_UTIME, STAT_CHILDREN_STIME]
  return microsOf(kept.map((field) => Number(fields[field])))
}

/** Processor time of the whole machine so far, in microseconds. */
export interface MachineProcessor {
  /** Used by its processes. */
  readonly used: number
  /**
   * Wanted by them while the host of a virtual machine ran something else: seen by no process, felt
   * by all.
   */
  readonly stolen: number
}

export function machineProcessor(): MachineProcessor {
  const [, ...ticks] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").split(/ +/)
  return {
    used: microsOf(USED_STATES.map((state) => Number(ticks[state]))),
    stolen: microsOf([Number(ticks[STOLEN_STATE])]),
  }
}

/**
 * Memory no file backs: what the process itself costs, without code and pages of mapped databases.
 * From what the kernel counts anyway: adding up all pages would stop the process meanwhile.
 */
export function anonymousBytes(pid: number): number {
  return statusBytes(pid, "RssAnon")
}

/** Memory a process has in use, in which a page that several processes share is divided by them. */
export function proportionalBytes(pid: number): number {
  return bytesNamed("Pss", readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))
}

/** Memory a process has in use, shared code and pages of mapped databases included. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, "VmRSS")
}

function statusBytes(pid: number, name: "RssAnon" | "VmRSS"): number {
  return bytesNamed(name, readFileSync(`/proc/${pid}/status`, "utf8"))
}

function bytesNamed(name: string, text: string): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]
  if (kibibytes === undefined) throw new BenchError(`the kernel does not tell ${name} of memory`)
  return Number(kibibytes) * 1024
}

// proc(5), counted from the state, which is the first field after the name.
const STAT_PARENT = 1
const STAT_STATE = 0
const STAT_UTIME = 11
const STAT_STIME = 12
const STAT_CHILDREN_UTIME = 13
const STAT_CHILDREN_STIME = 14

/** User, nice, system and both kinds of interrupts: not idle and not waiting for a disk. */
const USED_STATES = [0, 1, 2, 5, 6]
const STOLEN_STATE = 7

function microsOf(ticks: readonly number[]): number {
  return (ticks.reduce((sum, count) => sum + count, 0) * 1_000_000) / ticksPerSecond
}

function statFields(pid: string): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The name is in parentheses and may hold spaces and parentheses itself.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** Null for a process that has ended, also where nobody has collected it yet. */
function parentOf(pid: string): number | null {
  try {
    const fields = statFields(pid)
    return /[ZX]/.test(fields[STAT_STATE] ?? "") ? null : Number(fields[STAT_PARENT])
  } catch {
    // It ended between being listed and being read.
    return null
  }
}
