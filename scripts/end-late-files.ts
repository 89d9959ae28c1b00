import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

const LOOK_MS = 2_000
const REPORT_MS = 3_000

/** The arguments with which a test file's process can report what it waits for. */
export function reportArguments(folder: string): string[] {
  return ["--report-on-signal", "--report-compact", `--report-directory=${folder}`]
}

/**
 * Ends the test files of a run that take longer than they may. The runner's own limit holds for
 * tests only: a file whose tests have all ended and whose process has not would be waited for
 * without an end. Each first writes a report, so that what it waited for can be printed. Uses
 * /proc, so it does nothing on systems without it.
 */
export async function endLateFiles(
  runner: number,
  limitMs: number,
  folder: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const seenAt = new Map<number, number>()
  while (!signal.aborted) {
    const running = children(runner)
    for (const pid of seenAt.keys()) if (!running.includes(pid)) seenAt.delete(pid)
    for (const pid of running) {
      const since = seenAt.get(pid) ?? performance.now()
      seenAt.set(pid, since)
      if (performance.now() - since > limitMs) await endLateFile(pid, folder)
    }
    await delay(LOOK_MS, null, { signal }).catch(() => null)
  }
}

function children(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number)
}

async function endLateFile(pid: number, folder: string): Promise<void> {
  const file = read(`/proc/${pid}/cmdline`).split("\0").at(-2)
  console.error(`Ended, because it took too long: ${file}`)
  console.error(/^State:.*$/mu.exec(read(`/proc/${pid}/status`))?.[0], read(`/proc/${pid}/wchan`))
  send(pid, "SIGUSR2")
  await delay(REPORT_MS)
  send(pid, "SIGKILL")
  const report = readdirSync(folder).find((name) => name.includes(`.${pid}.`))
  console.error(report === undefined ? "It gave no report" : waitedFor(join(folder, report)))
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** The stack at that moment and the handles that kept the process alive. */
function waitedFor(file: string): string {
  const { javascriptStack, libuv } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly javascriptStack: unknown
    readonly libuv: readonly { readonly is_active?: boolean; readonly is_referenced?: boolean }[]
  }
  const alive = libuv.filter((handle) => handle.is_active && handle.is_referenced)
  return JSON.stringify({ javascriptStack, alive }, null, 1)
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
