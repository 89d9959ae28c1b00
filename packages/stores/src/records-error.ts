import { Explained } from "@assay/runtime/explained"

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
export class RecordsError extends Explained<RecordsFault> {
  override readonly name = "RecordsError"
}
