import { closeSync, openSync, readSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { isMissing } from "@assay/runtime/if-present"
import { REJECT_REASONS, type RejectReason } from "../formats/parsed-row.ts"
import { InputError } from "../inputs/member.ts"
import { readerFailure } from "./import-failure.ts"

const HEADER = "file,line,reason\n"
const HELD_CHARACTERS = 65_536

/**
 * The list of rows that were not imported: the number of the file, the line and the reason, in the
 * order of the input. It holds nothing of a row. The file gets its name once it is complete, and
 * only if it is not empty.
 */
export class RejectFile {
  readonly #path: string
  readonly counts: Partial<Record<RejectReason, number>> = {}
  #file: FileHandle | null = null
  #held = ""

  constructor(path: string) {
    this.#path = path
  }

  async add(member: number, line: number, reason: RejectReason): Promise<void> {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1
    this.#held += `${member},${line},${reason}\n`
    if (this.#held.length >= HELD_CHARACTERS) await this.#write()
  }

  async commit(): Promise<void> {
    if (this.#held !== "") await this.#write()
    const file = this.#file
    if (file === null) return
    await written(async () => {
      await file.sync()
      await file.close()
      this.#file = null
      await rename(unfinishedRejects(this.#path), this.#path)
    })
  }

  async abandon(): Promise<void> {
    if (this.#file === null) return
    await this.#file.close()
    this.#file = null
    await rm(unfinishedRejects(this.#path), { force: true })
  }

  async #write(): Promise<void> {
    await written(async () => {
      if (this.#file === null) {
        this.#file = await open(unfinishedRejects(this.#path), "w", 0o600)
        await this.#file.writeFile(HEADER)
      }
      await this.#file.writeFile(this.#held)
    })
    this.#held = ""
  }
}

/** Under which name the list is written, before it is complete. */
export function unfinishedRejects(path: string): string {
  return `${path}.new`
}

/** A failure here is about the list, not about the input. */
async function written(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw readerFailure(error, "The list of rejected rows could not be written")
  }
}

/** Refuses to overwrite a file that is not ours: a slip of the hand may name the input itself. */
export function refuseForeignFile(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (error) {
    if (isMissing(error)) return
    throw new InputError(`${path} cannot be written`, { cause: error })
  }
  try {
    const head = Buffer.alloc(HEADER.length)
    readSync(descriptor, head)
    if (head.toString("latin1") === HEADER) return
  } finally {
    closeSync(descriptor)
  }
  throw new InputError(`${path} exists and is no list of rejected rows; name another file`)
}

export type RejectCounts = Readonly<Partial<Record<RejectReason, number>>>

/** By count, the most frequent first; equal ones in the order of REJECT_REASONS. */
export function rejectsByCount(counts: RejectCounts): [RejectReason, number][] {
  return (Object.keys(REJECT_REASONS) as RejectReason[])
    .map((reason): [RejectReason, number] => [reason, counts[reason] ?? 0])
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
}
