import { once } from "node:events"
import type { Writable } from "node:stream"
import { blocksOf } from "../formats/blocks.ts"
import { inputStamp } from "../inputs/content-digest.ts"
import { InputError, type Inputs, openInputs } from "../inputs/members.ts"
import type { Examined } from "./examine.ts"
import { readerFailure } from "./import-failure.ts"
import { END_FRAME } from "./keyed-rows.ts"
import type { KeyerOptions } from "./keyer.ts"
import { ParsingPool } from "./parsing-pool.ts"
import type { BlockDone } from "./reader-thread.ts"
import { type RejectCounts, RejectFile } from "./reject-file.ts"

export interface ReadJob {
  readonly paths: readonly string[]
  readonly keyer: KeyerOptions
  readonly threads: number
  /** Where the rejected rows are listed. */
  readonly rejects: string
}

export interface ReadProgress {
  /** As they lie on the disk, packed. */
  readonly bytes: number
  readonly rows: number
  readonly rejected: number
}

export interface ReadTally {
  readonly rows: number
  readonly rejects: RejectCounts
}

/** How many blocks are held for each thread: one that it works on and one that waits, so that it never does. */
const BLOCKS_A_THREAD = 2
const PROGRESS_MS = 250

/**
 * Reads the inputs that were examined, keys their rows and writes them as frames, the last frame at the end. Blocks are
 * parsed in whatever order and put out in that of the input, so the same input gives the same frames and rejects. What
 * is held at a time does not depend on the size of the input.
 */
export async function readInputs(
  job: ReadJob,
  examined: Examined,
  out: Writable,
  onProgress: (progress: ReadProgress) => void,
): Promise<ReadTally> {
  const inputs = await openInputs(job.paths)
  const pool = new ParsingPool(job.threads, job.keyer)
  const rejects = new RejectFile(job.rejects)
  const read = { rows: 0, rejected: 0 }
  const timer = setInterval(() => onProgress({ bytes: inputs.readBytes(), ...read }), PROGRESS_MS)
  try {
    const turns: Turn[] = []
    let place = { member: 0, lines: 0 }
    const finish = async ({ member, parsing }: Turn): Promise<void> => {
      const { lines, rows, frames, rejects: rejected } = await parsing
      if (place.member !== member) place = { member, lines: 0 }
      for (const frame of frames) await write(out, frame)
      for (const { line, reason } of rejected) await rejects.add(member, place.lines + line, reason)
      place.lines += lines
      read.rows += rows
      read.rejected += rejected.length
    }
    for await (const turn of blockTurns(inputs, examined, pool)) {
      turns.push(turn)
      if (turns.length >= job.threads * BLOCKS_A_THREAD) await finish(turns.shift() as Turn)
    }
    for (const turn of turns) await finish(turn)
    if ((await inputStamp(job.paths)) !== examined.stamp) {
      throw new InputError("The input changed while it was read")
    }
    await rejects.commit()
    await write(out, END_FRAME)
    onProgress({ bytes: inputs.readBytes(), ...read })
    return { rows: read.rows, rejects: rejects.counts }
  } catch (error) {
    await rejects.abandon()
    throw readerFailure(error)
  } finally {
    clearInterval(timer)
    await Promise.all([pool.close(), inputs.close()])
  }
}

/** A block on its way through the pool. */
interface Turn {
  readonly member: number
  readonly parsing: Promise<BlockDone>
}

async function* blockTurns(
  inputs: Inputs,
  examined: Examined,
  pool: ParsingPool,
): AsyncGenerator<Turn> {
  const formats = new Map(examined.members.map(({ number, detected }) => [number, detected]))
  for await (const member of inputs.members()) {
    const detected = formats.get(member.number)
    if (detected === null) continue
    if (detected === undefined) throw new InputError("The input changed while it was read")
    for await (const block of blocksOf(member, detected)) {
      const parsing = pool.run(detected.format, block)
      // Awaited when its turn comes; until then a failure must not count as unhandled.
      parsing.catch(() => undefined)
      yield { member: member.number, parsing }
    }
  }
}

async function write(out: Writable, bytes: Uint8Array): Promise<void> {
  if (out.errored !== null) throw out.errored
  if (!out.write(bytes)) await once(out, "drain")
}
