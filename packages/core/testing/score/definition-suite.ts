import type { EmailInput, Exposure, Signal, Trust } from "../../src/score/email-input.ts"
import type { PhoneInput } from "../../src/score/phone-input.ts"
import { SECRETS, type EmailEvidenceKind } from "../../src/score/vocabulary.ts"

// Models 1.0 and 1.1 written out a second time, plainly and with its numbers in place, sharing
// nothing with the scorer but the words. If the two disagree, one of them is wrong.

const logit = (p: number): number => Math.log(p / (1 - p))
const sigma = (l: number): number => 1 / (1 + Math.exp(-l))
const points = (l: number): number => 25 + (9 / Math.log(2)) * (l + Math.log(19))
const logOdds = (s: number): number => ((s - 25) * Math.log(2)) / 9 - Math.log(19)
const half = (age: number, life: number): number => Math.pow(0.5, age / life)
const dsum = (values: number[], gamma: number): number =>
  values
    .toSorted((a, b) => b - a)
    .reduce((sum, value, rank) => sum + Math.pow(gamma, rank) * value, 0)
const total = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)
const balance = (values: number[], gamma: number): number =>
  dsum(
    values.filter((value) => value > 0),
    gamma,
  ) -
  dsum(
    values.filter((value) => value < 0).map((value) => -value),
    gamma,
  )

function line(x: number, ...table: [number, number][]): number {
  for (const [i, [right, high]] of table.entries()) {
    if (x > right) continue
    const [left, low] = table[i - 1] ?? [right, high]
    return right === left ? high : low + ((high - low) * (x - left)) / (right - left)
  }
  return table.at(-1)?.[1] ?? 0
}

interface Fact {
  kind: EmailEvidenceKind
  source: string
  age: number
  conf: number
  secret: string
  classes: Set<string>
  prints: Set<string>
  rotated: boolean
}

function factsOf(input: EmailInput): Fact[] {
  const facts = new Map<string, Fact>()
  const tell = (told: Exposure | Signal, kind: EmailEvidenceKind, secret: string): Fact => {
    const key = JSON.stringify([kind, told.source, told.item ?? ""])
    const known = facts.get(key)
    const age = Math.min(known?.age ?? Infinity, told.age)
    const fact = {
      kind,
      source: told.source,
      age,
      conf: Math.max(known?.conf ?? 0, told.conf ?? 0.8),
      secret: known && rank(known.secret) > rank(secret) ? known.secret : secret,
      classes: known?.classes ?? new Set<string>(),
      prints: known?.prints ?? new Set<string>(),
      rotated: input.rotatedAge != null && age > input.rotatedAge,
    }
    facts.set(key, fact)
    return fact
  }
  for (const told of input.exposures ?? []) {
    const fact = tell(told, told.kind, told.secret ?? "unknown")
    for (const name of told.classes ?? []) fact.classes.add(name)
    for (const print of [told.pwFp ?? []].flat()) fact.prints.add(print)
  }
  for (const told of input.signals ?? []) tell(told, told.type, "signal")
  return [...facts.values()]

  function rank(secret: string): number {
    return (SECRETS as readonly string[]).indexOf(secret)
  }
}

const native: Record<EmailEvidenceKind, number> = {
  monetized: 6,
  attack: 5,
  tested: 4,
  ready: 4,
  phish: 4,
  listing: 3,
  sale: 3,
  stealer: 3,
  repost: 2,
  combolist: 2,
  breach: 1,
  paste: 1,
  mention: 0,
}
const windows = [Infinity, Infinity, 365, 180, 120, 120, 180]
const floors = [-Infinity, 8, 16, 40, 60, 80, 90]
const caps = [14, 34, 49, 64, 79, 94, 100]

function effective({ kind, secret, age, rotated }: Fact): number {
  const stage = secret === "none" ? 1 : native[kind]
  if (stage === 0) return 0
  if (rotated && kind !== "attack" && kind !== "monetized") return 1
  return Math.max(1, stage - Math.floor(age / (windows[stage] ?? Infinity)))
}

