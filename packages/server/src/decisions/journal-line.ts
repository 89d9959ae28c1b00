import { withRef } from "../score/case-ref.ts"
import type { DecisionDraft } from "../score/decision-draft.ts"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { isDecisionId, timeOfDecisionId } from "@assay/stores/decision-id"
import { readShadow, shadowText } from "@assay/stores/decision-shadow"

/**
 * The first line of every journal file; the number grows with each change of what is made of it.
 * None had a 3, which a flipped bit makes a 1 or a 2.
 */
export const JOURNAL_HEADER = "assay decisions journal 4\n"
/**
 * Lines of 2 are the same. Those of 1 have no shadow. Events about the decisions of both have
 * hashes as ids (`decision-events.ts`).
 */
export const OLDER_HEADERS = ["assay decisions journal 2\n", "assay decisions journal 1\n"]

/**
 * A decision as one line: fields between tabs, the shadow only where there is one, the input
 * document last. Neither JSON nor any other field can hold a tab or a line break. Bytes a power cut
 * left as zeros are in no JSON, so such a line is never taken for a decision.
 */
export function journalLine(id: string, draft: DecisionDraft): string {
  const { identityKey: key, stage, confidence, input, ref = null } = draft
  const json = draft.inputJson?.() ?? JSON.stringify(input)
  const shadow = draft.shadow === null ? "" : `\t${shadowText(draft.shadow)}`
  const calibration = input.settings?.calibration?.hash ?? ""
  return `${id}\t${draft.tenantId ?? ""}\t${draft.keyId}\t${draft.identityType}\t${key.toHex()}\t${draft.modelVersion}\t${calibration}\t${draft.score}\t${stage ?? ""}\t${confidence ?? ""}\t${draft.action}${shadow}\t${ref === null ? json : withRef(json, ref)}\n`
}

const ID_LENGTH = 30
const KEY_DIGITS = 32
const SCORE_MAX = 100

/** The decisions of whole lines, and the number of lines that were not written in whole. */
export function readJournalLines(text: string): { found: Decision[]; torn: number } {
  const found: Decision[] = []
  let torn = 0
  const hasZeros = text.includes("\0")
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from)
    const decision = hasZeros ? readJournalLine(text.slice(from, end)) : decisionAt(text, from, end)
    if (decision === null) torn++
    else found.push(decision)
    from = end + 1
  }
  return { found, torn }
}

/** The decision of a line without its line break, or null where it was not written in whole. */
export function readJournalLine(line: string): Decision | null {
  return line.includes("\0") ? null : decisionAt(line, 0, line.length)
}

/**
 * The decision of the line between two places of a text without zeros. Reading it where it stands
 * is faster than from a text of its own. Lines repeat all but the id, the key and the input, so the
 * rest is read once and remembered: that halves the time, and what is left for the garbage
 * collector.
 */
function decisionAt(text: string, from: number, end: number): Decision | null {
  const callerAt = from + ID_LENGTH + 1
  const tenantEnd = text.indexOf("\t", callerAt)
  if (tenantEnd < 0 || text[callerAt - 1] !== "\t") return null
  const keyIdEnd = text.indexOf("\t", tenantEnd + 1)
  const callerEnd = text.indexOf("\t", keyIdEnd + 1)
  const outcomeAt = callerEnd + 1 + KEY_DIGITS + 1
  const outcomeEnd = text.indexOf("\t{", outcomeAt)
  // A line that was cut off may have found the tabs of the next one.
  if (callerEnd < callerAt || outcomeEnd < 0 || outcomeEnd >= end) return null
  if (text[outcomeAt - 1] !== "\t" || !isWholeInput(text, outcomeEnd + 1, end)) return null
  const id = text.slice(from, from + ID_LENGTH)
  const caller = callers.get(text.slice(callerAt, callerEnd))
  const identityKey = keyAt(text, callerEnd + 1)
  const outcome = outcomes.get(text.slice(outcomeAt, outcomeEnd))
  if (caller === null || identityKey === null || outcome === null || !isDecisionId(id)) return null
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
    input: text.slice(outcomeEnd + 1, end),
    format: DECISION_FORMAT,
    shadow: outcome.shadow,
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
  const [confidence = "", action, shadowed, ...more] = rest
  const shadow = shadowed === undefined ? null : readShadow(shadowed)
  if (action === undefined || more.length > 0) return null
  if (shadowed !== undefined && shadow === null) return null
  if (!/^\d{1,3}$/.test(score) || Number(score) > SCORE_MAX) return null
  return {
    modelVersion,
    calibration: calibration || null,
    score: Number(score),
    stage: stage || null,
    confidence: confidence || null,
    action,
    shadow,
  }
})

/** The value of every hexadecimal digit; -1 for all other characters. */
const HEX = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code)),
)

function keyAt(text: string, at: number): Uint8Array | null {
  const bytes = new Uint8Array(KEY_DIGITS / 2)
  for (let n = 0; n < bytes.length; n++) {
    const high = HEX[text.charCodeAt(at + 2 * n)] ?? -1
    const low = HEX[text.charCodeAt(at + 2 * n + 1)] ?? -1
    if (high < 0 || low < 0) return null
    bytes[n] = high * 16 + low
  }
  return bytes
}

/**
 * Taken as it was written: parsing it to be sure would cost more than everything else done with it.
 */
function isWholeInput(text: string, from: number, end: number): boolean {
  const tab = text.indexOf("\t", from)
  return text[end - 1] === "}" && (tab < 0 || tab >= end)
}
