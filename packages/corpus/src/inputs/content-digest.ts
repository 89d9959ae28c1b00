import { createHash, hash } from "node:crypto"
import { memoryOfSmallFile, smallFile, streamedPieces } from "./file-pieces.ts"
import { InputError } from "./member.ts"
import { pathsBegin, SeenDisk } from "./seen-disk.ts"

export interface ContentDigest {
  /** Identifies all named bytes, in any order of the names. */
  readonly sha256: string
  /** The same for each file and folder that was named, in a fixed order. */
  readonly inputs: readonly string[]
  /**
   * Sizes and times of the files before they were read: if it differs later, somebody wrote to them
   * meanwhile.
   */
  readonly stamp: string
}

/** What was named, as it lies on the disk. */
export interface NamedInputs {
  /** By name; the files of a folder in the order of their names. */
  readonly files: readonly (readonly FoundFile[])[]
  readonly bytes: number
}

/** Looks where the inputs are, and reads none of them. Throws InputError. */
export function namedInputs(
  paths: readonly string[],
  disk: SeenDisk = new SeenDisk(),
): NamedInputs {
  const files = paths.map((path) => filesOf(path, disk))
  return { files, bytes: files.flat().reduce((sum, { bytes }) => sum + bytes, 0) }
}

/**
 * Reads all of the inputs as they lie on the disk; `onBytes` gets how many more were read.
 * Throws InputError.
 */
export async function contentDigest(
  { files }: NamedInputs,
  onBytes: (more: number) => void = () => undefined,
): Promise<ContentDigest> {
  const digests: string[] = []
  const memory = memoryOfSmallFile()
  for (const named of files) {
    const contents: string[] = []
    // A file's own name is left out, since it says nothing about its content; inside a folder names
    // distinguish the files.
    for (const { path, within } of named)
      contents.push(within, await fileDigest(path, memory, onBytes))
    digests.push(sha256Of(contents))
  }
  digests.sort()
  return { sha256: sha256Of(digests), inputs: digests, stamp: stampOf(files) }
}

/** The same as for a file of these bytes, by their own digest. */
export function digestOfBytes(sha256: string): Pick<ContentDigest, "sha256" | "inputs"> {
  const digest = sha256Of(["", sha256])
  return { sha256: sha256Of([digest]), inputs: [digest] }
}

/** Sizes and times of all files of the inputs, as one value to compare. Throws InputError. */
export function inputStamp(paths: readonly string[]): string {
  return stampOf(namedInputs(paths).files)
}

function stampOf(files: NamedInputs["files"]): string {
  return sha256Of(files.flat().map(({ bytes, modified }) => `${bytes} ${modified}`))
}

interface FoundFile {
  readonly path: string
  /** The path inside the folder that was named; empty for a file that was named itself. */
  readonly within: string
  readonly bytes: number
  /** Which file it is, and when it was last written. */
  readonly modified: string
}

function filesOf(path: string, disk: SeenDisk): FoundFile[] {
  return readable(path, () => {
    const { isFile, isFolder } = disk.file(path)
    if (isFile) return [foundFile(path, "", disk)]
    if (!isFolder) throw new InputError(`${path} is neither a file nor a folder`)
    const files: FoundFile[] = []
    // Without what was named, so that `logs`, `logs/` and `./logs` are one folder.
    const begin = pathsBegin(path).length
    walk(path, disk, (file) => void files.push(foundFile(file, `/${file.slice(begin)}`, disk)))
    return files.sort((one, other) => (one.within < other.within ? -1 : 1))
  })
}

/** Files below a folder. Links are not followed, as they are not imported; Node's own walk does. */
function walk(folder: string, disk: SeenDisk, take: (file: string) => void): void {
  const begin = pathsBegin(folder)
  for (const entry of disk.list(folder)) {
    const path = `${begin}${entry.name}`
    if (entry.isDirectory()) readable(path, () => walk(path, disk, take))
    else if (entry.isFile()) readable(path, () => take(path))
  }
}

function foundFile(path: string, within: string, disk: SeenDisk): FoundFile {
  const { bytes, modifiedMs, ino } = disk.file(path)
  return { path, within, bytes, modified: `${ino} ${modifiedMs}` }
}

async function fileDigest(
  path: string,
  memory: Buffer,
  onBytes: (more: number) => void,
): Promise<string> {
  try {
    const whole = smallFile(path, memory)
    if (whole !== null) {
      onBytes(whole.length)
      return hash("sha256", whole, "hex")
    }
    const digest = createHash("sha256")
    for await (const piece of streamedPieces(path)) {
      digest.update(piece)
      onBytes(piece.length)
    }
    return digest.digest("hex")
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw cause instanceof InputError ? cause : unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): InputError {
  return new InputError(`${path} cannot be read`, { cause })
}

function sha256Of(parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts), "hex")
}
