/** Why an opened file is not shown: a stable word, never a part of its content. */
export type EnvelopeFaultCode =
  /**
   * Not the archive of a message: another kind of member, a wrong checksum, a name or an order that
   * is not ours.
   */
  | "archive"
  /** The first member is not a manifest, or not one of this version. */
  | "manifest"
  /** Over one of the limits. */
  | "size"
  /** Neither a text nor a file, or a file without a byte. */
  | "empty"
  /** The manifest names other files than there are. */
  | "files"
  /**
   * Not sealed as this drop seals: no age file, another suite, a passphrase, a tag, too many keys.
   */
  | "header"
  /** No identity at hand opens it. */
  | "identity"
  /** Changed, cut off or lengthened after it was sealed. */
  | "damaged"
  /** A recipient belongs to another suite, or is no recipient. */
  | "recipients"

export class EnvelopeFault extends Error {
  override readonly name = "EnvelopeFault"
  readonly code: EnvelopeFaultCode
  constructor(code: EnvelopeFaultCode, options?: ErrorOptions) {
    super(`The envelope is refused: ${code}`, options)
    this.code = code
  }
}
