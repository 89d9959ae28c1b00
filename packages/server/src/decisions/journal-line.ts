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
  return `${id}\t${draft.tenantId ?? ""}\t${draft.keyId}\t${draft.identityType}\t${key.toHex()}\t${draft.modelVersion}\t${calibration}\t${draft.score}\t${stage ?? ""}\t${confidence ?? ""}\t${draft.action}\t${inputJson?.() ?? JSON.stringify(input)}\n`
}

const ID_LENGTH = 30
const KEY_DIGITS = 32
const SCORE_MAX = 100

/**
 * The decision of a line without its line break, or null where the line was not written in whole.
 * Lines repeat all but the id, the key and the input, so the rest is read once and remembered: that
 * halves the time, and what is left for the garbage collector.
 */
export function readJournalLine(line: string): Decision | null {
  const callerAt = ID_LENGTH + 1
  const tenantEnd = line.indexOf("\t", callerAt)
  const keyIdEnd = line.indexOf("\t", tenantEnd + 1)
  const callerEnd = line.indexOf("\t", keyIdEnd + 1)
  const outcomeAt = callerEnd + 1 + KEY_DIGITS + 1
  const outcomeEnd = line.indexOf("\t{", outcomeAt)
  if (outcomeEnd < 0 || line[ID_LENGTH] !== "\t" || line[outcomeAt - 1] !== "\t") return null
  const id = line.slice(0, ID_LENGTH)
  const caller = callers.get(line.slice(callerAt, callerEnd))
  const identityKey = keyAt(line, callerEnd + 1)
  const outcome = outcomes.get(line.slice(outcomeAt, outcomeEnd))
  const input = line.slice(outcomeEnd + 1)
  if (caller === null || identityKey === null || outcome === null) return null
  if (!isDecisionId(id) || !isWhole(line, input)) return null
  return {
    id,
    at: timeOfDecisionId(id),
    tenantId: caller.tenantId,
    keyId: caller.keyId,
    identityType: caller.identityType,
    identityKey,
    modelVersion: outcome.modelVersion,
    calibration: outcome.calibration,
    score: outcome.score,
    stage: outcome.stage,
    confidence: outcome.confidence,
    action: outcome.action,
    input,
    format: DECISION_FORMAT,
  }
}

/** What texts mean, null for one that means nothing. Each is read once. */
class Meanings<T> {
  readonly #known = new Map<string, T | null>()
  readonly #read: (fields: readonly string[]) => T | null

  constructor(read: (fields: readonly string[]) => T | null) {
    this.#read = read
  }

  get(text: string): T | null {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    // A slice would keep the whole journal in memory.
    const fields = Buffer.from(text).toString().split("\t")
    const read = this.#read(fields)
    if (this.#known.size === REMEMBERED_MAX) this.#known.clear()
    this.#known.set(fields.join("\t"), read)
    return read
  }
}

const REMEMBERED_MAX = 10_000

const callers = new Meanings<Pick<Decision, "tenantId" | "keyId" | "identityType">>(
  ([tenant = "", keyId = "", identityType, ...rest]) =>
    rest.length === 0 &&
    /^\d*$/.test(tenant) &&
    (identityType === "email" || identityType === "phone")
      ? {
          tenantId: tenant === "" ? null : Number(tenant),
          keyId,
          identityType,
        }
      : null,
)

const outcomes = new Meanings((fields) => {
  const [modelVersion = "", calibration = "", score = "", stage = "", ...rest] = fields
  const [confidence = "", action, ...more] = rest
  if (action === undefined || more.length > 0) return null
  if (!/^\d{1,3}$/.test(score) || Number(score) > SCORE_MAX) return null
  return {
    modelVersion,
    calibration: calibration || null,
    score: Number(score),
    stage: stage || null,
    confidence: confidence || null,
    action,
  }
})

/** The value of every hexadecimal digit; -1 for all other characters. */
const HEX = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code)),
)

function keyAt(line: string, at: number): Uint8Array | null {
  const bytes = new Uint8Array(KEY_DIGITS / 2)
  for (let n = 0; n < bytes.length; n++) {
    const high = HEX[line.charCodeAt(at + 2 * n)] ?? -1
    const low = HEX[line.charCodeAt(at + 2 * n + 1)] ?? -1
    if (high < 0 || low < 0) return null
    bytes[n] = high * 16 + low
  }
  return bytes
}

/**
 * Taken as it was written: parsing it to be sure would cost more than everything else done with it.
 */
function isWhole(line: string, input: string): boolean {
  return input.endsWith("}") && !input.includes("\t") && !line.includes("\0")
}
