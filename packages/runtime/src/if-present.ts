import { readdirSync, readFileSync } from "node:fs"

/** Whether an operation failed because there is no such file or directory. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT"
}

/** The text of a file; null where there is none. */
export function readIfPresent(file: string): string | null {
  return unlessMissing(() => readFileSync(file, "utf8"))
}

/** The names in a directory, sorted; none where there is no directory. */
export function namesIn(directory: string): string[] {
  return unlessMissing(() => readdirSync(directory).sort()) ?? []
}

function unlessMissing<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
