import { readdirSync, readFileSync } from "node:fs"
import { anonymousBytes, processTree } from "../../../bench/process-figures.ts"

/** What the processes of a service hold, by kind; of several of a kind the largest. */
export type Footprint = Readonly<Record<string, { readonly bytes: number; readonly files: number }>>

const KINDS = {
  drop: /drop-process\.[jt]s/,
  sealer: /sealer-process\.[jt]s/,
  reader: /reader-process\.[jt]s/,
  sorter: /sorter-process\.[jt]s/,
} as const

export function footprintOf(servicePid: number): Footprint {
  const found: Record<string, { bytes: number; files: number }> = {}
  for (const pid of processTree(servicePid)) {
    try {
      const kind = pid === servicePid ? "primary" : kindOf(pid)
      const bytes = anonymousBytes(pid)
      const files = readdirSync(`/proc/${pid}/fd`).length
      const largest = found[kind] ?? { bytes: 0, files: 0 }
      found[kind] = {
        bytes: Math.max(largest.bytes, bytes),
        files: Math.max(largest.files, files),
      }
    } catch (error) {
      // It ended while it was looked at.
      if (!isGone(error)) throw error
    }
  }
  return found
}

function kindOf(pid: number): string {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8")
  const [kind] = Object.entries(KINDS).find(([, program]) => program.test(commandLine)) ?? []
  return kind ?? "worker"
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === "ENOENT" || code === "ESRCH" || /does not tell RssAnon/.test(String(error))
}
