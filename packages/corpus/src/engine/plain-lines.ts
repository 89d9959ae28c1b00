import { hashStart, IDENTITY_TAGS, parseEmail } from "@assay/core/identity"
import type { Secrets } from "@assay/runtime/secrets"
import type { KeyedColumns } from "./keyed-rows.ts"
import { type Kernel, openKernel, type Value } from "./plain-lines-kernel.ts"

/** What becomes of the lines of a block, told in their order. */
export interface PlainLinesSink {
  /** Plain lines, keyed: the rows from `from` to `to` of the columns. */
  rows(columns: KeyedColumns, from: number, to: number): void
  /** The row that came last is at a watched domain. `key` holds 16 bytes as characters. */
  watched(key: string, domain: number): void
  /** Other lines, from one position in the block to another; the last one's end is included. */
  others(from: number, to: number): void
}

const LF = 10
const HALF_KEY_BYTES = 8
/** An event has three words; the first is the number of rows before it and one bit, its kind. */
const EVENT_WORDS = 3
const WATCHED_ROW = 1
/** The kernel keeps the number of a watch in 23 bits. */
const WATCHES_MAX = 2 ** 23 - 2

/**
 * Keys the lines that make up nearly all of a list in WebAssembly: a name of letters, digits, dots,
 * hyphens and underscores, a domain that the core was asked about, together at most 55 bytes, and a
 * password of 5 to 19 visible characters (longer ones may be hashes, and shorter ones the word for
 * none). Keys and fingerprints are those of the core; a test compares. Any other line is handed
 * back.
 */
export class PlainLines {
  readonly #kernel: Kernel
  readonly #watchedOf: (domain: string) => number
  readonly #window: Uint8Array
  readonly #columns: KeyedColumns
  readonly #events: Uint32Array
  /** The most of the window that was in use since it was wiped. */
  #used = 0

  constructor(
    { identity, password }: Pick<Secrets["subkeys"], "identity" | "password">,
    watchedOf: (domain: string) => number,
  ) {
    const kernel = openKernel()
    const { buffer } = kernel.memory
    const bytes = (at: Value, length: Value): Uint8Array =>
      new Uint8Array(buffer, at.value, length.value)
    this.#kernel = kernel
    this.#watchedOf = watchedOf
    this.#window = bytes(kernel.window, kernel.windowBytes)
    this.#columns = {
      keysHigh: bytes(kernel.keysHigh, kernel.columnBytes),
      keysLow: bytes(kernel.keysLow, kernel.columnBytes),
      heads: bytes(kernel.heads, kernel.columnBytes),
    }
    this.#events = new Uint32Array(buffer, kernel.eventsAt.value)
    kernel.prepare()
    this.#window.set(hashStart(identity, IDENTITY_TAGS.email))
    kernel.startIdentities()
    this.#window.set(hashStart(password))
    kernel.startPasswords()
    kernel.wipe(this.#window.length)
  }

  /** All memory of the kernel, for a test to look for what must not be left in it. */
  get memory(): Uint8Array {
    return new Uint8Array(this.#kernel.memory.buffer)
  }

  /**
   * Reads all lines of a block. `delimiter` is a byte, and `headHigh` the first half of the heads
   * of its rows. No address or password is left in the kernel's memory afterwards.
   */
  read(block: Buffer, delimiter: number, headHigh: number, sink: PlainLinesSink): void {
    try {
      for (let at = 0; at < block.length;) {
        const end = this.#windowEnd(block, at)
        if (end > at) this.#readWindow(block, at, end, delimiter, headHigh, sink)
        const next = end > at ? end : lineEnd(block, at)
        // A line longer than the window.
        if (end <= at) sink.others(at, next)
        at = next
      }
    } finally {
      this.#kernel.wipe(this.#used)
      this.#used = 0
    }
  }

  /** After the last line that fits into the window; before `at` if the first one does not. */
  #windowEnd(block: Buffer, at: number): number {
    const end = at + this.#window.length
    return end >= block.length ? block.length : block.lastIndexOf(LF, end - 1) + 1
  }

  #readWindow(
    block: Buffer,
    at: number,
    end: number,
    delimiter: number,
    headHigh: number,
    sink: PlainLinesSink,
  ): void {
    const kernel = this.#kernel
    this.#window.set(block.subarray(at, end))
    this.#used = Math.max(this.#used, end - at)
    kernel.begin(end - at, delimiter, headHigh)
    while (kernel.keyLines() === 0) this.#addDomain()
    const columns = this.#columns
    let row = 0
    for (let event = 0; event < kernel.events.value; event++) {
      const [rows = 0, first = 0, second = 0] = this.#events.subarray(event * EVENT_WORDS)
      if (rows >>> 1 > row) sink.rows(columns, row, rows >>> 1)
      row = rows >>> 1
      if ((rows & 1) === WATCHED_ROW) sink.watched(keyOf(columns, row - 1), first)
      else sink.others(at + first, at + second)
    }
    if (kernel.rows.value > row) sink.rows(columns, row, kernel.rows.value)
  }

  /** Asks the core about the domain that stopped the kernel. Each is asked about once. */
  #addDomain(): void {
    const { domainAt, domainLength } = this.#kernel
    const bytes = Buffer.from(this.#kernel.memory.buffer, domainAt.value, domainLength.value)
    const name = bytes.toString("latin1")
    const watched = this.#watchedOf(name)
    // At nearly every domain all of them are part of a name, and one question is enough.
    const all = isOwnForm(`a.1-b_@${name}`)
    this.#kernel.addDomain(
      (all || isOwnForm(`a1_@${name}`)) && watched <= WATCHES_MAX,
      all || isOwnForm(`a.1@${name}`),
      all || isOwnForm(`a-1@${name}`),
      watched + 1,
    )
  }
}

/** Whether the core takes an address, as written, for the mailbox's own form. */
function isOwnForm(address: string): boolean {
  const parsed = parseEmail(address)
  return !("fault" in parsed) && parsed.exact === address && parsed.canonical === address
}

function keyOf({ keysHigh, keysLow }: KeyedColumns, row: number): string {
  const [from, to] = [row * HALF_KEY_BYTES, (row + 1) * HALF_KEY_BYTES]
  return String.fromCharCode(...keysHigh.subarray(from, to), ...keysLow.subarray(from, to))
}

/** After the line that begins at `at`. */
function lineEnd(block: Buffer, at: number): number {
  const end = block.indexOf(LF, at)
  return end === -1 ? block.length : end + 1
}
