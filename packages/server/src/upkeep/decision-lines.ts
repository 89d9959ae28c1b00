import type { IdentityType } from "@assay/core/identity"
import type { Decision } from "@assay/stores/decisions"

/** A decision as JSON has it. */
export type DecisionLine = Omit<Decision, "identityKey" | "identityType"> & {
  readonly identityKey: string
  /** The name that backups of every format have for it. */
  readonly subject: IdentityType
}

export function decisionLine({ identityType, identityKey, ...rest }: Decision): DecisionLine {
  const key = Buffer.from(identityKey).toString("base64")
  return { ...rest, subject: identityType, identityKey: key }
}

export function decisionOfLine({ subject, identityKey, ...rest }: DecisionLine): Decision {
  const key = new Uint8Array(Buffer.from(identityKey, "base64"))
  // Older backups have no shadows.
  const { shadow = null } = rest as Partial<DecisionLine>
  return { ...rest, shadow, identityType: subject, identityKey: key }
}
