import { Explained } from "@assay/runtime/explained"

export type RecordsFault =
  | "not-found"
  | "name-taken"
  | "key-taken"
  | "key-revoked"
  | "key-expired"
  | "key-replaced"
  | "address-taken"
  | "last-owner"
  | "last-credential"
  | "invitation-over"
  | "credential-used"
  | "version-changed"
  | "too-many"
  | "outside-account"
  | "wrong-secret"
  | "newer-format"
  | "old-keys"
  | "read-only"
  | "audit-broken"
  | "lease-lost"
  | "unavailable"

/** Every way the records refuse or fail. Messages never quote names, labels, hashes or tags. */
export class RecordsError extends Explained<RecordsFault> {
  override readonly name = "RecordsError"
}
