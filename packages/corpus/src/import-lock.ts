import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Value } from "typebox/value"
import { Type } from "typebox"
import { type DataDirectory, type Lock, lockImports } from "@assay/runtime/data-directory"
import { ImportFailure } from "./engine/import-failure.ts"

/** Who imports at the moment. */
export interface ImportHolder {
  readonly pid: number
  readonly startedAtMs: number
}

export interface ImportTurn {
  readonly self: ImportHolder
  /** Queues after a running import; otherwise a running import is a refusal. */
  readonly wait: boolean
  readonly signal: AbortSignal
  onWait(holder: ImportHolder | null): void
}

export function holderText({ pid, startedAtMs }: ImportHolder): string {
  return `process ${pid}, since ${new Date(startedAtMs).toISOString().slice(0, 19)}Z`
}

const RETRY_MS = 250

/**
 * Takes the right to import. Throws ImportFailure `another-runs` where another has it and `wait` is
 * false.
 */
export async function takeImportTurn(directory: DataDirectory, turn: ImportTurn): Promise<Lock> {
  // A separate file beside the lock, because other processes cannot read a locked file.
  const note = join(directory.path, "import.holder")
  let announced = false
  for (;;) {
    const lock = lockImports(directory.path)
    if (lock !== null) {
      try {
        writeFileSync(note, JSON.stringify(turn.self), { mode: 0o600 })
      } catch (error) {
        lock.release()
        throw error
      }
      return lock
    }
    const holder = readHolder(note)
    if (!turn.wait) {
      const who = holder === null ? "" : ` (${holderText(holder)})`
      throw new ImportFailure("another-runs", `Another import runs here${who}`)
    }
    if (!announced) turn.onWait(holder)
    announced = true
    await delay(RETRY_MS, undefined, { signal: turn.signal })
  }
}

const Holder = Type.Object({ pid: Type.Integer(), startedAtMs: Type.Number() })

/** null while the holder has not written it. Only the lock decides; the note is for people. */
function readHolder(note: string): ImportHolder | null {
  try {
    const holder: unknown = JSON.parse(readFileSync(note, "utf8"))
    return Value.Check(Holder, holder) ? holder : null
  } catch {
    return null
  }
}
