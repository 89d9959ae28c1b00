import type { Writable } from "node:stream"
import type { EntryKind } from "@assay/stores/entry"
import { writeDrained } from "@assay/runtime/drained"
import { blocksOf } from "../formats/formats.ts"
import { type ContentDigest, digestOfBytes, inputStamp } from "../inputs/content-digest.ts"
import { InputError } from "../inputs/member.ts"
import { type Inputs, openInputs, openStreamedInput } from "../inputs/members.ts"
import type { StreamedInput } from "../inputs/streamed-input.ts"
import type { Dating } from "./taken-as.ts"
import type { Examined } from "./examine.ts"
import { ImportFailure, readerFailure } from "./import-failure.ts"
import { END_FRAME } from "./keyed-rows.ts"
import type { KeyerOptions } from "./keyer.ts"
import { ParsingPool } from "./parsing-pool.ts"
import type { BlockDone } from "./reader-thread.ts"
import { type RejectCounts, RejectFile } from "./reject-file.ts"

export interface ReadJob {
  readonly paths: readonly string[]
  readonly keyer: KeyerOptions
  /**
   * By member: what its rows are taken for; the keyer's options hold for all that are not named.
   */
  readonly members: ReadonlyMap<number, MemberRows>
  readonly threads: number
  /** Where the rejected rows are listed. */
  readonly rejects: string
}

/** The kind and date of rows in a member that do not give their own. */
export interface MemberRows {
  readonly kind: EntryKind
  readonly hours: number
  readonly dating: Dating
}

export interface ReadProgress {
  /** As they lie on the disk, packed. */
  readonly bytes: number
  readonly rows: number
  readonly rejected: number
  /** The name of the file being read; for an archive with the name of its member. */
  readonly member: string
}

export interface ReadTally {
  readonly rows: number
  readonly rejects: RejectCounts
  readonly kinds: Readonly<Partial<Record<EntryKind, number>>>
  /** By what dated them. */
  readonly datings: Readonly<Partial<Record<Dating, number>>>
}

/** What was read, and of a stream, what it was. */
export interface ReadResult {
  readonly tally: ReadTally
  /** null where the input was examined as a whole before. */
  readonly digest: Pick<ContentDigest, "sha256" | "inputs"> | null
}

/**
 * How many blocks are held for each thread: one in work and one waiting, so that the thread never
 * waits.
 */
const BLOCKS_A_THREAD = 2
const PROGRESS_MS = 250

/**
 * Reads the inputs that were examined, keys their rows and writes them as frames, the last frame at
 * the end. Blocks are parsed in any order and written in the order of the input, so the same input
 * gives the same frames and rejects. Memory use does not depend on the size of the input.
 */
export async function readInputs(
  job: ReadJob,
  examined: Examined,
  out: Writable,
  onProgress: (progress: ReadProgress) => void,
  stream: StreamedInput | null = null,
): Promise<ReadResult> {
  const inputs = stream === null ? await openInputs(job.paths) : openStreamedInput(stream)
  const pool = new ParsingPool(job.threads, job.keyer)
  const rejects = new RejectFile(job.rejects)
  const read = { rows: 0, rejected: 0, member: "" }
  const timer = setInterval(() => onProgress({ bytes: inputs.readBytes(), ...read }), PROGRESS_MS)
  try {
    const turns: Turn[] = []
    let place = { member: 0, lines: 0 }
    const kinds = new Tally<EntryKind>()
    const datings = new Tally<Dating>()
    const finish = async ({ member, name, parsing }: Turn): Promise<void> => {
      const done = await parsed(name, parsing)
      const { lines, rows, frames, rejects: rejected, datedByRow } = done
      for (const [kind, count] of done.kinds) kinds.add(kind, count)
      datings.add("row", datedByRow)
      datings.add(job.members.get(member)?.dating ?? "source", rows - datedByRow)
      if (place.member !== member) place = { member, lines: 0 }
      for (const frame of frames) await writeDrained(out, frame)
      for (const { line, reason } of rejected) await rejects.add(member, place.lines + line, reason)
      place.lines += lines
      read.rows += rows
      read.rejected += rejected.length
    }
    const begins = (member: string): void => {
      stream?.readOn()
      read.member = member
      onProgress({ bytes: inputs.readBytes(), ...read })
    }
    for await (const turn of blockTurns(inputs, examined, pool, job.members, begins)) {
      turns.push(turn)
      if (turns.length >= job.threads * BLOCKS_A_THREAD) await finish(turns.shift() as Turn)
    }
    for (const turn of turns) await finish(turn)
    if (stream === null && (await inputStamp(job.paths)) !== examined.stamp) {
      throw new InputError("The input changed while it was read")
    }
    const digest = stream === null ? null : digestOfBytes(await stream.sha256())
    await rejects.commit()
    await writeDrained(out, END_FRAME)
    onProgress({ bytes: inputs.readBytes(), ...read })
    const tally = {
      rows: read.rows,
      rejects: rejects.counts,
      kinds: kinds.counts(),
      datings: datings.counts(),
    }
    return { tally, digest }
  } catch (error) {
    await rejects.abandon()
    throw readerFailure(error, `${read.member || "The input"} could not be read`)
  } finally {
    clearInterval(timer)
    await Promise.all([pool.close(), inputs.close()])
  }
}

/** A block on its way through the pool. */
interface Turn {
  readonly member: number
  readonly name: string
  readonly parsing: Promise<BlockDone>
}

async function* blockTurns(
  inputs: Inputs,
  examined: Examined,
  pool: ParsingPool,
  members: ReadJob["members"],
  begins: (member: string) => void,
): AsyncGenerator<Turn> {
  const formats = new Map(examined.members.map(({ number, detected }) => [number, detected]))
  for await (const member of inputs.members()) {
    const detected = formats.get(member.number)
    if (detected === null) continue
    if (detected === undefined) throw new InputError("The input changed while it was read")
    begins(member.name)
    for await (const block of blocksOf(member, detected)) {
      const parsing = pool.run(detected.format, block, members.get(member.number) ?? null)
      // Awaited when its turn comes; until then a failure must not count as unhandled.
      parsing.catch(() => undefined)
      yield { member: member.number, name: member.name, parsing }
    }
  }
}

/** Counts by name. */
class Tally<Name extends string> {
  readonly #counts = new Map<Name, number>()

  add(name: Name, count: number): void {
    if (count > 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
  }

  counts(): Partial<Record<Name, number>> {
    return Object.fromEntries(this.#counts) as Partial<Record<Name, number>>
  }
}

/**
 * Adds the name of the parsed file to a parser's failure: the reader may be at another file by
 * then.
 */
async function parsed(name: string, parsing: Promise<BlockDone>): Promise<BlockDone> {
  try {
    return await parsing
  } catch (error) {
    const { code, message } = readerFailure(error)
    throw new ImportFailure(code, `${message}, at ${name}`)
  }
}
