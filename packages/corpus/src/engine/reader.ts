import type { Writable } from "node:stream"
import type { EntryKind } from "@assay/stores/entry"
import { writeDrained } from "@assay/runtime/drained"
import { blocksOf } from "../formats/formats.ts"
import { type ContentDigest, digestOfBytes, inputStamp } from "../inputs/content-digest.ts"
import { InputError } from "../inputs/member.ts"
import { type Inputs, openInputs, openStreamedInput } from "../inputs/members.ts"
import { SeenDisk } from "../inputs/seen-disk.ts"
import type { StreamedInput } from "../inputs/streamed-input.ts"
import type { Dating } from "./taken-as.ts"
import type { Examined } from "./examine.ts"
import { ImportFailure, readerFailure } from "./import-failure.ts"
import { END_FRAME } from "./keyed-rows.ts"
import type { KeyerOptions } from "./keyer.ts"
import { ParsingPool } from "./parsing-pool.ts"
import type { Block, BlocksDone } from "./reader-thread.ts"
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
 * How many turns are held for each thread: one in work and one waiting, so that the thread never
 * waits.
 */
const TURNS_A_THREAD = 2
/** Blocks of small files are handed over together, until they have so many bytes. */
const TURN_BYTES = 1 << 18
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
  disk: SeenDisk = new SeenDisk(),
): Promise<ReadResult> {
  const inputs = stream === null ? openInputs(job.paths, disk) : openStreamedInput(stream)
  const pool = new ParsingPool(job.threads, job.keyer)
  const rejects = new RejectFile(job.rejects)
  const read = { rows: 0, rejected: 0, member: "" }
  const timer = setInterval(() => onProgress({ bytes: inputs.readBytes(), ...read }), PROGRESS_MS)
  try {
    const turns: Turn[] = []
    let place = { member: 0, lines: 0 }
    const kinds = new Tally<EntryKind>()
    const datings = new Tally<Dating>()
    const finish = async ({ pieces, parsing }: Turn): Promise<void> => {
      const { blocks, frames } = await parsed(pieces, parsing)
      for (const frame of frames) await writeDrained(out, frame)
      for (const [n, done] of blocks.entries()) {
        const { member } = pieces[n] as Piece
        const { lines, rows, rejects: rejected, datedByRow } = done
        for (const [kind, count] of done.kinds) kinds.add(kind, count)
        datings.add("row", datedByRow)
        datings.add(job.members.get(member)?.dating ?? "source", rows - datedByRow)
        if (place.member !== member) place = { member, lines: 0 }
        for (const { line, reason } of rejected)
          await rejects.add(member, place.lines + line, reason)
        place.lines += lines
        read.rows += rows
        read.rejected += rejected.length
      }
    }
    const begins = (member: string): void => {
      stream?.readOn()
      read.member = member
      onProgress({ bytes: inputs.readBytes(), ...read })
    }
    for await (const pieces of inTurns(piecesOf(inputs, examined, job.members, begins))) {
      const parsing = pool.run(pieces)
      // Awaited when its turn comes; until then a failure must not count as unhandled.
      parsing.catch(() => undefined)
      turns.push({ pieces, parsing })
      if (turns.length >= job.threads * TURNS_A_THREAD) await finish(turns.shift() as Turn)
    }
    for (const turn of turns) await finish(turn)
    if (stream === null && inputStamp(job.paths) !== examined.stamp) {
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

/** A block of a member. */
interface Piece extends Block {
  readonly member: number
  readonly name: string
}

/** Blocks on their way through the pool. */
interface Turn {
  readonly pieces: readonly Piece[]
  readonly parsing: Promise<BlocksDone>
}

async function* piecesOf(
  inputs: Inputs,
  examined: Examined,
  members: ReadJob["members"],
  begins: (member: string) => void,
): AsyncGenerator<Piece> {
  const formats = new Map(examined.members.map(({ number, detected }) => [number, detected]))
  for await (const member of inputs.members()) {
    const { number, name } = member
    const detected = formats.get(number)
    if (detected === null) continue
    if (detected === undefined) throw new InputError("The input changed while it was read")
    begins(name)
    const { format } = detected
    const as = members.get(number) ?? null
    for await (const bytes of blocksOf(member, detected))
      yield { member: number, name, format, bytes, as }
  }
}

async function* inTurns(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece[]> {
  let held: Piece[] = []
  let bytes = 0
  for await (const piece of pieces) {
    held.push(piece)
    bytes += piece.bytes.length
    if (bytes < TURN_BYTES) continue
    yield held
    held = []
    bytes = 0
  }
  if (held.length > 0) yield held
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
async function parsed(pieces: readonly Piece[], parsing: Promise<BlocksDone>): Promise<BlocksDone> {
  const at = (place: number): string => `, at ${pieces[place]?.name ?? ""}`
  const done = await parsing.catch((error: unknown) => {
    const { code, message } = readerFailure(error)
    throw new ImportFailure(code, `${message}${at(0)}`)
  })
  if (done.failed === null) return done
  throw new ImportFailure("parser", `${done.failed}${at(done.blocks.length)}`)
}
