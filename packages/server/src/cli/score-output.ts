import { existsSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { once } from "node:events"
import type { Writable } from "node:stream"
import { CommandError } from "./terminal.ts"

export interface Output {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Makes the output whole, under its own name. */
  commit(): Promise<void>
  /**
   * Keeps what was written under its temporary name and returns that name; null if it is not worth
   * keeping or there is no file.
   */
  abandon(keep: boolean): Promise<string | null>
}

/** Bytes gathered before they are written: a row is small, a write is not free. */
const GATHERED = 64 * 1024

/** Refuses an output that exists, before anything is read. */
export function refuseExisting(path: string, force: boolean): void {
  if (path !== "-" && !force && existsSync(path))
    throw new CommandError("--out names a file that exists; --force replaces it")
}

/**
 * A file that has its name only when it is whole: a run that was killed leaves a `.partial`, never
 * half a result.
 */
export async function fileOutput(path: string): Promise<Output> {
  const partial = `${path}.partial`
  let file: FileHandle
  try {
    file = await open(partial, "w", 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`--out cannot be written (${code ?? "unknown"})`, { cause: error })
  }
  let gathered = ""
  const flush = async (): Promise<void> => {
    const text = gathered
    gathered = ""
    await file.write(text)
  }
  return {
    async write(text) {
      gathered += text
      if (gathered.length >= GATHERED) await flush()
    },
    async commit() {
      await flush()
      await file.sync()
      await file.close()
      await rename(partial, path)
    },
    async abandon(keep) {
      await flush()
      await file.close()
      if (keep) return partial
      await rm(partial)
      return null
    },
  }
}

/** Standard output, or another stream. Whole is whatever was written to it. */
export function streamOutput(stream: Writable): Output {
  let gone = false
  let cause: unknown = undefined
  stream.once("error", (error) => (cause = error))
  // Standard output undoes its own destruction, so `destroyed` is not enough.
  for (const event of ["error", "close"]) stream.once(event, () => (gone = true))
  const requireReader = (): void => {
    if (gone || stream.destroyed)
      throw new CommandError("Nobody reads the output any more", { cause })
  }
  return {
    async write(text) {
      requireReader()
      if (stream.write(text)) return
      // Remove the listener of the event that did not come: a long output waits often.
      const waiting = new AbortController()
      const { signal } = waiting
      await Promise.race([
        once(stream, "drain", { signal }),
        once(stream, "close", { signal }),
      ]).catch(() => undefined)
      waiting.abort()
      requireReader()
    },
    async commit() {
      requireReader()
      await new Promise<void>((resolve) => void stream.write("", () => resolve()))
    },
    abandon: async () => null,
  }
}
