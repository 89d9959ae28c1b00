import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire, getCompileCacheDir } from "node:module"
import { basename, dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { crc32 } from "node:zlib"
import { isMissing } from "./if-present.ts"

const CHECKSUM_BYTES = 4

/**
 * By then a start is over, and what it calls has been compiled; on a busy machine, by the second.
 * Code that was kept too early would stay, and every later start compile the rest.
 */
const STARTED_MS = [1000, 5000]

/** A built script is a function that returns what the program exports. */
type Program = (
  require: NodeJS.Require,
  url: string,
  file: string,
  folder: string,
) => Record<string, never>

/**
 * Runs a program that was built as a script, and returns what it exports. Node keeps the code of a
 * module as it is before it runs, when hardly a function is compiled, and a start of the service
 * compiles three thousand. The code of a script is kept after a start, with all that it called.
 *
 * It lies where Node keeps code, in a folder for this version, machine and user. A script's name
 * holds a hash of its contents, so that code is never taken for another script's.
 */
export function runScript(script: URL): Record<string, never> {
  const file = fileURLToPath(script)
  const folder = getCompileCacheDir()
  const place = folder === undefined ? null : join(folder, `${basename(file)}.code`)
  const kept = place === null ? null : readCode(place)
  // Built files are ASCII. Read as such, a character takes one byte.
  const compiled = new Script(readFileSync(file, "latin1"), {
    filename: script.href,
    ...(kept !== null && { cachedData: kept }),
  })
  // Code of another version or with other flags of V8 is refused, and made anew.
  if (place !== null && compiled.cachedDataRejected !== false) keepOnceStarted(compiled, place)
  if (kept !== null) letGo(kept)
  const program = compiled.runInThisContext() as Program
  return program(createRequire(file), script.href, file, dirname(file))
}

/**
 * Null where there is none, or it is not as it was kept: V8 would run code with a flipped bit, and
 * a power cut can leave a file without its contents.
 */
function readCode(place: string): Buffer<ArrayBuffer> | null {
  let file: Buffer<ArrayBuffer>
  try {
    file = readFileSync(place)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  if (file.length < CHECKSUM_BYTES) return null
  const code = file.subarray(0, -CHECKSUM_BYTES)
  return crc32(code) === file.readUInt32LE(code.length) ? code : null
}

/**
 * Frees megabytes that V8 has read, which would stay until all of the heap is collected. A small
 * file lies in memory that buffers share.
 */
function letGo({ buffer, length }: Buffer<ArrayBuffer>): void {
  if (buffer.byteLength === length + CHECKSUM_BYTES) buffer.transfer(0)
}

function withChecksum(code: Buffer): Buffer {
  const file = Buffer.alloc(code.length + CHECKSUM_BYTES)
  code.copy(file)
  file.writeUInt32LE(crc32(code), code.length)
  return file
}

/** Keeps the code when a start is over, or at the end of a process that ends before. */
function keepOnceStarted(compiled: Script, place: string): void {
  const keep = (): void => {
    try {
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
      writeFileSync(`${place}.${process.pid}`, withChecksum(compiled.createCachedData()), {
        mode: 0o600,
      })
      renameSync(`${place}.${process.pid}`, place)
      removeOlder(place)
    } catch {
      // A full disk, for one. The next start compiles again, and keeps what it can.
    }
  }
  for (const ms of STARTED_MS) setTimeout(keep, ms).unref()
  process.once("exit", keep)
  setTimeout(() => process.removeListener("exit", keep), Math.max(...STARTED_MS)).unref()
}

/** Removes what was kept of the same program as it was before: NAME-HASH.script.js.code. */
function removeOlder(place: string): void {
  const [folder, own] = [dirname(place), basename(place)]
  const program = own.slice(0, own.lastIndexOf("-") + 1)
  for (const name of readdirSync(folder))
    if (name !== own && name.startsWith(program) && name.endsWith(".script.js.code"))
      rmSync(join(folder, name), { force: true })
}
