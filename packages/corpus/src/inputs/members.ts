import { basename } from "node:path"
import { InputError, type InputFile, type Member } from "./member.ts"
import { beginningBytes, MemberFinder } from "./member-finder.ts"
import { type FoundInputs, pathsBegin, SeenDisk } from "./seen-disk.ts"
import { SkipTally, type Skipped, type SkipReason } from "./skipped.ts"
import { informationOfLogs, otherPartsOfLogs } from "./stealer-log.ts"
import type { StreamedInput } from "./streamed-input.ts"

export interface Inputs {
  /** Bytes on the disk, still packed: the unit of progress. */
  readonly totalBytes: number
  /** Bytes on the disk read so far, over all members. Bytes read again count once. */
  readonly readBytes: () => number
  /** The bytes of the beginnings of all files, as far as they are looked at. */
  readonly beginningsBytes: number
  /** Those of the files that the last pass over the members is done with. */
  readonly passedBytes: () => number
  members(): AsyncIterable<Member>
  /** What the last pass over the members left out: counts by reason, and the first names. */
  readonly skippedCounts: () => ReadonlyMap<SkipReason, number>
  readonly skipped: () => readonly Skipped[]
  close(): Promise<void>
}

/** Opens the inputs named on the command line. Throws InputError. */
export function openInputs(paths: readonly string[], disk: SeenDisk = new SeenDisk()): Inputs {
  const { files, skipped } = disk.inputs(paths, () => findInputs(paths, disk))
  return inputsOf(files, skipped)
}

function findInputs(paths: readonly string[], disk: SeenDisk): FoundInputs {
  const skipped = new SkipTally()
  const files: InputFile[] = []
  for (const path of paths) {
    try {
      files.push(...filesOf(path, skipped, disk))
    } catch (cause) {
      if (cause instanceof InputError) throw cause
      throw new InputError(`${path} cannot be read`, { cause })
    }
  }
  return { files, skipped }
}

/** The one input that arrives on a stream. */
export function openStreamedInput(stream: StreamedInput): Inputs {
  const { name, bytes } = stream.said
  // A stream does not say when its file was written.
  const file = { name, path: null, stream, bytes, modifiedMs: NaN, information: null, named: true }
  return inputsOf([file], new SkipTally())
}

function inputsOf(files: readonly InputFile[], skippedByWalk: SkipTally): Inputs {
  const finder = new MemberFinder(files, skippedByWalk)
  return {
    totalBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    readBytes: () => finder.readBytes,
    beginningsBytes: files.reduce((sum, file) => sum + beginningBytes(file), 0),
    passedBytes: () => finder.passedBytes,
    members: () => finder.members(),
    skippedCounts: () => finder.skipped.counts,
    skipped: () => finder.skipped.named,
    close: async () => finder.close(),
  }
}

function filesOf(path: string, skipped: SkipTally, disk: SeenDisk): InputFile[] {
  const { isFile, isFolder, bytes, modifiedMs } = disk.file(path)
  if (isFolder) {
    const found = filesUnder(path, skipped, disk)
    for (const { path: file } of found) disk.requireReadable(file)
    const folder = basename(path)
    return found.map((file) => ({ ...file, name: `${folder}/${file.name}`, named: false }))
  }
  if (!isFile) throw new InputError(`${path} is neither a file nor a folder`)
  disk.requireReadable(path)
  return [{ name: basename(path), path, bytes, modifiedMs, information: null, named: true }]
}

interface FoundFile {
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
function filesUnder(folder: string, skipped: SkipTally, disk: SeenDisk): FoundFile[] {
  const names: string[] = []
  const begin = pathsBegin(folder)
  walk(folder, "", names, skipped, disk)
  const leftOut = otherPartsOfLogs(names)
  const informationOf = informationOfLogs(names)
  const files: FoundFile[] = []
  for (const name of names) {
    if (leftOut(name)) {
      skipped.add(name, "other-part-of-a-log")
      continue
    }
    const path = `${begin}${name}`
    const { bytes, modifiedMs } = disk.file(path)
    const information = informationOf(name)
    files.push({
      name,
      path,
      bytes,
      modifiedMs,
      information: information === null ? null : `${begin}${information}`,
    })
  }
  return files
}

function walk(
  folder: string,
  below: string,
  names: string[],
  skipped: SkipTally,
  disk: SeenDisk,
): void {
  const begin = pathsBegin(folder)
  for (const entry of disk.list(folder)) {
    const name = `${below}${entry.name}`
    if (entry.name.startsWith(".")) skipped.add(name, "hidden")
    else if (entry.isSymbolicLink()) skipped.add(name, "link")
    else if (entry.isDirectory()) walk(`${begin}${entry.name}`, `${name}/`, names, skipped, disk)
    else if (entry.isFile()) names.push(name)
    else skipped.add(name, "not-a-file")
  }
}
