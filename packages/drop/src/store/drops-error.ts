/**
 * `full`: the disk has no room. `refused`: the caller asked for something impossible, such as a
 * piece out of order. `newer-format`: a newer program wrote the file. `damaged`: the file is no
 * longer what was written.
 */
export type DropsFault = "full" | "refused" | "newer-format" | "damaged" | "unavailable"

/**
 * Every way the drop's store refuses or fails. Messages are fixed sentences: nothing sent is ever
 * part of one.
 */
export class DropsError extends Error {
  override readonly name = "DropsError"
  readonly code: DropsFault
  constructor(code: DropsFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
