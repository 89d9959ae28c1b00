import { DAY_MS, dayOf } from "@assay/runtime/time"
import { SignalFailure } from "../signal-failure.ts"
import type { Inquiry, Operation } from "./inquiry.ts"
import { flagOf } from "./members.ts"
import { type Contract, contractOf, type Reading } from "./readings.ts"

/** Two years mark a settled subscriber, ninety days a new one. */
const SETTLED_DAYS = 730
const NEW_DAYS = 90
export const TENURE_CHECKS_MAX = 2

export interface TenureQuestion {
  readonly inquiry: Inquiry
  readonly check: Operation
  readonly e164: string
  readonly nowMs: number
}

interface Held {
  readonly held: boolean
  readonly contract: Contract
}

/** Asks whether the subscriber has had the number for two years, and where not, for ninety days. */
export async function askTenure(question: TenureQuestion): Promise<Reading<"tenure">> {
  const { inquiry, check, e164, nowMs } = question
  const heldFor = async (days: number): Promise<Held> => {
    const tenureDate = dayOf(nowMs - days * DAY_MS)
    const members = await inquiry.post(check, { phoneNumber: e164, tenureDate })
    return { held: flagOf(members, "tenureDateCheck"), contract: contractOf(members) }
  }

  const settled = await unlessTooFar(heldFor(SETTLED_DAYS))
  if (settled?.held) return reading("ok", SETTLED_DAYS, null, settled.contract)
  const lessThanDays = settled === null ? null : SETTLED_DAYS
  try {
    const { held, contract } = await heldFor(NEW_DAYS)
    const both = settled?.contract ?? contract
    return held ? reading("ok", NEW_DAYS, lessThanDays, both) : reading("ok", null, NEW_DAYS, both)
  } catch (error) {
    // Less than two years is known; without that answer nothing is.
    if (settled === null || !(error instanceof SignalFailure)) throw error
    return {
      ...reading("partial", null, SETTLED_DAYS, settled.contract),
      providerCode: error.code ?? error.status,
    }
  }
}

function reading(
  status: "ok" | "partial",
  atLeastDays: number | null,
  lessThanDays: number | null,
  contract: Contract,
): Reading<"tenure"> {
  return { status, value: { atLeastDays, lessThanDays, contract }, precision: "band" }
}

/** null: the carrier may not look back so far. */
async function unlessTooFar(answer: Promise<Held>): Promise<Held | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof SignalFailure && error.code === "OUT_OF_RANGE") return null
    throw error
  }
}
