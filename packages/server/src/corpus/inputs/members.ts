import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { basename } from "node:path"
import { InputError } from "./input-error.ts"
import { MemberFinder } from "./member-finder.ts"
import { SkipTally, type Skipped, type SkipReason } from "./skipped.ts"
import { filesUnder } from "./walk.ts"

export { InputError } from "./input-error.ts"
export { SKIP_REASONS, type Skipped, type SkipReason } from "./skipped.ts"

/** One file of an input: the file itself, or one inside a folder or archive. */
export interface Member {
  /** For the person at the terminal; never stored, since folders of logs are named after people and machines. */
  readonly name: string
  /** Place among all members of the import, from 1. */
  readonly number: number
  /** Where it lies on the disk; null for one that is packed. For formats that cannot be read from front to back. */
  readonly path: string | null
  /** When it was last written, as the disk or the archive says. */
  readonly modifiedMs: number
  /** Of a stealer's file of passwords: what its log says of the machine, among it the time. Null where nothing does. */
  readonly information: (() => AsyncIterable<Buffer>) | null
  /** What it holds, unpacked. Each call begins anew. Members are read one after the other. */
  bytes(): AsyncIterable<Buffer>
  /** Counts the member as read up to this part of it, 0 to 1, by whoever reads it by its path. */
  countRead(part: number): void
}

export interface Inputs {
  /** Bytes on the disk, packed as they are: what progress is counted in. */
  readonly totalBytes: number
  /** Bytes on the disk read so far, over all members. What is read again counts once. */
  readonly readBytes: () => number
  members(): AsyncIterable<Member>
  /** What the last run through the members left out: how many by reason, and the first of them by name. */
  readonly skippedCounts: () => ReadonlyMap<SkipReason, number>
  readonly skipped: () => readonly Skipped[]
  close(): Promise<void>
}

/** A file on the disk that the import reads. */
export interface InputFile {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly modifiedMs: number
  /** Where the machine's facts lie, of a stealer's file of passwords. */
  readonly information: string | null
  /** Named on the command line, so that leaving it out would be against what was asked. */
  readonly named: boolean
}

/** Opens what was named on the command line. Throws InputError. */
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
