// What the tests of imports share: files to import, the command under way, and what an index then
// holds.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readdirSync, readSync, writeFileSync } from "node:fs"
import { constants } from "node:os"
import { join } from "node:path"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import type { Batch, Entry } from "../../packages/stores/src/exposure-index.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { storesOfStarted } from "../http/shared-stores.ts"
import { COMMAND_MS } from "./command-time.ts"
import { assayProgram } from "../../scripts/program.ts"

/** In every address and password of a combolist made here, so that a search finds each of them. */
const CANARIES = ["zqxjkv", Buffer.from("zqxjkv").toString("hex"), "enF4amt2", "pxeGprd", "6cXhqa3"]

export function emailAt(n: number): string {
  return `user${n}.zqxjkv@mail${n % 100}.example`
}

/** Writes a combolist of `rows` lines and a broken one after every thousand. Returns its path. */
export function combolist(path: string, rows: number): string {
  const lines: string[] = []
  for (let n = 0; n < rows; n++) {
    lines.push(`${emailAt(n)}:zqxjkv-${n % 777}`)
    if (n % 1000 === 999) lines.push("zqxjkv without an address")
  }
  writeFileSync(path, `${lines.join("\n")}\n`)
  return path
}

export interface RunningImport {
  readonly child: ChildProcess
  readonly pid: number
  output(): string
  /** The exit code, 128 + n for an end by signal n. */
  readonly ended: Promise<number>
  running(): boolean
}

/**
 * Starts `assay corpus import` in a process group of its own; `limits` are shell commands to run
 * before it.
 */
export function startImport(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  limits = "",
): RunningImport {
  const command = [process.execPath, ...assayProgram(), "corpus", "import", ...args]
  const child = spawn("/bin/sh", ["-c", `${limits} exec "$0" "$@"`, ...command], {
    env: { PATH: process.env["PATH"], ...storesOfStarted(env["ASSAY_DATA"] ?? ""), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    timeout: COMMAND_MS,
    killSignal: "SIGKILL",
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => void (output += text))
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    running: () => child.exitCode === null && child.signalCode === null,
    ended: once(child, "close").then(([code, signal]: unknown[]) =>
      typeof code === "number" ? code : 128 + constants.signals[signal as NodeJS.Signals],
    ),
  }
}

export interface Held {
  readonly batches: readonly Batch[]
  /** By address: what live batches say, without the number of the batch. */
  readonly entries: ReadonlyMap<string, readonly Omit<Entry, "batchId">[]>
}

/**
 * What the index says of the first `rows` addresses of a combolist. Rejects with the code `none`
 * where there is none.
 */
export async function heldIn(data: string, secretFile: string, rows: number): Promise<Held> {
  const { subkeys, checkValue } = openSecrets(secretFile, false)
  const index = await openLmdbIndex({ path: join(data, "index"), readOnly: true })
  try {
    await index.checkKeyCheckValue(checkValue)
    const entries = new Map<string, Omit<Entry, "batchId">[]>()
    for (let n = 0; n < rows; n++) {
      const email = parseEmail(emailAt(n))
      if ("fault" in email) throw new Error("not an address")
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical)
      const found = await index.holdings(key)
      entries.set(
        emailAt(n),
        found.entries.map(({ batchId: _, ...entry }) => entry),
      )
    }
    return { batches: [...(await index.catalogue()).batches.values()], entries }
  } finally {
    await index.close()
  }
}

/** Every file under the directory that holds one of the canaries. */
export function filesWithCanary(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(holdsCanary)
}

const PIECE_BYTES = 1 << 24
const OVERLAP_BYTES = 32

/** Piece by piece: a sorter's file may be larger than any text. */
function holdsCanary(path: string): boolean {
  const file = openIfThere(path)
  if (file === null) return false
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    for (let at = 0; ; at += PIECE_BYTES - OVERLAP_BYTES) {
      const length = readSync(file, piece, 0, PIECE_BYTES, at)
      const text = piece.toString("latin1", 0, length).toLowerCase()
      if (CANARIES.some((canary) => text.includes(canary.toLowerCase()))) return true
      if (length < PIECE_BYTES) return false
    }
  } finally {
    closeSync(file)
  }
}

/** Files of an import under way come and go; one that is gone holds nothing. */
function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}
