import { type Decision, ERASED } from "./decisions.ts"

/** A decision as both engines held it in format 1. */
export interface Row {
  id: string
  at: number
  tenant_id: number | null
  key_id: string
  subject: string
  identity_key: Uint8Array
  model_version: string
  calibration: string | null
  score: number
  stage: string | null
  confidence: string | null
  action: string
  input: string
  format: number
}

export function decisionOf(row: Row): Decision {
  return {
    id: row.id,
    at: row.at,
    tenantId: row.tenant_id,
    keyId: row.key_id,
    identityType: row.subject as Decision["identityType"],
    identityKey: row.identity_key,
    modelVersion: row.model_version,
    calibration: row.calibration,
    score: row.score,
    stage: row.stage,
    confidence: row.confidence,
    action: row.action,
    input: row.input,
    format: row.format,
    shadow: null,
  }
}

const { identityKey, modelVersion, shadow: _none, ...others } = ERASED

/** The values of an erased decision by column. */
export const ERASED_COLUMNS = {
  identity_key: identityKey,
  model_version: modelVersion,
  ...others,
} as const
