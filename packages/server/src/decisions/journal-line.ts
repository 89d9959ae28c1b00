import type { DecisionDraft } from "../score/decision-draft.ts"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { isDecisionId, timeOfDecisionId } from "@assay/stores/decision-id"

/**
 * The first line of every journal file; the number grows with each change of the lines below it.
 */
export const JOURNAL_HEADER = "assay decisions journal 1\n"

/**
 * A decision as one line: fields between tabs, the input document last. Neither JSON nor any other
 * field can hold a tab or a line break. Bytes a power cut left as zeros are in no JSON, so such a
 * line is never taken for a decision.
 */
export function journalLine(id: string, draft: DecisionDraft): string {
  const { identityKey: key, stage, confidence, input, inputJson } = draft
  const calibration = input.settings?.calibration?.hash ?? ""
  const hex = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("hex")
  return `${id}\t${draft.tenantId ?? ""}\t${draft.keyId}\t${draft.identityType}\t${hex}\t${draft.modelVersion}\t${calibration}\t${draft.score}\t${stage ?? ""}\t${confidence ?? ""}\t${draft.action}\t${inputJson?.() ?? JSON.stringify(input)}\n`
}

const FIELDS = 12

/**
 * The decision of a line without its line break, or null where the line was not written in whole.
 */
export function readJournalLine(line: string): Decision | null {
  const fields = line.split("\t")
  const [id = "", tenant = "", keyId = "", identityType, hex = "", modelVersion = "", ...rest] =
    fields
  const [calibration = "", score = "", stage = "", confidence = "", action = "", input = ""] = rest
  if (
    fields.length !== FIELDS ||
    !isDecisionId(id) ||
    !/^\d*$/.test(tenant) ||
    (identityType !== "email" && identityType !== "phone") ||
    !/^[0-9a-f]{32}$/.test(hex) ||
    !/^\d{1,3}$/.test(score) ||
    !isWhole(line, input)
  )
    return null
  return {
    id,
    at: timeOfDecisionId(id),
    tenantId: tenant === "" ? null : Number(tenant),
    keyId,
    identityType,
    identityKey: new Uint8Array(Buffer.from(hex, "hex")),
    modelVersion,
    calibration: calibration || null,
    score: Number(score),
    stage: stage || null,
    confidence: confidence || null,
    action,
    input,
    format: DECISION_FORMAT,
  }
}

/**
 * Taken as it was written: parsing it to be sure would cost more than everything else done with it.
 */
function isWhole(line: string, input: string): boolean {
  return input.startsWith("{") && input.endsWith("}") && !line.includes("\0")
}
