export type RecordsFault =
  | "not-found"
  | "name-taken"
  | "key-taken"
  | "key-revoked"
  | "key-expired"
  | "key-replaced"
  | "wrong-secret"
  | "newer-format"
  | "old-keys"
  | "read-only"
  | "unavailable"

/** Every way the records refuse or fail. Messages never quote names, labels, hashes or tags. */
export class RecordsError extends Error {
  override readonly name: string = "RecordsError"
  readonly code: RecordsFault
  constructor(code: RecordsFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The records belong to another master secret: going on would make everyone read as unknown. */
export class WrongSecretError extends RecordsError {
  override readonly name = "WrongSecretError"
  constructor() {
    super("wrong-secret", "These records were made with another master secret")
  }
}
