import { decompressed } from "./decompress.ts"
import { filePieces, smallFile } from "./file-pieces.ts"
import { firstBytes, InputError, type InputFile, isInputFault, type Member } from "./member.ts"
import { PACKING_HEAD_BYTES, packingOf, requireExpansion } from "./packing.ts"
import { SkipTally } from "./skipped.ts"
import { informationOfLogs, otherPartsOfLogs } from "./stealer-log.ts"
import { OpenZips, openZip, tooManyMembers, type Zip } from "./zip.ts"

/** Files inside archives, over a whole import. */
const ARCHIVE_FILES_MAX = 10_000
/** How many packings may lie inside each other: a zip in a zip, or a gzip file in a zip. */
const PACKING_LEVELS_MAX = 2
/**
 * A zip inside an archive is not read from front to back, so it is held in memory, never on the
 * disk.
 */
const NESTED_ZIP_BYTES_MAX = 256 << 20
/** Archives that keep no times have zeros, which is 1980 or before. */
const WRITTEN_MIN = Date.UTC(1990, 0, 1)

/** A file on the disk, and how many bytes were unpacked from it; bytes read twice count once. */
interface Origin {
  readonly file: InputFile
  unpackedBytes: number
}

/** Something that may be packed: a file, a member of an archive, or what a gzip file holds. */
interface Holding {
  readonly name: string
  /** Its path on the disk; null for a member inside another file. */
  readonly path: string | null
  /** How many packings it lies in. */
  readonly level: number
  readonly origin: Origin
  readonly modifiedMs: number
  readonly information: Member["information"]
  /** Calls `count` with the part that was read so far, 0 to 1. */
  bytes(count: CountRead): AsyncIterable<Buffer>
  /** Its first bytes, by which packings are known. */
  head(): Promise<Buffer>
  readonly countRead: CountRead
}

type CountRead = (part: number) => void
/** A look at the first bytes is no progress. */
const uncounted: CountRead = () => undefined

/** Finds the members of files, folders and archives, in a fixed order. */
export class MemberFinder {
  readonly #files: readonly InputFile[]
  readonly #skippedByWalk: SkipTally
  readonly #zips = new OpenZips()
  #skipped = new SkipTally()
  #archiveFiles = 0
  #number = 0
  readBytes = 0
  /** Of the beginnings of the files that this run is done with. */
  passedBytes = 0

  constructor(files: readonly InputFile[], skippedByWalk: SkipTally) {
    this.#files = files
    this.#skippedByWalk = skippedByWalk
  }

  get skipped(): SkipTally {
    return this.#skipped
  }

  /** Each run counts anew. */
  async *members(): AsyncGenerator<Member> {
    this.#skipped = this.#skippedByWalk.copy()
    this.#archiveFiles = 0
    this.#number = 0
    this.passedBytes = 0
    for (const file of this.#files) {
      const origin = { file, unpackedBytes: 0 }
      yield* this.#membersOf(this.#fileHolding(origin))
      this.passedBytes += beginningBytes(file)
    }
  }

  close(): void {
    this.#zips.close()
  }

