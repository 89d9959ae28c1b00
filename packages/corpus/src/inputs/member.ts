import { Explained } from "@assay/runtime/explained"

/** One file of an input: the file itself, or one inside a folder or archive. */
export interface Member {
  /**
   * For the person at the terminal; never stored, since folders of logs are named after people and
   * machines.
   */
  readonly name: string
  /** Place among all members of the import, from 1. */
  readonly number: number
  /**
   * Its path on the disk; null for a packed member. For formats that cannot be read from front to
   * back.
   */
  readonly path: string | null
  /** When it was last written, according to the disk or the archive. */
  readonly modifiedMs: number
  /**
   * For a stealer's file of passwords: the facts of the machine in its log, among them the time.
   * Null if the log has none.
   */
  readonly information: (() => AsyncIterable<Buffer>) | null
  /** Its unpacked content. Each call begins anew. Members are read one after the other. */
  bytes(): AsyncIterable<Buffer>
  /** Reports progress, 0 to 1, for a format that reads the file by its path. */
  countRead(part: number): void
}

/** A file that the import reads. */
export interface InputFile {
  readonly name: string
  /** null for one that arrives on a stream. */
  readonly path: string | null
  readonly stream?: { pieces(): AsyncIterable<Buffer> }
  readonly bytes: number
  readonly modifiedMs: number
  /** Where the machine's facts lie, of a stealer's file of passwords. */
  readonly information: string | null
  /** Named on the command line, so that leaving it out would be against the request. */
  readonly named: boolean
}

/** What code that catches it goes on after: any other fault of an input is `input`. */
export type InputFault =
  | "input"
  | "not-json"
  | "too-large-to-nest"
  | "unknown-column"
  /** It cannot be read from front to back, and it arrives on a stream. */
  | "needs-seeking"

/** An input that cannot be read, in words for the person who named it. Nothing was changed. */
export class InputError extends Explained<InputFault> {
  override readonly name = "InputError"
  constructor(message: string, options: ErrorOptions = {}, code: InputFault = "input") {
    super(code, message, options)
  }
}

export function isInputFault(error: unknown, code: InputFault): error is InputError {
  return error instanceof InputError && error.code === code
}

/** The first bytes of a text or file, `max` of them or fewer. */
export async function firstBytes(pieces: AsyncIterable<Buffer>, max: number): Promise<Buffer> {
  const first: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    first.push(piece)
    bytes += piece.length
    if (bytes >= max) break
  }
  const [only] = first
  return first.length === 1 && only !== undefined
    ? only.subarray(0, max)
    : Buffer.concat(first).subarray(0, max)
}
