import { createHash } from "node:crypto"
import { InputError } from "./member.ts"

/** What is known of an input that arrives on a stream, before any of it has. */
export interface StreamSaid {
  /** For the person who sent it; never stored. */
  readonly name: string
  /**
   * How many bytes there must be. A sender that dies looks like one that has finished, so without
   * this a part of a file would be taken for all of it.
   */
  readonly bytes: number
}

/**
 * The most that is held of a stream while it is looked at: many times what recognising a format
 * takes, also where it is packed.
 */
const HELD_MAX = 16 << 20

/**
 * An input that is read once, from front to back, and never put on a disk. What was read of it is
 * held until `readOn`, so that it can be looked at several times first.
 */
export class StreamedInput {
  readonly said: StreamSaid
  readonly #source: AsyncIterator<Buffer>
  readonly #held: Buffer[] = []
  readonly #hash = createHash("sha256")
  #heldBytes = 0
  #arrived = 0
  #pulling: Promise<boolean> | null = null
  #mode: "looking" | "reading" | "taken" = "looking"

  constructor(stream: AsyncIterable<Buffer>, said: StreamSaid) {
    this.said = said
    this.#source = stream[Symbol.asyncIterator]()
  }

  /** From here on its bytes are handed out once, and nothing of them is held. */
  readOn(): void {
    if (this.#mode === "looking") this.#mode = "reading"
  }

  /** All of it, from the beginning. Throws InputError where it ends early. */
  async *pieces(): AsyncGenerator<Buffer> {
    if (this.#mode === "looking") {
      for (let at = 0; at < this.#held.length || (await this.#more()); at++) {
        // A copy: whoever gets a piece may transfer it to a thread, which empties it.
        yield Buffer.from(this.#held[at] as Buffer)
      }
      return
    }
    if (this.#mode === "taken") throw new InputError(`${this.said.name} cannot be read twice`)
    this.#mode = "taken"
    while (this.#held.length > 0 || (await this.#more())) yield this.#held.shift() as Buffer
  }

  /** Reads what a format left over at the end; returns the digest of all bytes. */
  async sha256(): Promise<string> {
    do this.#held.length = 0
    while (await this.#more())
    return this.#hash.digest("hex")
  }

  /**
   * Adds the next piece to those held; false at the end. Whoever asks while one is on its way waits
   * for that one: a look that was given up must not lose it.
   */
  async #more(): Promise<boolean> {
    this.#pulling ??= this.#pull().finally(() => (this.#pulling = null))
    return await this.#pulling
  }

  async #pull(): Promise<boolean> {
    const { name, bytes } = this.said
    const next = await this.#source.next().catch((cause: unknown) => {
      throw new InputError(`${name} cannot be read`, { cause })
    })
    if (next.done === true) {
      if (this.#arrived === bytes) return false
      throw new InputError(`${name} ended after ${this.#arrived} of ${bytes} bytes`)
    }
    const piece = next.value
    this.#arrived += piece.length
    if (this.#arrived > bytes) throw new InputError(`${name} has more than ${bytes} bytes`)
    this.#hash.update(piece)
    this.#heldBytes = this.#mode === "looking" ? this.#heldBytes + piece.length : 0
    if (this.#heldBytes > HELD_MAX) {
      throw new InputError(`What ${name} holds cannot be told from its first 16 MiB`)
    }
    this.#held.push(piece)
    return true
  }
}
