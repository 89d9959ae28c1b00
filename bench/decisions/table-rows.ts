import { assessEmail, assessPhone, type EmailInput, type PhoneInput } from "@assay/core/score"
import type { IdentityKey } from "@assay/core/identity"
import { newDecisionId } from "@assay/stores/decision-id"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { currentModels } from "../../packages/server/src/score/models.ts"
import { inputsWith } from "../model/inputs.ts"

/** What every row of one outcome has. */
type Outcome = Pick<
  Decision,
  "identityType" | "modelVersion" | "score" | "stage" | "confidence" | "action" | "input"
>

/** Of 100 rows; most addresses in most traffic are in no corpus, and a tenth are numbers. */
const EXPOSURES = [
  { of: 54, counts: [0] },
  { of: 27, counts: [1, 2, 3, 4] },
  { of: 8, counts: [5, 8, 11, 15] },
  { of: 1, counts: [60] },
] as const
const PHONES_OF_100 = 10
/** One row in so many has an outcome that no other has. */
const RARE_EVERY = 100_000
export const RARE_STAGE = "MONETIZED"
/** One row in so many is about the identity that is looked for, and one of the request. */
const KNOWN_EVERY = 50_000
const IDENTITIES = 200_000

export interface TableRows {
  readonly tenantId: number
  readonly keyId: string
  readonly known: IdentityKey
  /** The tag of the one request that is looked for, of which there are some rows. */
  readonly requestTag: string
  /** The first row is of this moment, and the last one of the other. */
  readonly fromMs: number
  readonly untilMs: number
  readonly count: number
}

/**
 * The rows of a table over some weeks, in the order of time, the same on every machine but for ids.
 */
export function* tableRows(of: TableRows, atOnce: number): Generator<Decision[]> {
  const { tenantId, keyId, known, requestTag, fromMs, untilMs, count } = of
  const common = common100()
  const rare = rareOutcome()
  const step = (untilMs - fromMs) / count
  for (let from = 0; from < count; from += atOnce) {
    yield Array.from({ length: Math.min(atOnce, count - from) }, (_, place): Decision => {
      const row = from + place
      const at = Math.floor(fromMs + row * step)
      const outcome =
        row % RARE_EVERY === RARE_EVERY / 2
          ? rare
          : // A step that shares no divisor with the count visits all of them in a mixed order.
            (common[(row * 7919) % common.length] as Outcome)
      return {
        ...outcome,
        id: newDecisionId(at, row % KNOWN_EVERY === 11 ? requestTag : ""),
        at,
        tenantId,
        keyId,
        identityKey:
          row % KNOWN_EVERY === 7 && outcome.identityType === "email"
            ? known
            : keyOf((row * 15_485_863) % IDENTITIES),
        calibration: null,
        format: DECISION_FORMAT,
        shadow: null,
      }
    })
  }
}

function keyOf(identity: number): Uint8Array {
  const key = new Uint8Array(16)
  const view = new DataView(key.buffer)
  // Spread over all keys as hashes are.
  view.setUint32(0, Math.imul(identity + 1, 2_654_435_761))
  view.setUint32(4, identity)
  return key
}

function common100(): Outcome[] {
  const emails = EXPOSURES.flatMap(({ of, counts }) => {
    const inputs = counts.flatMap((count) => inputsWith(count))
    return Array.from({ length: of * 64 }, (_, n) =>
      emailOutcome(inputs[n % inputs.length] as EmailInput),
    )
  })
  const phones = Array.from({ length: PHONES_OF_100 * 64 }, (_, n) => phoneOutcome(n))
  return [...emails.filter(({ stage }) => stage !== RARE_STAGE), ...phones]
}

function emailOutcome(input: EmailInput): Outcome {
  const model = currentModels.email
  const { risk_score, threat_stage, confidence, recommended_action } = assessEmail(input, model)
  return {
    identityType: "email",
    modelVersion: model.version,
    score: risk_score,
    stage: threat_stage,
    confidence,
    action: recommended_action,
    input: JSON.stringify(input),
  }
}

/** No other row has this stage. */
function rareOutcome(): Outcome {
  const [input] = inputsWith(0)
  if (input === undefined) throw new Error("There are no inputs")
  const signals = [{ type: "monetized", source: "source 1", item: "", age: 3, conf: 0.95 }] as const
  const outcome = emailOutcome({ ...input, signals })
  if (outcome.stage !== RARE_STAGE) throw new Error(`The rare stage is ${String(outcome.stage)}`)
  return outcome
}

function phoneOutcome(n: number): Outcome {
  const input: PhoneInput = {
    as_of: "2026-11-15T12:00:00.000Z",
    numberType: "mobile",
    region: "AU",
    line: "mobile",
    valid: true,
    ...(n % 3 === 0 ? { simChangeAge: 0.1 + (n % 300), active: true, verifiedAge: 100 } : {}),
    coverage: { number: 1, sim: n % 3 === 0 ? 1 : 0, device: 0, network: 0, context: 0 },
  }
  const model = currentModels.phone
  const { risk_score, recommendation } = assessPhone(input, model)
  return {
    identityType: "phone",
    modelVersion: model.version,
    score: risk_score,
    stage: null,
    confidence: null,
    action: recommendation,
    input: JSON.stringify(input),
  }
}
