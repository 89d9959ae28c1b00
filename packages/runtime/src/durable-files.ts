import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"

/**
 * Writes a file that is there in full or not at all, also after a power cut; only its owner can
 * read it. `beside` is where it is written first: two writers at once take two names.
 */
export async function writeDurably(
  path: string,
  text: string,
  beside = `${path}.new`,
): Promise<void> {
  try {
    const file = await open(beside, "w", 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await renameDurably(beside, path)
  } catch (error) {
    // What was in the way of it is not ours.
    await rm(beside, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Renames within a directory; resolves when the new name is on the disk. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  const directory = await open(dirname(to), "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Brings a directory with all files and directories in it to the disk. */
export function syncTree(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(directory)
}

function syncPath(path: string): void {
  const file = openSync(path, "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
