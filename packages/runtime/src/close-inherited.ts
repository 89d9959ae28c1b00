import { closeSync, fstatSync, readdirSync } from "node:fs"

/**
 * Closes the files a child inherits from its parent. Only lmdb opens files that later programs
 * inherit: the index, which the processes that strangers reach must not hold. Called first, before
 * this process opens any file.
 */
export function closeInheritedFiles(): void {
  for (const name of readdirSync("/dev/fd")) {
    const file = Number(name)
    try {
      if (file > 2 && fstatSync(file).isFile()) closeSync(file)
    } catch {
      // The listing's own, which is closed by now.
    }
  }
}