  async *#membersOf(holding: Holding): AsyncGenerator<Member> {
    const packing = packingOf(await holding.head())
    if (packing === null) {
      yield this.#memberOf(holding)
    } else if (typeof packing === "object") {
      const { title, command } = packing
      if (holding.origin.file.named && holding.level === 0) {
        throw new InputError(
          `${holding.name} is a ${title}, which is not read here. Unpack it with "${command} ${holding.name}" and import what it held`,
        )
      }
      this.#skipped.add(holding.name, "foreign-archive")
    } else if (holding.level === PACKING_LEVELS_MAX) {
      this.#skipped.add(holding.name, "too-deep")
    } else if (packing === "zip") {
      if (holding.origin.file.stream !== undefined)
        throw needsSeeking(holding.name, "a zip archive")
      yield* this.#zipMembers(holding)
    } else {
      const unpacked = (count: CountRead): AsyncIterable<Buffer> =>
        decompressed(holding.name, packing, holding.bytes(count))
      yield* this.#membersOf({
        ...holding,
        path: null,
        level: holding.level + 1,
        bytes: unpacked,
        head: () => headOf(unpacked),
      })
    }
  }

  async *#zipMembers(holding: Holding): AsyncGenerator<Member> {
    const open = (): Promise<Zip> =>
      this.#zips.get(holding.level, holding, async () => {
        const from = holding.path ?? (await heldInMemory(holding))
        return openZip(holding.name, from, ARCHIVE_FILES_MAX)
      })
    let zip: Zip
    try {
      zip = await open()
    } catch (error) {
      if (!isInputFault(error, "too-large-to-nest")) throw error
      this.#skipped.add(holding.name, "too-large-to-nest")
      return
    }
    this.#archiveFiles += zip.entries.length
    if (this.#archiveFiles > ARCHIVE_FILES_MAX) throw tooManyMembers(holding.name)
    const names = zip.entries.map(({ name }) => name)
    const leftOut = otherPartsOfLogs(names)
    const informationOf = informationOfLogs(names)
    const byName = new Map(zip.entries.map((entry) => [entry.name, entry]))
    for (const entry of zip.entries) {
      const name = `${holding.name}/${entry.name}`
      const countRead = this.#counter(holding.level === 0 ? entry.packedBytes : 0)
      const reason =
        entry.refused ??
        (isHidden(entry.name) ? "hidden" : leftOut(entry.name) ? "other-part-of-a-log" : null)
      if (reason !== null) {
        this.#skipped.add(name, reason)
        countRead(1)
        continue
      }
      const facts = byName.get(informationOf(entry.name) ?? "")
      const bytes: Holding["bytes"] = async function* (count) {
        const archive = await open()
        const { uncompressedSize } = entry.entry
        let given = 0
        for await (const piece of archive.bytes(entry)) {
          const { length } = piece
          yield piece
          given += length
          if (given < uncompressedSize) count(given / uncompressedSize)
        }
        count(1)
      }
      yield* this.#membersOf({
        name,
        path: null,
        level: holding.level + 1,
        origin: holding.origin,
        modifiedMs: entry.modifiedMs < WRITTEN_MIN ? holding.modifiedMs : entry.modifiedMs,
        information:
          facts?.refused !== null
            ? null
            : async function* () {
                yield* (await open()).bytes(facts)
              },
        countRead,
        bytes,
        head: () => headOf(bytes),
      })
    }
  }

  #fileHolding(origin: Origin): Holding {
    const { name, path, bytes, modifiedMs, information, stream } = origin.file
    const pieces = (): AsyncIterable<Buffer> =>
      path === null ? (stream?.pieces() ?? nothing()) : filePieces(path)
    const countRead = this.#counter(bytes)
    // A small file that was read to see how it is packed is not read once more for what it holds.
    let whole: Buffer | null = null
    const contents: Holding["bytes"] = async function* (count) {
      const from = whole === null ? pieces() : [whole]
      whole = null
      let read = 0
      try {
        for await (const piece of from) {
          // Read the length first: the consumer may transfer the piece, which empties it.
          const { length } = piece
          yield piece
          read += length
          if (read < bytes) count(read / bytes)
        }
      } catch (cause) {
        if (cause instanceof InputError) throw cause
        throw new InputError(`${name} cannot be read`, { cause })
      }
      count(1)
    }
    return {
      name,
      path,
      level: 0,
      origin,
      modifiedMs,
      information: information === null ? null : () => filePieces(information),
      countRead,
      bytes: contents,
      async head() {
        const small = path === null ? null : readSmall(name, path)
        whole = small
        return small?.subarray(0, PACKING_HEAD_BYTES) ?? (await headOf(contents))
      },
    }
  }

  #memberOf(holding: Holding): Member {
    const { name, path, level, origin, modifiedMs, information, countRead } = holding
    this.#number++
    let counted = 0
    return {
      name,
      number: this.#number,
      path,
      modifiedMs,
      information,
      countRead,
      async *bytes() {
        let given = 0
        for await (const piece of holding.bytes(countRead)) {
          given += piece.length
          // Members that share their packed bytes each pass the bound of their own; together they
          // do not.
          if (level > 0 && given > counted) {
            origin.unpackedBytes += given - counted
            counted = given
            requireExpansion(origin.file.name, origin.file.bytes, origin.unpackedBytes)
          }
          yield piece
        }
      },
    }
  }

  /** Counts the bytes of something once, however often it is read. */
  #counter(bytes: number): CountRead {
    let counted = 0
    return (part) => {
      const now = Math.round(bytes * part)
      if (now <= counted) return
      this.readBytes += now - counted
      counted = now
    }
  }
}

/** To tell what a file is, about so much of it is read. */
const BEGINNING_BYTES = 65_536

/** How much of a file is looked at before it is read. */
export function beginningBytes({ bytes }: InputFile): number {
  return Math.min(bytes, BEGINNING_BYTES)
}

async function headOf(bytes: Holding["bytes"]): Promise<Buffer> {
  return await firstBytes(bytes(uncounted), PACKING_HEAD_BYTES)
}

/** All of a small file; null of any other. */
function readSmall(name: string, path: string): Buffer | null {
  try {
    return smallFile(path)
  } catch (cause) {
    throw new InputError(`${name} cannot be read`, { cause })
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Of a file that is read by places in it, which a stream does not have. */
export function needsSeeking(name: string, what: string): InputError {
  return new InputError(
    `${name} is ${what}, which cannot be read while it arrives`,
    {},
    "needs-seeking",
  )
}

async function heldInMemory(holding: Holding): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of holding.bytes(holding.countRead)) {
    bytes += piece.length
    if (bytes > NESTED_ZIP_BYTES_MAX)
      throw new InputError(`${holding.name} is too large for memory`, {}, "too-large-to-nest")
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Also the shadow files that one system puts beside each file of an archive. */
function isHidden(path: string): boolean {
  return path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX")
}
