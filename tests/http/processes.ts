import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { childrenOf } from "../../bench/process-figures.ts"

export type Kind = "worker" | "drop" | "sealer" | "compaction" | "reader" | "sorter"

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/drop-process/, "drop"],
  [/sealer-process/, "sealer"],
  [/reader-process/, "reader"],
  [/sorter-process/, "sorter"],
  [/\bcompact\b/, "compaction"],
  [/worker-process/, "worker"],
]

export interface RunningProcess {
  readonly pid: number
  readonly kind: Kind
}

/** All processes below one, with what they are (proc(5)). */
export function processesBelow(pid: number): RunningProcess[] {
  return childrenOf(pid).flatMap((child) => {
    const command = read(`/proc/${child}/cmdline`).replaceAll("\0", " ")
    const [, kind] = KINDS.find(([pattern]) => pattern.test(command)) ?? []
    return [...(kind === undefined ? [] : [{ pid: child, kind }]), ...processesBelow(child)]
  })
}

/**
 * What a process has open, besides its standard streams: paths of files, and `listening` for
 * sockets that others connect to.
 */
export function openOf(pid: number): string[] {
  const listening = listeningInodes()
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    if (Number(name) <= 2) return []
    const target = readlink(`/proc/${pid}/fd/${name}`)
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode !== undefined) return listening.has(inode) ? ["listening"] : []
    return target.startsWith("/") && target !== "/dev/null" ? [target] : []
  })
}

function listeningInodes(): ReadonlySet<string> {
  const LISTEN = "0A"
  const tcp = ["tcp", "tcp6"].flatMap((name) =>
    read(`/proc/net/${name}`)
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTEN)
      .map((fields) => fields[9] ?? ""),
  )
  return new Set(tcp)
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

function readlink(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ""
  }
}
