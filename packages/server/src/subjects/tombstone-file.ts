import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { dirname } from "node:path"
import { isMissing } from "@assay/runtime/if-present"
import type { Tombstone } from "@assay/stores/records-subjects"
import { Explained } from "@assay/runtime/explained"

/**
 * Who was erased, kept outside of the data directory: a backup made before an erasure still holds
 * the person, and only a file that is not restored with it can say so. A line is the identity's
 * key, which is a keyed hash, and when it was erased.
 */
export interface TombstoneFile {
  /** When it resolves the tombstone survives a power cut. */
  add(tombstone: Tombstone): Promise<void>
  /** Each identity once, with the first moment. */
  readonly tombstones: readonly Tombstone[]
}

const TITLE = "assay tombstones 1"
const LINE = /^([0-9a-f]{32}) (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/
const MODE = 0o600
const LF = 10

/** Opens the file, made where there is none; only its owner can read it. Throws `tombstones`. */
export async function openTombstones(path: string, checkValue: string): Promise<TombstoneFile> {
  const tombstones = await orTombstonesError(path, async () => {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, MODE)
    try {
      // A file that was copied may have another mode.
      await file.chmod(MODE)
      return await completed(file, path, checkValue)
    } finally {
      await file.close()
    }
  })
  let last: Promise<unknown> = Promise.resolve()
  return {
    tombstones,
    add(tombstone) {
      const added = last.then(() => orTombstonesError(path, () => append(path, lineOf(tombstone))))
      // The caller gets this error; the next tombstone starts clean.
      last = added.catch(() => undefined)
      return added
    },
  }
}

/**
 * What the file holds; null if there is no file, or none for this secret. Changes nothing. Throws
 * `tombstones`.
 */
export async function readTombstones(
  path: string,
  checkValue: string,
): Promise<readonly Tombstone[] | null> {
  return await orTombstonesError(path, async () => {
    const file = await open(path, "r").catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (file === null) return null
    try {
      const text = wholeLines(await file.readFile()).toString()
      const ofAnother = isTitleAlone(text) && text !== `${TITLE} ${checkValue}\n`
      return text === "" || ofAnother ? null : tombstonesIn(text, path, checkValue)
    } finally {
      await file.close()
    }
  })
}

/**
 * Cuts off a half-written line, whose erasure was never acknowledged, and writes the title if it is
 * missing.
 */
async function completed(
  file: FileHandle,
  path: string,
  checkValue: string,
): Promise<readonly Tombstone[]> {
  const bytes = await file.readFile()
  const lines = wholeLines(bytes)
  const text = lines.toString()
  if (text !== "" && !isTitleAlone(text)) {
    const tombstones = tombstonesIn(text, path, checkValue)
    if (lines.length < bytes.length) await file.truncate(lines.length)
    return tombstones
  }
  // Nobody was erased yet. A service that begins anew, with another secret, goes on with the same
  // file.
  await file.truncate(0)
  await file.write(`${TITLE} ${checkValue}\n`, 0)
  await file.sync()
  const folder = await open(dirname(path), "r")
  await folder.sync().finally(() => folder.close())
  return []
}

/**
 * Never makes a new file: if the old one was moved away, a new one would lack its erasures. A line
 * that a full disk left half written is cut off first: its erasure was refused, and the next line
 * must not be appended to it.
 */
async function append(path: string, line: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_APPEND)
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
    if (buffer[0] !== LF) await file.truncate(wholeLines(await file.readFile()).length)
    await file.appendFile(line)
    await file.datasync()
  } finally {
    await file.close()
  }
}

function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(LF) + 1)
}

function isTitleAlone(text: string): boolean {
  return text.startsWith(`${TITLE} `) && text.indexOf("\n") === text.length - 1
}

function tombstonesIn(text: string, path: string, checkValue: string): readonly Tombstone[] {
  const [title = "", ...lines] = text.split("\n").slice(0, -1)
  if (!title.startsWith(`${TITLE} `))
    throw new Explained("tombstones", `${path} holds no tombstones`)
  if (title !== `${TITLE} ${checkValue}`) {
    throw new Explained(
      "tombstones",
      `${path} belongs to another master secret. Name the file of this one in ASSAY_TOMBSTONES, or move it away where its data is gone`,
    )
  }
  const first = new Map<string, Tombstone>()
  for (const [n, line] of lines.entries()) {
    const [, key, time] = LINE.exec(line) ?? []
    if (key === undefined || time === undefined) {
      throw new Explained("tombstones", `${path} is damaged at line ${n + 2}`)
    }
    const identityKey = new Uint8Array(Buffer.from(key, "hex"))
    if (!first.has(key)) first.set(key, { identityKey, erasedAt: Date.parse(time) })
  }
  return [...first.values()]
}

function lineOf({ identityKey, erasedAt }: Tombstone): string {
  return `${Buffer.from(identityKey).toString("hex")} ${new Date(erasedAt).toISOString()}\n`
}

async function orTombstonesError<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof Explained) throw cause
    const { code = "unknown" } = cause as NodeJS.ErrnoException
    throw new Explained(
      "tombstones",
      `The tombstones in ${path} cannot be read or written (${code}). ASSAY_TOMBSTONES names a file outside of the data directory that this user can write`,
      { cause },
    )
  }
}