function bestBySource(facts: Fact[], value: (fact: Fact) => number): number[] {
  const best = new Map<string, number>()
  for (const fact of facts) {
    best.set(fact.source, Math.max(best.get(fact.source) ?? 0, value(fact)))
  }
  return [...best.values()]
}

function stageOf(facts: Fact[]): number {
  for (let stage = 6; stage >= 1; stage--) {
    const voices = facts.filter((fact) => effective(fact) >= stage)
    const doubt = bestBySource(voices, ({ conf }) => conf).reduce((rest, c) => rest * (1 - c), 1)
    if (1 - doubt >= 0.5 - 1e-12) return stage
  }
  return 0
}

/** The place of the stage, by its definition. */
export function definedStage(input: EmailInput): number {
  return stageOf(factsOf(input))
}

const ratio = { breach: 10, paste: 10, combolist: 10, stealer: 40, phish: 400 }
const fast = {
  breach: [0.5, 90],
  paste: [0.6, 25],
  combolist: [0.5, 60],
  stealer: [0.6, 30],
  phish: [0.8, 7],
} as const
const usable: Record<string, number> = {
  plaintext: 1,
  weak_hash: 0.9,
  salted_hash: 0.6,
  unknown: 0.5,
  slow_hash: 0.1,
  none: 0.03,
}
const sensitive = "phone dob address gov_id security_qa ip_geo device payment session".split(" ")

/** Which model is written out. */
export type Version = "1.0" | "1.1"

function credentialPoints(facts: Fact[], version: Version): number {
  const exposures = facts.filter(({ secret }) => secret !== "signal")
  const prints = new Set(exposures.flatMap((fact) => [...fact.prints]))
  const reuse = [...prints].some(
    (print) =>
      new Set(exposures.filter((fact) => fact.prints.has(print)).map(({ source }) => source)).size >
      1,
  )
  const excess = exposures.map((fact) => {
    const kind = fact.kind as keyof typeof ratio
    const [share, life] = fast[kind]
    const valid = share * half(fact.age, life) + (1 - share) * half(fact.age, 800)
    const odds = (ratio[kind] - 1) * (usable[fact.secret] ?? NaN) * valid * fact.conf
    return odds * (reuse ? 2 : 1) * (fact.rotated ? 0.1 : 1)
  })
  const classes = new Set(exposures.flatMap((fact) => [...fact.classes]))
  const depth = Math.min(6, sensitive.filter((name) => classes.has(name)).length)
  const weights = (life: number, stale: number, ...kinds: EmailEvidenceKind[]): number[] =>
    facts
      .filter(({ kind, secret }) => kinds.includes(kind) && secret !== "none")
      .map(({ conf, age, rotated }) => conf * half(age, life) * (rotated ? stale : 1))
  const market = [
    Math.min(1.5, 0.7 * Math.log(1 + total(weights(365, 0.3, "repost", "combolist")))),
    Math.min(1.6, 0.8 * Math.log(1 + total(weights(120, 0.3, "listing")))),
    Math.min(1, 0.4 * Math.log(1 + total(weights(14, 1, "mention")))),
    1.2 * Math.max(0, ...weights(60, 0.3, "ready")),
    0.8 * Math.max(0, ...weights(90, 0.3, "sale")),
    1.5 * Math.max(0, ...weights(60, 0.3, "tested")),
    2.5 * Math.max(0, ...weights(45, 1, "attack")),
    3.5 * Math.max(0, ...weights(90, 1, "monetized")),
  ]
  const raw = points(
    logit(0.0033) + Math.log(1 + dsum(excess, 0.5)) + 0.1 * depth + dsum(market, 0.8),
  )
  const stage = stageOf(facts)
  const fresh = facts.filter((fact) => effective(fact) >= 2 && fact.age <= 90)
  const lifted = stage === 2 && new Set(fresh.map(({ source }) => source)).size >= 2
  const stageFloor = lifted ? 25 : (floors[stage] ?? NaN)
  const atOnce = facts.some(
    ({ secret, conf, age, rotated }) =>
      (secret === "plaintext" || secret === "weak_hash") && conf >= 0.5 && age <= 30 && !rotated,
  )
  const floor = version === "1.1" && stage >= 1 && atOnce ? Math.max(25, stageFloor) : stageFloor
  return Math.min(caps[stage] ?? NaN, Math.max(floor, raw))
}

