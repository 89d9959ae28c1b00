import { InputError } from "../inputs/member.ts"
import { ownBytes, ROW_BYTES_MAX } from "./row-bytes.ts"

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9
const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPEN_ARRAY = 91
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/**
 * Cuts a JSON document into lines of one row each, however large it is: the elements of the array
 * that it is, or of the arrays that are members of the object that it is. Elements are not looked
 * into; the parser of the lines does that. An element over the size of a row becomes a line that
 * the parser rejects as too long.
 */
export class JsonElements {
  /** 1 where the document is an array, 2 where it is an object. */
  #elementDepth = 0
  #depth = 0
  #inElements = false
  #inElement = false
  #inString = false
  #escaped = false
  #ended = false
  /** The element so far, from pieces before this one. */
  #held: Buffer[] = []
  #heldBytes = 0
  #lines: Buffer[] = []
  #linesBytes = 0
  readonly #name: string
  readonly #blockBytes: number

  /** `name` is what a fault calls the document. */
  constructor(name: string, blockBytes: number) {
    this.#name = name
    this.#blockBytes = blockBytes
  }

  /**
   * Takes the next bytes. Gives a block of lines when there is enough for one. Throws InputError
   * `not-json`.
   */
  push(piece: Buffer): Buffer | null {
    let start = 0
    for (let at = 0; at < piece.length; at++) {
      if (this.#inString) {
        at = this.#stringEnd(piece, at)
        continue
      }
      const byte = piece[at] as number
      if (byte === SPACE || byte === LF || byte === CR || byte === TAB) continue
      const atElements = this.#inElements && this.#depth === this.#elementDepth
      if (atElements && (byte === COMMA || byte === CLOSE_ARRAY)) {
        if (this.#inElement) this.#endElement(piece.subarray(start, at))
      } else if (atElements && !this.#inElement) {
        this.#inElement = true
        start = at
      }
      this.#structure(byte)
    }
    if (this.#inElement) this.#hold(piece.subarray(start))
    return this.#linesBytes >= this.#blockBytes ? this.take() : null
  }

  /** The lines so far as a block; null where there are none. */
  take(): Buffer | null {
    if (this.#lines.length === 0) return null
    const block = ownBytes(this.#lines)
    this.#lines = []
    this.#linesBytes = 0
    return block
  }

  /** Throws InputError `not-json` where the document is not at its end. */
  end(): void {
    if (!this.#ended) throw this.#fault("cut off")
  }

  /**
   * The place of the quote that ends a text, or the end of the piece. Most bytes of a document are
   * in texts.
   */
  #stringEnd(piece: Buffer, from: number): number {
    let escaped = this.#escaped
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at]
      if (escaped) {
        escaped = false
      } else if (byte === BACKSLASH) {
        escaped = true
      } else if (byte === QUOTE) {
        this.#inString = false
        this.#escaped = false
        return at
      }
    }
    this.#escaped = escaped
    return piece.length
  }

  #structure(byte: number): void {
    if (this.#ended) throw this.#fault("something follows the end")
    if (byte === QUOTE) {
      if (this.#depth === 0) throw this.#fault("no array and no object")
      this.#inString = true
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      this.#depth++
      if (this.#depth === 1) this.#elementDepth = byte === OPEN_ARRAY ? 1 : 2
      if (this.#depth === this.#elementDepth && byte === OPEN_ARRAY) this.#inElements = true
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      if (this.#depth === this.#elementDepth) {
        if (this.#inElements && byte === CLOSE_OBJECT) throw this.#fault("a bracket is missing")
        this.#inElements = false
      }
      this.#depth--
      if (this.#depth === 0) this.#ended = true
      if (this.#depth < 0) throw this.#fault("closed more than was opened")
    } else if (this.#depth === 0) {
      throw this.#fault("no array and no object")
    }
  }

  /** The bytes are not one JSON document of rows. */
  #fault(why: string): InputError {
    return new InputError(`${this.#name} is damaged JSON: ${why}`, {}, "not-json")
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length
    if (this.#heldBytes > ROW_BYTES_MAX) this.#held = []
    else this.#held.push(Buffer.from(piece))
  }

  #endElement(last: Buffer): void {
    const line =
      this.#heldBytes + last.length > ROW_BYTES_MAX
        ? TOO_LONG
        : Buffer.concat(this.#held.length === 0 ? [last] : [...this.#held, last])
    // Between the parts of an element these are white space, and inside of its texts JSON has none.
    for (const end of [LF, CR]) {
      for (let at = line.indexOf(end); at !== -1; at = line.indexOf(end, at + 1)) line[at] = SPACE
    }
    this.#lines.push(line, NEWLINE)
    this.#linesBytes += line.length + 1
    this.#held = []
    this.#heldBytes = 0
    this.#inElement = false
  }
}

const NEWLINE = Buffer.from("\n")
const TOO_LONG = Buffer.alloc(ROW_BYTES_MAX + 1, " ")
