// Turns what a test says was found about a number into the scorer's input, by the real code.
import assert from "node:assert/strict"
import type { PhoneContext as GivenContext } from "@assay/core/contract"
import { parsePhone } from "@assay/core/identity"
import type { PhoneInput } from "@assay/core/score"
import type { Caller } from "../../../src/accounts/callers.ts"
import { plans } from "../../../src/accounts/plans.ts"
import { DEFAULT_SCORING } from "../../../src/accounts/tenant-settings.ts"
import { currentModels } from "../../../src/score/models.ts"
import { plainEntry } from "@assay/stores/entry"
import type { EntryKind, Found, FoundEntry } from "@assay/stores/exposure-index"
import { HOUR_MS } from "@assay/runtime/time"
import { readPhoneContext } from "../../../src/score/phone/phone-context.ts"
import { phoneEntries } from "../../../src/score/phone/phone-entries.ts"
import { phoneEvidence } from "../../../src/score/phone/phone-evidence.ts"
import { signalFacts } from "../../../src/score/phone/signal-facts.ts"
import type {
  SignalName,
  SignalResult,
  SignalValues,
} from "../../../src/score/providers/signals.ts"

export const NOW_MS = Date.UTC(2026, 10, 14, 15)

export const caller: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.enterprise,
  scopes: new Set<string>(),
  person: null,
  shadow: null,
  ...DEFAULT_SCORING,
}

export type Seen = readonly [kind: EntryKind, hoursAgo: number, value?: number]

interface Findings {
  readonly seen?: readonly Seen[]
  readonly results?: readonly SignalResult[]
  readonly context?: GivenContext | undefined
  readonly accounts24h?: number | null
  readonly phone?: string | undefined
  readonly by?: Caller | undefined
  /** Whether the tenant found it out itself and reported it as feedback. */
  readonly own?: boolean
}

/** A number about which nothing else is known, a mobile one unless `phone` names another. */
export function phoneInputOf(findings: Findings = {}): PhoneInput {
  const {
    seen = [],
    results = [],
    context,
    accounts24h = null,
    by = caller,
    own = false,
  } = findings
  const parsed = parsePhone(findings.phone ?? "+61491570156")
  if ("fault" in parsed) assert.fail(parsed.detail)
  return phoneEvidence({
    parsed,
    entries: phoneEntries(foundOf(seen, own), by, NOW_MS),
    signals: signalFacts(results, NOW_MS),
    context: context === undefined ? null : readPhoneContext(context, NOW_MS),
    accounts24h,
    caller: by,
    model: currentModels.phone,
    nowMs: NOW_MS,
  })
}

/** A provider's answer of this moment, with a value. */
export function answer<Name extends SignalName>(
  signal: Name,
  value: SignalValues[Name],
  more: Partial<SignalResult> = {},
): SignalResult {
  const observedAt = new Date(NOW_MS).toISOString()
  return { signal, status: "ok", value, source: "camara:one", observedAt, ...more }
}

/** What a look-up finds of a number. */
export function foundOf(seen: readonly Seen[], own: boolean): Found {
  const owner = own ? (caller.tenantId ?? 1) : ("shared" as const)
  const source = {
    id: 1,
    owner,
    name: own ? "feedback" : "s",
    title: "",
    kind: "sim_change" as const,
    confidence: 1,
    classes: [],
    flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
    eventDate: null,
    circulates: false,
    importedAt: NOW_MS,
  }
  const batch = {
    id: 1,
    sourceId: 1,
    owner,
    state: "live" as const,
    fingerprint: "",
    rows: 1,
    identities: 1,
    createdAt: 0,
    liveAt: 0,
    removedAt: null,
  }
  const entries = seen.map(([kind, hoursAgo, value = null]): FoundEntry => ({
    ...plainEntry(kind, NOW_MS / HOUR_MS - hoursAgo, 1),
    value,
    owner,
  }))
  return {
    entries,
    cut: 0,
    erased: false,
    catalogue: { version: 1, sources: new Map([[1, source]]), batches: new Map([[1, batch]]) },
  }
}
