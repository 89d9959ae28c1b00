import { type Decision, ERASED_FORMAT } from "./decisions.ts"

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
  }
}

/** The values of an erased decision by column; id, moment, tenant and key stay. */
export const ERASED = {
  identity_key: new Uint8Array(),
  model_version: "",
  calibration: null,
  score: 0,
  stage: null,
  confidence: null,
  action: "",
  input: "",
  format: ERASED_FORMAT,
} as const