function abuseTerms(t: Trust, version: Version): number[] {
  const later = version === "1.1"
  const lookAlike = later && t.homograph === true
  const listed = (t.blocklist ?? []).filter((entry) => !later || entry.likelyDisposable !== true)
  const shaped = !later || t.localLength == null || t.localLength >= 4
  const step = (n: number, ...steps: [number, number][]): number =>
    steps.findLast(([from]) => n >= from)?.[1] ?? 0
  const ownDomain = t.free === false && t.disposable !== true && t.masked !== true && t.mx === true
  const seconds = t.signupToActionSec ?? Infinity
  return [
    t.emailAge == null
      ? 0
      : line(
          t.emailAge,
          [0, 2.2],
          [7, 2],
          [30, 1.5],
          [90, 0.8],
          [365, 0.2],
          [1095, -0.4],
          [3650, -0.9],
        ),
    t.disposable === true ? 2.8 : 0,
    t.disposable === true && t.disposableDomainAge != null && t.disposableDomainAge < 30 ? 0.5 : 0,
    later && t.disposable !== true && t.disposableLikely === true ? 1.6 : 0,
    lookAlike ? 3 : 0,
    t.masked === true ? 0.3 : 0,
    ownDomain && t.domainAge != null && t.domainAge > 365 ? -0.4 : 0,
    t.domainAge == null || t.free === true
      ? 0
      : line(t.domainAge, [0, 1.6], [32, 1.4], [90, 0.8], [180, 0.4], [365, 0], [1825, -0.2]),
    t.mx === false || t.deliverable === false ? 2 : 0,
    t.toxicDomain === true ? 1.5 : 0,
    t.typosquat === true && !lookAlike ? 0.8 : 0,
    t.catchAll === true ? 0.3 : 0,
    t.role === true ? 0.3 : 0,
    t.ownershipVerified === true ? -0.7 : 0,
    t.deliverable === true ? -0.2 : 0,
    t.traces == null ? 0 : ([0.5, -0.35, -0.7][t.traces] ?? -1.05),
    shaped ? Math.min(1.2, Math.max(-0.6, t.handle ?? 0)) : 0,
    step(t.velocity24h ?? 0, [2, 1.5], [3, 2.2], [6, 2.8]),
    seconds <= 60 ? 2 : seconds <= 3600 ? 0.3 : 0,
    (t.clusterSize ?? 0) >= 5 ? 1.5 : 0,
    Math.max(0, ...listed.map((e) => 2.5 * (e.conf ?? 0.8) * half(e.age ?? 0, 180))),
    t.confirmedFraudAge == null ? 0 : (later ? 7 : 4) * half(t.confirmedFraudAge, 365),
    2 * Math.min(1, Math.max(0, t.anomaly ?? 0)),
    t.mailboxDied === true ? 1 : 0,
    step(t.goodHistoryDays ?? 0, [30, -0.5], [180, -1]),
  ]
}

/** The numbers of an e-mail identity at the settings of the model, by their definition. */
export function definedEmail(input: EmailInput, version: Version) {
  const facts = factsOf(input)
  const credential_points = credentialPoints(facts, version)
  const p_credential = sigma(logOdds(credential_points))
  const lB = logit(0.01) + balance(abuseTerms(input.trust ?? {}, version), 0.7)
  const p_abuse = sigma(Math.min(6, Math.max(-9, lB)))
  const p = 1 - (1 - p_credential) * (1 - p_abuse)
  const { credential, darkweb, trust, bot } = input.coverage ?? {}
  const seen =
    0.35 * (credential ?? 0) + 0.2 * (darkweb ?? 0) + 0.25 * (trust ?? 0) + 0.2 * (bot ?? 0)
  const mass = total(bestBySource(facts, ({ conf, age }) => conf * half(age, 730)))
  const v = 0.6 * seen + 0.4 * (1 - Math.exp(-mass / 4)) - 0.15 * Number(input.conflict ?? 0)
  return {
    credential_points,
    p_credential,
    p_abuse,
    p,
    risk: points(logit(p)),
    confidence_value: Math.min(1, Math.max(0, v)),
  }
}

