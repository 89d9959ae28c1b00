import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"

/** One file of an input: the file itself, or one inside a folder or archive. */
export interface Member {
  /** For the person at the terminal; never stored, since folders of logs are named after people and machines. */
  readonly name: string
  /** Place among all members of the import, from 1. */
  readonly number: number
  /** What it holds, unpacked. Each call begins anew. */
  bytes(): AsyncIterable<Buffer>
}

export interface Inputs {
  /** Bytes on the disk, packed as they are: what progress is counted in. */
  readonly totalBytes: number
  /** Bytes on the disk read so far, over all members. */
  readonly readBytes: () => number
  members(): AsyncIterable<Member>
  close(): Promise<void>
}

/** An input that cannot be read, in words for the person who named it. Nothing was changed. */
export class InputError extends Error {
  override readonly name = "InputError"
}

/** Opens what was named on the command line. Throws InputError. */
export async function openInputs(paths: readonly string[]): Promise<Inputs> {
  let totalBytes = 0
  let readBytes = 0
  for (const path of paths) {
    try {
      totalBytes += (await stat(path)).size
    } catch (cause) {
      throw new InputError(`${path} cannot be read`, { cause })
    }
  }
  async function* members(): AsyncGenerator<Member> {
    for (const [at, path] of paths.entries()) {
      yield {
        name: basename(path),
        number: at + 1,
        async *bytes() {
          for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
            readBytes += (piece as Buffer).length
            yield piece as Buffer
          }
        },
      }
    }
  }
  return { totalBytes, readBytes: () => readBytes, members, close: () => Promise.resolve() }
}
