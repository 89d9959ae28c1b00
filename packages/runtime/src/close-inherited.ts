import { closeSync, fstatSync, readdirSync } from "node:fs"

/**
 * Closes the files a child has from its parent. Only lmdb opens files that a program started later
 * keeps: the index, which the processes that strangers reach must not hold. Called first, before
 * this process opens a file of its own.
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
