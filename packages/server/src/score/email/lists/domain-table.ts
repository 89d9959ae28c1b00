const SLOT_EMPTY = -1
const LOAD_MAX = 0.7
const NAME_MAX = 255

/** Two of marks, four of the second it was first seen, and one of the name's length. */
const HEAD_BYTES = 7
const SEEN_AT = 2
const LENGTH_AT = 6

/** A whole table as it can be written to a file and read back. */
export interface TableArrays {
  readonly size: number
  readonly slots: Int32Array
  readonly records: Uint8Array
}

/**
 * Domain names with sixteen marks each, in two flat arrays outside the heap: the shipped lists are
 * 170,000 names in every worker, four megabytes here and several times that as a Map of strings,
 * with as many objects for the collector.
 *
 * A record is two bytes of marks, four of the second a host was first seen (0: nobody knows), one
 * of length, and the name. Slots hold where records start, found by FNV-1a.
 */
export class DomainTable {
  #records: Uint8Array
  #used = 0
  #slots: Int32Array
  #size = 0

  /** `expected` spares growing; any number of names fits. */
  constructor(expected = 0) {
    this.#records = new Uint8Array(Math.max(64, expected * 23))
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(16, expected / LOAD_MAX))))
    this.#slots.fill(SLOT_EMPTY)
  }

  /** A table over the arrays that another gave by `toArrays`, which it then owns. */
  static fromArrays({ size, slots, records }: TableArrays): DomainTable {
    const table = new DomainTable()
    table.#size = size
    table.#slots = slots
    table.#records = records
    table.#used = records.length
    return table
  }

  /** All of the table, without a copy: for one that is written and never changed again. */
  toArrays(): TableArrays {
    const records = this.#records.subarray(0, this.#used)
    return { size: this.#size, slots: this.#slots, records }
  }

  get size(): number {
    return this.#size
  }

  /** Sets marks of a name in ASCII form, given as a text. */
  mark(name: string, marks: number): void {
    this.markBytes(Buffer.from(name, "latin1"), 0, name.length, marks)
  }

  /** The same for a name that stands in bytes, which need not become a text first. */
  markBytes(bytes: Uint8Array, start: number, end: number, marks: number): void {
    const length = end - start
    if (length === 0 || length > NAME_MAX) throw new RangeError("A domain has 1 to 255 bytes")
    let hash = FNV_BASIS
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let record; (record = this.#slots[slot]) !== SLOT_EMPTY; slot = (slot + 1) & mask) {
      if (record === undefined || !this.#holds(record, bytes, start, length)) continue
      this.#setMarks(record, this.#marksAt(record) | marks)
      return
    }
    this.#slots[slot] = this.#append(bytes, start, end, marks)
    this.#size++
    if (this.#size > this.#slots.length * LOAD_MAX) this.#growSlots()
  }

  /** Takes marks back from a name; one that has none left is as if it had never been marked. */
  unmark(name: string, marks: number): void {
    const record = this.#find(name, 0)
    if (record !== SLOT_EMPTY) this.#setMarks(record, this.#marksAt(record) & ~marks)
  }

  /** Keeps the second a marked name was first seen. */
  seen(name: string, seconds: number): void {
    const record = this.#find(name, 0)
    if (record === SLOT_EMPTY) throw new RangeError(`${name} has no marks`)
    for (let byte = 0; byte < 4; byte++)
      this.#records[record + SEEN_AT + byte] = seconds >>> (8 * byte)
  }

  /** The second the name that starts at `from` in a text was first seen; null if nobody knows. */
  seenAt(text: string, from: number): number | null {
    const record = this.#find(text, from)
    if (record === SLOT_EMPTY) return null
    let seconds = 0
    for (let byte = 3; byte >= 0; byte--)
      seconds = seconds * 256 + (this.#records[record + SEEN_AT + byte] ?? 0)
    return seconds === 0 ? null : seconds
  }

  /** The marks of the name that starts at `from` in a text; 0 where it was never marked. */
  marks(text: string, from: number): number {
    const record = this.#find(text, from)
    return record === SLOT_EMPTY ? 0 : this.#marksAt(record)
  }

  /** Visits the marks of every name, in no order. */
  forEachMarks(visit: (marks: number) => void): void {
    for (const record of this.#slots) if (record !== SLOT_EMPTY) visit(this.#marksAt(record))
  }

  /** Visits every name that has marks, in no order. */
  forEachName(visit: (name: string) => void): void {
    for (const record of this.#slots) {
      if (record === SLOT_EMPTY || this.#marksAt(record) === 0) continue
      const start = record + HEAD_BYTES
      const end = start + (this.#records[record + LENGTH_AT] ?? 0)
      visit(Buffer.from(this.#records.subarray(start, end)).toString("latin1"))
    }
  }

  #marksAt(record: number): number {
    return (this.#records[record] ?? 0) | ((this.#records[record + 1] ?? 0) << 8)
  }

  #setMarks(record: number, marks: number): void {
    this.#records[record] = marks
    this.#records[record + 1] = marks >>> 8
  }

  #find(text: string, from: number): number {
    let hash = FNV_BASIS
    for (let at = from; at < text.length; at++)
      hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
    const mask = this.#slots.length - 1
    const length = text.length - from
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const record = this.#slots[slot] ?? SLOT_EMPTY
      if (record === SLOT_EMPTY || this.#spells(record, text, from, length)) return record
    }
  }

  #spells(record: number, text: string, from: number, length: number): boolean {
    if (this.#records[record + LENGTH_AT] !== length) return false
    for (let at = 0; at < length; at++)
      if (this.#records[record + HEAD_BYTES + at] !== text.charCodeAt(from + at)) return false
    return true
  }

  #holds(record: number, bytes: Uint8Array, start: number, length: number): boolean {
    if (this.#records[record + LENGTH_AT] !== length) return false
    for (let at = 0; at < length; at++)
      if (this.#records[record + HEAD_BYTES + at] !== bytes[start + at]) return false
    return true
  }

  #append(bytes: Uint8Array, start: number, end: number, marks: number): number {
    const record = this.#used
    const next = record + HEAD_BYTES + end - start
    if (next > this.#records.length) {
      const larger = new Uint8Array(Math.max(next, this.#records.length * 1.5))
      larger.set(this.#records)
      this.#records = larger
    }
    this.#setMarks(record, marks)
    this.#records[record + LENGTH_AT] = end - start
    for (let at = start; at < end; at++)
      this.#records[record + HEAD_BYTES + at - start] = bytes[at] ?? 0
    this.#used = next
    return record
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(SLOT_EMPTY)
    const mask = slots.length - 1
    for (let record = 0, next = 0; record < this.#used; record = next) {
      next = record + HEAD_BYTES + (this.#records[record + LENGTH_AT] ?? 0)
      let hash = FNV_BASIS
      for (let at = record + HEAD_BYTES; at < next; at++)
        hash = Math.imul(hash ^ (this.#records[at] ?? 0), FNV_PRIME)
      let slot = hash & mask
      while (slots[slot] !== SLOT_EMPTY) slot = (slot + 1) & mask
      slots[slot] = record
    }
    this.#slots = slots
  }
}

// http://www.isthe.com/chongo/tech/comp/fnv: offset basis and prime of 32 bits.
const FNV_BASIS = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
