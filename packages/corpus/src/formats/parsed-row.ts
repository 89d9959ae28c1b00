import type { IdentityType } from "@assay/core/identity"
import type { ParsedRow } from "./format.ts"

const NO_CLASSES: readonly never[] = []

/** A row of a format that knows an identity and a secret and nothing more. */
export function credentialRow(
  identityType: IdentityType,
  identity: string,
  secret: string | null,
): ParsedRow {
  return {
    identityType,
    identity,
    secret,
    secretClass: null,
    secretIsHash: false,
    kind: null,
    hours: null,
    item: null,
    confidence: null,
    classes: NO_CLASSES,
    value: null,
  }
}
