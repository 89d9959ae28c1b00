import { requestTagOf } from "@assay/stores/decision-id"
import { sha256 } from "@assay/runtime/secrets"

export type RequestTag = (requestId: string) => string

/**
 * What the ids of a request's decisions have in common. With a key: a caller may have taken a
 * number that names somebody for the id of a request. The last one is remembered, for batches.
 */
export function openRequestTag(subkey: Uint8Array): RequestTag {
  let last = { id: "", tag: "" }
  return (id) => {
    if (last.id !== id) last = { id, tag: requestTagOf(sha256(subkey, Buffer.from(id))) }
    return last.tag
  }
}
