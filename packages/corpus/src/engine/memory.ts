import { readFileSync } from "node:fs"

const SAMPLE_MS = 200

/**
 * Watches the memory of some processes that no file backs; mapped pages of the index do not count.
 */
export function watchMemory(pids: () => readonly number[]): { stop(): number | null } {
  let peak: number | null = null
  const sample = (): void => {
    const bytes = pids().map(anonymousBytes)
    const known = bytes.filter((each) => each !== null)
    if (known.length > 0)
      peak = Math.max(
        peak ?? 0,
        known.reduce((sum, each) => sum + each, 0),
      )
  }
  const timer = setInterval(sample, SAMPLE_MS)
  timer.unref()
  return {
    /** The peak in bytes; null if the system does not report it. */
    stop() {
      sample()
      clearInterval(timer)
      return peak
    },
  }
}

/** proc_pid_status(5). null for a process that is gone, and on systems without it. */
function anonymousBytes(pid: number): number | null {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return kilobytes === null ? null : Number(kilobytes[1]) * 1024
  } catch {
    return null
  }
}
