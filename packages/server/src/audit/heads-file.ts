import { constants, createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { createInterface } from "node:readline"
import { Explained } from "@assay/runtime/explained"
import { isMissing } from "@assay/runtime/if-present"
import { headSeal, isSame, type SealedHead } from "@assay/stores/audit-chain"

// Heads of the audit trail outside of the database, a line of JSON each: whoever can change the
// database and cut off its newest entries cannot change what this file says of them.

export interface HeadsRead {
  /** In the order in which they were written. */
  readonly heads: readonly SealedHead[]
  /** Lines that this secret has not sealed: of another secret, damaged, or forged. */
  readonly strangeLines: number
}

const LF = 10

export function headLine(key: Uint8Array, head: SealedHead): string {
  const { at, kind, seq, mac } = head
  const line = {
    at: new Date(at).toISOString(),
    kind,
    seq,
    mac: hexOf(mac),
    seal: hexOf(headSeal(key, head)),
  }
  return JSON.stringify(line)
}

/** Appends a head; when it resolves the line survives a power cut. Throws `audit-heads`. */
export async function appendHead(path: string, line: string): Promise<void> {
  try {
    const { O_RDWR, O_APPEND, O_CREAT } = constants
    const file = await open(path, O_RDWR | O_APPEND | O_CREAT, 0o600)
    try {
      const { size } = await file.stat()
      // What a full disk or a power cut left of a line is ended, so that this one stands alone.
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
      const isWhole = size === 0 || buffer[0] === LF
      await file.appendFile(`${isWhole ? "" : "\n"}${line}\n`)
      await file.datasync()
      if (size === 0) await syncFolder(path)
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw headsError(path, "written", cause)
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), "r")
  await folder.sync().finally(() => folder.close())
}

/** What the file holds; nothing where there is none. Throws `audit-heads`. */
export async function readHeads(path: string, key: Uint8Array): Promise<HeadsRead> {
  const heads: SealedHead[] = []
  let strangeLines = 0
  try {
    const file = await open(path, "r").catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (file === null) return { heads, strangeLines }
    await file.close()
    for await (const line of createInterface(createReadStream(path))) {
      const head = readLine(line, key)
      if (head !== null) heads.push(head)
      else if (line !== "") strangeLines++
    }
  } catch (cause) {
    throw headsError(path, "read", cause)
  }
  return { heads, strangeLines }
}

/** Null where the line is not one that this key has sealed. */
function readLine(line: string, key: Uint8Array): SealedHead | null {
  try {
    const { at, kind, seq, mac, seal } = JSON.parse(line) as Record<string, unknown>
    if (kind !== "head" && kind !== "restored") return null
    if (!Number.isSafeInteger(seq) || typeof at !== "string") return null
    // Only as it is written: other spellings of the same moment were not written by us.
    if (new Date(at).toISOString() !== at) return null
    const head: SealedHead = { at: Date.parse(at), kind, seq: seq as number, mac: bytesOf(mac) }
    return isSame(headSeal(key, head), bytesOf(seal)) ? head : null
  } catch {
    return null
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

function bytesOf(hex: unknown): Uint8Array {
  if (typeof hex !== "string" || !/^[0-9a-f]{64}$/.test(hex)) throw new TypeError("No proof")
  return new Uint8Array(Buffer.from(hex, "hex"))
}

function headsError(path: string, done: "read" | "written", cause: unknown): Explained {
  const { code = "unknown" } = cause as NodeJS.ErrnoException
  return new Explained(
    "audit-heads",
    `The heads of the audit trail in ${path} cannot be ${done} (${code}). ASSAY_AUDIT_HEADS names a file outside of the data directory that this user can write`,
    { cause },
  )
}
