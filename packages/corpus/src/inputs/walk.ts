import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { SkipTally } from "./skipped.ts"
import { informationOfLogs, otherPartsOfLogs } from "./stealer-log.ts"

export interface FoundFile {
  /** From the folder that was walked, with slashes. */
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly modifiedMs: number
  /** Of a stealer's log: the file that holds the machine's facts. */
  readonly information: string | null
}

/**
 * The files of a folder and of its subfolders, in the order of their names, whatever order the disk
 * gives. Links are not followed: they may lead out of the folder, or round in a circle.
 */
export async function filesUnder(folder: string, skipped: SkipTally): Promise<FoundFile[]> {
  const names: string[] = []
  await walk(folder, "", names, skipped)
  const leftOut = otherPartsOfLogs(names)
  const informationOf = informationOfLogs(names)
  const files: FoundFile[] = []
  for (const name of names) {
    if (leftOut(name)) {
      skipped.add(name, "other-part-of-a-log")
      continue
    }
    const path = join(folder, name)
    const { size, mtimeMs } = await stat(path)
    const information = informationOf(name)
    files.push({
      name,
      path,
      bytes: size,
      modifiedMs: mtimeMs,
      information: information === null ? null : join(folder, information),
    })
  }
  return files
}

async function walk(
  root: string,
  below: string,
  names: string[],
  skipped: SkipTally,
): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`
    if (entry.name.startsWith(".")) skipped.add(name, "hidden")
    else if (entry.isSymbolicLink()) skipped.add(name, "link")
    else if (entry.isDirectory()) await walk(root, name, names, skipped)
    else if (entry.isFile()) names.push(name)
    else skipped.add(name, "not-a-file")
  }
}
