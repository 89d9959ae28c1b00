// Looks for what must not be there: in files, and in the memory of running processes.
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import { join } from "node:path"

/** Each text, of plain letters and digits, as programs keep such: one byte a character, or two. */
export function needlesOf(texts: readonly string[]): Buffer[] {
  const encodings = ["latin1", "utf16le"] as const
  return texts.flatMap((text) => encodings.map((encoding) => Buffer.from(text, encoding)))
}

/** The files below a folder, of a running service too: one that goes while it is read was empty. */
export function filesBelow(folder: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ path, bytes: bytesOf(path) }))
}

/** The files below a folder that hold one of these, by path. */
export function filesWith(folder: string, needles: readonly Buffer[]): string[] {
  return filesBelow(folder)
    .filter(({ path, bytes }) => holds(bytes, needles) || holds(Buffer.from(path), needles))
    .map(({ path }) => path)
}

/** A file that went since it was listed holds nothing. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0)
    throw error
  }
}

export function holds(bytes: Buffer, needles: readonly Buffer[]): boolean {
  return needles.some((needle) => bytes.includes(needle))
}

const STEP = 8 * 1024 * 1024

/** Whether the memory of a process holds one of these; false for a process that has ended. */
export function memoryHolds(pid: number, needles: readonly Buffer[]): boolean {
  try {
    return writableMemoryHolds(pid, needles)
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (["ENOENT", "ESRCH"].includes(code)) return false
    throw error
  }
}

/** proc_pid_maps(5), proc_pid_mem(5). */
function writableMemoryHolds(pid: number, needles: readonly Buffer[]): boolean {
  const overlap = Math.max(...needles.map(({ length }) => length))
  const memory = openMemory(pid)
  if (memory === null) return false
  const chunk = Buffer.alloc(STEP)
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      if (from === undefined || to === undefined) continue
      const end = Number.parseInt(to, 16)
      for (let at = Number.parseInt(from, 16); at < end; at += STEP - overlap) {
        const read = readOrNone(memory, chunk, Math.min(STEP, end - at), at)
        if (holds(chunk.subarray(0, read), needles)) return true
      }
    }
    return false
  } finally {
    closeSync(memory)
  }
}

/** Null for a process that ended since it was listed. */
function openMemory(pid: number): number | null {
  try {
    return openSync(`/proc/${pid}/mem`, "r")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}

/** A page that was given back meanwhile cannot be read, and holds nothing. */
function readOrNone(memory: number, into: Buffer, length: number, at: number): number {
  try {
    return readSync(memory, into, 0, length, at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EIO") return 0
    throw error
  }
}

/** The processes of a group, by number, with their command lines. */
export function processesOf(group: number): Map<number, string> {
  const found = new Map<number, string>()
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const [, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      if (Number(pgrp) !== group) continue
      found.set(Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " "))
    } catch {
      // It ended while it was looked at.
    }
  }
  return found
}