const lineNats: Record<string, number> = {
  mobile_postpaid: -0.3,
  mobile: 0,
  mobile_prepaid: 0.5,
  fixed: 0.3,
  voip_fixed: 0.5,
  voip_nonfixed: 1.5,
  toll_free: 1.2,
  premium: 2,
  sms_receive_site: 4,
  unknown: 0.3,
}

/** The numbers of a phone number, by their definition. */
export function definedPhone(n: PhoneInput, version: Version) {
  const later = version === "1.1"
  const known = (...ages: (number | null | undefined)[]) => {
    const given = ages.filter((age) => age != null)
    return given.length === 0 ? null : Math.min(...given)
  }
  const sim = later ? known(n.simChangeAge, n.simChangeAgeMin) : (n.simChangeAge ?? null)
  const t = known(sim, n.portAge)
  const proved =
    n.verifiedAge != null &&
    t !== null &&
    n.verifiedAge < t &&
    (!later || n.verifiedIndependently === true || t - n.verifiedAge >= 10)
  const counts = t !== null && !proved
  const ratioAt = (d: number): number =>
    1 + (0.05 / (0.15 / 365)) * (0.7 * Math.exp(-d) + (0.3 / 7) * Math.exp(-d / 7))
  const deviceAge = sim ?? n.portAge
  const takeover = [
    counts ? Math.log(ratioAt(t)) : 0,
    counts && n.portAge != null ? 0.5 * half(n.portAge, 7) : 0,
    n.recycledSinceVerified === true ? 3.5 : 0,
    n.callForwarding === true ? 1.5 : 0,
    counts && n.deviceChangedWithSim === true && deviceAge != null ? 1.2 * half(deviceAge, 14) : 0,
    n.simMovedSameDevice === true ? -0.8 : 0,
    (n.deviceContinuityDays ?? 0) >= 365 ? -0.8 : 0,
    Math.min(1.5, 0.6 * Math.log2(1 + (n.routeChanges90d ?? 0))),
    n.otpFailureBurst === true ? 1 : 0,
  ]
  const accounts = n.accounts24h ?? 0
  const quality = [
    lineNats[n.line ?? "unknown"] ?? NaN,
    n.valid === false ? 6 : 0,
    n.active === false ? 1.5 : n.active === true ? -0.2 : 0,
    n.tenureDays == null
      ? 0
      : line(n.tenureDays, [0, 1.2], [30, 0.9], [90, 0.5], [365, 0], [730, -0.6]),
    n.countryMismatch === true ? 0.6 : 0,
    accounts >= 6 ? 2.8 : accounts >= 3 ? 2.2 : accounts >= 2 ? 1.5 : 0,
    n.blocklisted === true && !(later && n.blocklistedForFraud === true) ? 2.5 : 0,
    later && n.reserved === true ? 6 : 0,
    later && n.confirmedFraudAge != null ? 7 * half(n.confirmedFraudAge, 365) : 0,
  ]
  const steps: [number, number][] = later
    ? [
        [1, 60],
        [3, 40],
        [10, 25],
        [30, 0],
      ]
    : [
        [1, 60],
        [3, 40],
        [7, 25],
        [10, 15],
        [30, 0],
      ]
  const floor = Math.max(
    counts && t <= 30 ? line(t, ...steps) : -Infinity,
    n.recycledSinceVerified === true ? 60 : -Infinity,
    later && n.callForwarding === true ? 40 : -Infinity,
  )
  const raw = points(logit(0.004) + balance(takeover, 0.8))
  const p_takeover = sigma(logOdds(Math.max(raw, floor)))
  const owned = sigma(logit(0.01) + balance(quality, 0.7))
  const p_quality = later && n.active === false ? Math.max(owned, sigma(logOdds(40))) : owned
  const p = 1 - (1 - p_takeover) * (1 - p_quality)
  return { p_takeover, p_quality, p, risk: points(logit(p)) }
}
