import { createHash } from "node:crypto"
import { opendir, stat } from "node:fs/promises"
import { join } from "node:path"
import { fileSha256 } from "@assay/runtime/file-sha256"
import { InputError } from "./member.ts"

export interface ContentDigest {
  /** Identifies all named bytes, in any order of the names. */
  readonly sha256: string
  /** The same for each file and folder that was named, in a fixed order. */
  readonly inputs: readonly string[]
  /** Sizes and times of the files: if it differs later, somebody wrote to them meanwhile. */
  readonly stamp: string
}

/**
 * Reads all of the inputs as they lie on the disk; `onBytes` gets how many more were read.
 * Throws InputError.
 */
export async function contentDigest(
  paths: readonly string[],
  onBytes: (more: number) => void = () => undefined,
): Promise<ContentDigest> {
  const digests: string[] = []
  for (const path of paths) {
    const contents: string[] = []
    // A file's own name is left out, since it says nothing about its content; inside a folder names
    // distinguish the files.
    for (const { path: file, within } of await filesOf(path)) {
      contents.push(within, await readable(file, (each) => fileSha256(each, onBytes)))
    }
    digests.push(sha256Of(contents))
  }
  digests.sort()
  return { sha256: sha256Of(digests), inputs: digests, stamp: await inputStamp(paths) }
}

/** The same as for a file of these bytes, by their own digest. */
export function digestOfBytes(sha256: string): Pick<ContentDigest, "sha256" | "inputs"> {
  const digest = sha256Of(["", sha256])
  return { sha256: sha256Of([digest]), inputs: [digest] }
}

/** How many bytes the inputs have on the disk. Throws InputError. */
export async function inputBytes(paths: readonly string[]): Promise<number> {
  let bytes = 0
  for (const path of paths) {
    for (const { path: file } of await filesOf(path)) {
      bytes += (await readable(file, (each) => stat(each))).size
    }
  }
  return bytes
}

/** Sizes and times of all files of the inputs, as one value to compare. */
export async function inputStamp(paths: readonly string[]): Promise<string> {
  const stamps: string[] = []
  for (const path of paths) {
    for (const { path: file } of await filesOf(path)) {
      const { size, mtimeMs, ino } = await readable(file, (each) => stat(each))
      stamps.push(`${ino} ${size} ${mtimeMs}`)
    }
  }
  return sha256Of(stamps)
}

interface FoundFile {
  readonly path: string
  /** The path inside the folder that was named; empty for a file that was named itself. */
  readonly within: string
}

async function filesOf(path: string): Promise<FoundFile[]> {
  const found = await readable(path, (each) => stat(each))
  if (found.isFile()) return [{ path, within: "" }]
  if (!found.isDirectory()) throw new InputError(`${path} is neither a file nor a folder`)
  const files: FoundFile[] = []
  for await (const entry of await readable(path, (folder) =>
    opendir(folder, { recursive: true }),
  )) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) files.push({ path: file, within: file.slice(path.length) })
  }
  return files.sort((one, other) => (one.within < other.within ? -1 : 1))
}

async function readable<T>(path: string, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(path)
  } catch (cause) {
    throw new InputError(`${path} cannot be read`, { cause })
  }
}

function sha256Of(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex")
}
