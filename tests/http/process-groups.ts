import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"

const GONE_MS = 10_000

/**
 * Ends a group when this process is killed and can run no code of its own: the guard's input
 * then closes. It has a group of its own, so that Ctrl-C, which ends us, leaves it to do its work.
 */
export function startGuard(pid: number, directory: string | null): ChildProcess {
  const script = 'read -r _; kill -s KILL -- "-$1"; [ -z "$2" ] || { sleep 1; rm -rf -- "$2"; }'
  const guard = spawn("sh", ["-c", script, "guard", String(pid), directory ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  guard.unref()
  return guard
}

export function signalGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Kills every process of the group and resolves when none runs any more. */
export async function killGroup(pid: number): Promise<void> {
  const deadline = performance.now() + GONE_MS
  while (groupRuns(pid)) {
    signalGroup(pid)
    if (performance.now() > deadline) throw new Error(`Process group ${pid} outlives SIGKILL`)
    await delay(5)
  }
}

function groupRuns(pid: number): boolean {
  try {
    process.kill(-pid, 0)
  } catch {
    return false
  }
  // Where process 1 does not collect orphans, dead workers stay as zombies, which signals still
  // find.
  if (process.platform !== "linux") return true
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && runsInGroup(name, pid))
}

/**
 * proc_pid_stat(5): `pid (name) state ppid pgrp …`; the name may itself hold brackets and spaces.
 */
function runsInGroup(process: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, "utf8")
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(pgrp) === group && state !== "Z" && state !== "X"
  } catch {
    return false
  }
}
