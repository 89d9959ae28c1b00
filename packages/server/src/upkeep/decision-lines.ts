import type { Decision } from "@assay/stores/decisions"

/** A decision as JSON has it. */
export type DecisionLine = Omit<Decision, "identityKey"> & { readonly identityKey: string }

export function decisionLine(decision: Decision): DecisionLine {
  return { ...decision, identityKey: Buffer.from(decision.identityKey).toString("base64") }
}

export function decisionOfLine(line: DecisionLine): Decision {
  return { ...line, identityKey: new Uint8Array(Buffer.from(line.identityKey, "base64")) }
}
