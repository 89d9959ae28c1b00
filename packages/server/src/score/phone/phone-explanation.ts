import type { ParsedPhone } from "@assay/core/identity"
import { explainPhone, type PhoneInput, type PhoneModel } from "@assay/core/score"
import type { Caller } from "../../accounts/callers.ts"
import { sourceLabels } from "../observations.ts"
import { HOUR_MS } from "@assay/runtime/time"
import { numberFacts } from "./number-facts.ts"
import type { PhoneContext } from "./phone-context.ts"
import type { PhoneEntries } from "./phone-entries.ts"
import type { PhoneSignals } from "../providers/phone-signals.ts"
import { explainedSignals, signalNotes } from "./signal-notes.ts"

/** What an answer about a number was made from. */
export interface ExplainedPhone {
  readonly parsed: ParsedPhone
  readonly input: PhoneInput
  readonly model: PhoneModel
  readonly entries: PhoneEntries
  /** Entries the answer does not rest on, because there were more than the index keeps. */
  readonly cut: number
  readonly signals: PhoneSignals
  readonly context: PhoneContext | null
  readonly accounts24h: number | null
  readonly caller: Caller
  readonly decisionId: string | null
}

const NOT_COUNTED = "Accounts that use the number could not be counted"

/** How the model came to its answer, and where everything it looked at came from. */
export function phoneExplanation(explained: ExplainedPhone): Record<string, unknown> {
  const { parsed, input, model, entries, cut, signals, context, accounts24h, caller, decisionId } =
    explained
  const scored = explainPhone(input, model)
  return {
    ...scored,
    notes: [
      ...scored.notes,
      ...(context !== null && accounts24h === null ? [NOT_COUNTED] : []),
      ...signalNotes(signals),
    ],
    number: numberFacts(parsed),
    evidence: explainedEvidence(entries, caller),
    entries_cut: cut,
    signals: explainedSignals(signals),
    decision_id: decisionId,
    ...(context === null ? {} : { context: explainedContext(context, entries, accounts24h) }),
  }
}

/**
 * Every observation except our own note that the tenant asked before: the phone model ignores it.
 */
function explainedEvidence({ visible }: PhoneEntries, caller: Caller): object[] {
  const sourceLabel = sourceLabels(caller)
  return visible
    .filter(({ entry }) => entry.kind !== "decided")
    .map(({ entry, source }) => ({
      kind: entry.kind,
      observed_at: new Date(entry.hours * HOUR_MS).toISOString(),
      value: entry.value,
      source: sourceLabel(source),
    }))
}

function explainedContext(
  { event, verifiedAtMs }: PhoneContext,
  entries: PhoneEntries,
  accounts24h: number | null,
): object {
  const byRequest = verifiedAtMs !== null && verifiedAtMs >= (entries.verifiedAtMs ?? 0)
  return {
    event,
    counted: accounts24h !== null,
    accounts_24h: accounts24h,
    verification_known_by: byRequest ? "request" : entries.verifiedAtMs === null ? null : "record",
  }
}
