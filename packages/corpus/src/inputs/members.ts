import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { basename } from "node:path"
import { InputError, type InputFile, type Member } from "./member.ts"
import { MemberFinder } from "./member-finder.ts"
import { SkipTally, type Skipped, type SkipReason } from "./skipped.ts"
import { filesUnder } from "./walk.ts"

export interface Inputs {
  /** Bytes on the disk, still packed: the unit of progress. */
  readonly totalBytes: number
  /** Bytes on the disk read so far, over all members. Bytes read again count once. */
  readonly readBytes: () => number
  members(): AsyncIterable<Member>
  /** What the last pass over the members left out: counts by reason, and the first names. */
  readonly skippedCounts: () => ReadonlyMap<SkipReason, number>
  readonly skipped: () => readonly Skipped[]
  close(): Promise<void>
}

/** Opens the inputs named on the command line. Throws InputError. */
export async function openInputs(paths: readonly string[]): Promise<Inputs> {
  const skippedByWalk = new SkipTally()
  const files: InputFile[] = []
  for (const path of paths) {
    try {
      files.push(...(await filesOf(path, skippedByWalk)))
    } catch (cause) {
      if (cause instanceof InputError) throw cause
      throw new InputError(`${path} cannot be read`, { cause })
    }
  }
  const finder = new MemberFinder(files, skippedByWalk)
  return {
    totalBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    readBytes: () => finder.readBytes,
    members: () => finder.members(),
    skippedCounts: () => finder.skipped.counts,
    skipped: () => finder.skipped.named,
    close: async () => finder.close(),
  }
}

async function filesOf(path: string, skipped: SkipTally): Promise<InputFile[]> {
  const stats = await stat(path)
  if (stats.isDirectory()) {
    const found = await filesUnder(path, skipped)
    for (const { path: file } of found) await access(file, constants.R_OK)
    const folder = basename(path)
    return found.map((file) => ({ ...file, name: `${folder}/${file.name}`, named: false }))
  }
  if (!stats.isFile()) throw new InputError(`${path} is neither a file nor a folder`)
  await access(path, constants.R_OK)
  const { size: bytes, mtimeMs: modifiedMs } = stats
  return [{ name: basename(path), path, bytes, modifiedMs, information: null, named: true }]
}
