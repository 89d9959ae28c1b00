import type { RemoteError } from "@assay/runtime/rpc"
import { RecordsError, type RecordsFault } from "@assay/stores/records-error"

/** Faults of the records and decisions keep their codes on the way from another thread. */
export function recordsFault(error: RemoteError): Error {
  if (error.code === "internal" || error.code === "unknown-method") return error
  return new RecordsError(error.code as RecordsFault, error.message, { cause: error })
}
