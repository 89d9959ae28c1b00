import { hash } from "node:crypto"

const SPARE_BYTES = 1024

/**
 * A buffer for one hash input after the other: all begin with the same bytes, mostly a key, and go
 * on with a text. There are millions of them, so they are written and handed over with as few calls
 * into the runtime as possible.
 */
export class HashInput {
  #bytes: Buffer
  /**
   * Views of the first bytes, by length: making a view for each hash would cost a tenth of the
   * hash.
   */
  #views: Buffer[] = []

  constructor(start: Uint8Array) {
    this.#bytes = Buffer.alloc(start.length + SPARE_BYTES)
    this.#bytes.set(start)
  }

  setByte(at: number, value: number): void {
    this.#bytes[at] = value
  }

  /** Takes the first characters of a digest, one a byte. */
  setBytes(at: number, digest: string, count: number): void {
    for (let i = 0; i < count; i++) this.#bytes[at + i] = digest.charCodeAt(i)
  }

  /** SHA-256 of the first bytes, as 32 characters, one a byte. */
  hashOf(end: number): string {
    return hash("sha256", (this.#views[end] ??= this.#bytes.subarray(0, end)), "latin1")
  }

  /** SHA-256 of the bytes before `at` and the text in UTF-8, as 32 characters, one a byte. */
  hashWith(at: number, text: string): string {
    const needed = at + text.length * 3
    if (needed > this.#bytes.length) this.#grow(needed)
    return this.hashOf(this.#write(text, at))
  }

  /** Returns where the text ends. */
  #write(text: string, at: number): number {
    const bytes = this.#bytes
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return at + bytes.write(text, at)
      bytes[at + i] = code
    }
    return at + text.length
  }

  #grow(length: number): void {
    const larger = Buffer.alloc(length)
    this.#bytes.copy(larger)
    this.#bytes = larger
    this.#views = []
  }
}
