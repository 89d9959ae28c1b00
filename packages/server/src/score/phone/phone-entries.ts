import type { Caller } from "../../accounts/callers.ts"
import { type Observation, visibleTo } from "../observations.ts"
import type { EntryKind, Found } from "@assay/stores/exposure-index"
import { SERVICE_SOURCES } from "@assay/stores/arriving-batches"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"

const ROUTE_DAYS = 90

/**
 * What somebody last said of a number, with its age in days: Infinity where nobody said anything.
 */
class LastWord {
  age = Infinity
  value = NaN
  readonly #riskier: "higher" | "lower"

  constructor(riskier: "higher" | "lower") {
    this.#riskier = riskier
  }

  /** Of two statements of the same hour the riskier one is kept, in whatever order they come. */
  take(age: number, value: number | null): void {
    if (value === null || age > this.age) return
    const isRiskier = this.#riskier === "higher" ? value > this.value : value < this.value
    if (age === this.age && !isRiskier) return
    this.age = age
    this.value = value
  }
}

/** Codes of `line_status` and `subscription`, as entries keep them. */
export const ACTIVE = 1
const ABSENT = -1
export const PREPAID = 1

/**
 * What the index knows of a number, the newest of each kind. Ages are days from the hour; Infinity
 * is never.
 */
export class PhoneEntries {
  readonly visible: readonly Observation[]
  readonly status = new LastWord("lower")
  readonly forwarding = new LastWord("higher")
  readonly tenure = new LastWord("lower")
  readonly subscription = new LastWord("lower")
  readonly unchanged = new LastWord("lower")
  simChangeAge = Infinity
  portAge = Infinity
  deviceChangeAge = Infinity
  recycledAge = Infinity
  takeoverAge = Infinity
  otpFailuresAge = Infinity
  /** When the tenant last saw the number proved; null where it never did. */
  verifiedAtMs: number | null = null
  routeChanges90d = 0
  /** Whether any of them is more than our own note that the tenant asked before. */
  saysAnything = false
  /** On a list, or reported for fraud by anybody but the tenant. */
  blocklisted = false
  /** Since the tenant itself confirmed fraud with the number. */
  confirmedFraudAge = Infinity

  constructor(visible: readonly Observation[], nowMs: number) {
    this.visible = visible
    for (const { entry, source } of visible) {
      if (entry.kind === "decided") continue
      this.saysAnything = true
      const atMs = entry.hours * HOUR_MS
      const age = Math.max(0, (nowMs - atMs) / DAY_MS)
      if (entry.kind === "fraud_report" && isOwnWord(entry, source)) {
        this.confirmedFraudAge = Math.min(this.confirmedFraudAge, age)
      } else this.#take(entry.kind, atMs, age, entry.value)
    }
  }

  #take(kind: EntryKind, atMs: number, age: number, value: number | null): void {
    switch (kind) {
      case "sim_change":
        this.simChangeAge = Math.min(this.simChangeAge, age)
        break
      case "port":
        this.portAge = Math.min(this.portAge, age)
        break
      case "device_change":
        this.deviceChangeAge = Math.min(this.deviceChangeAge, age)
        break
      case "recycled":
        this.recycledAge = Math.min(this.recycledAge, age)
        break
      case "takeover_confirmed":
        this.takeoverAge = Math.min(this.takeoverAge, age)
        break
      case "ownership_verified":
        this.verifiedAtMs = Math.max(this.verifiedAtMs ?? atMs, atMs)
        break
      case "otp_failures":
        this.otpFailuresAge = Math.min(this.otpFailuresAge, age)
        break
      case "route_change":
        if (age <= ROUTE_DAYS) this.routeChanges90d++
        break
      case "blocklisted":
      case "fraud_report":
        this.blocklisted = true
        break
      case "line_status":
        // Absent is a handset that is switched off or out of reach. The subscription behind it may
        // be in order, so this says nothing of the line, and an earlier status still holds.
        if (value !== ABSENT) this.status.take(age, value)
        break
      case "call_forwarding":
        this.forwarding.take(age, value)
        break
      case "tenure":
        this.tenure.take(age, value)
        break
      case "subscription":
        this.subscription.take(age, value)
        break
      case "sim_unchanged":
        this.unchanged.take(age, value)
        break
      default:
    }
  }
}

/** The tenant's own finding, not evidence it has from elsewhere. */
function isOwnWord({ owner }: Observation["entry"], { name }: Observation["source"]): boolean {
  return owner !== "shared" && SERVICE_SOURCES.has(name)
}

const NO_ENTRIES = new PhoneEntries([], 0)

/** Nothing is known of most numbers: they share one answer, which nobody changes. */
export function phoneEntries(found: Found, caller: Caller, nowMs: number): PhoneEntries {
  return found.entries.length === 0 ? NO_ENTRIES : new PhoneEntries(visibleTo(caller, found), nowMs)
}
