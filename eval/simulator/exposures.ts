import type { Exposure, Signal } from "@assay/core/score"
import type { Random } from "../random.ts"
import type { Circulation, Leak } from "./leaks.ts"
import { circulation, leaks as leakRates, observed, YEAR_DAYS } from "./rates.ts"
import type { PastTakeover, Takeovers } from "./takeovers.ts"

/** What the operator's sources show of a person's leaks: some, and not at once. */
export interface SeenEvidence {
  readonly exposures: readonly Exposure[]
  readonly signals: readonly Signal[]
}

const CLASSES = ["phone", "dob", "address", "ip_geo", "device", "payment", "session"] as const
const LISTS = 40

export function seenEvidence(
  leaks: readonly Leak[],
  { past }: Takeovers,
  random: Random,
): SeenEvidence {
  const exposures: Exposure[] = []
  const signals: Signal[] = []
  leaks.forEach((leak, i) => {
    // A breach that is not known yet may circulate all the same, and its lists may be seen.
    if (isKnown(leak, random)) exposures.push(exposureOf(leak, `${leak.kind}-${i}`, random))
    for (const event of leak.circulation) {
      if (event.age < 0 || !random.chance(observed[event.kind])) continue
      if (event.kind === "list") exposures.push(listOf(event, random))
      else signals.push(signalOf(event.kind, event.age, random))
    }
  })
  for (const takeover of past) signals.push(...signalsOfTakeover(takeover, random))
  for (let n = random.poisson(circulation.mentionsPerYear); n > 0; n--) {
    const age = random.between(0, YEAR_DAYS)
    if (random.chance(observed.mention)) signals.push(signalOf("mention", age, random))
  }
  return { exposures, signals }
}

function isKnown({ kind, age }: Leak, random: Random): boolean {
  const delayDays =
    kind === "breach" ? random.exponential(observed.breachDelayMedianDays / Math.LN2) : 0
  return age >= delayDays && random.chance(observed[kind])
}

function exposureOf(leak: Leak, source: string, random: Random): Exposure {
  return {
    kind: leak.kind === "address" ? "breach" : leak.kind,
    source,
    age: Math.floor(leak.age),
    secret: leak.secret,
    conf: confidence(random),
    classes: leak.kind === "address" ? [] : classesOf(leakRates.classShare[leak.kind], random),
    pwFp: leak.secret === "plaintext" ? leak.password : null,
  }
}

// A list that circulates other leaks carries their passwords by nature, so it gives no fingerprint.
function listOf({ age }: Circulation, random: Random): Exposure {
  return {
    kind: "combolist",
    source: `list-${random.below(LISTS)}`,
    age: Math.floor(age),
    secret: "plaintext",
    conf: confidence(random),
    classes: [],
    pwFp: null,
  }
}

function signalsOfTakeover({ age, loss }: PastTakeover, random: Random): Signal[] {
  const signals: Signal[] = []
  if (random.chance(circulation.testedShare) && random.chance(observed.tested)) {
    signals.push(signalOf("tested", age, random))
  }
  if (random.chance(observed.attack)) {
    signals.push(signalOf(loss ? "monetized" : "attack", age, random))
  }
  return signals
}

function signalOf(type: Signal["type"], age: number, random: Random): Signal {
  return {
    type,
    source: `${type}-${random.below(LISTS)}`,
    age: Math.floor(age),
    conf: confidence(random),
  }
}

function confidence(random: Random): number {
  return Number(random.pick(observed.confidences))
}

function classesOf(share: number, random: Random): string[] {
  return CLASSES.filter(() => random.chance(share))
}
