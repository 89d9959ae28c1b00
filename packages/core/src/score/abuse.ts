import { ALWAYS, Balance, type Term } from "./balance.ts"
import type { BlocklistEntry, Trust } from "./email-input.ts"
import { rowNats } from "./factor-rows.ts"
import type { EmailModel } from "./model-email.ts"
import { clip, decayed, interpolated, logit, sigmoid, steppedDown, steppedUp } from "./scale.ts"
import { EMAIL_REASON_CODES, type EmailReasonCode } from "./vocabulary.ts"

const places = new Map<string, number>(EMAIL_REASON_CODES.map((code, place) => [code, place]))

/** The abuse side of an identity: what speaks for and against its owner being the abuser. */
export class AbuseTerms {
  readonly balance: Balance
  readonly #priorLogOdds: number
  readonly #min: number
  readonly #max: number

  constructor(trust: Trust, prior: number, model: EmailModel) {
    const { discount, logOddsMin, logOddsMax } = model.abuse
    this.balance = new Balance(abuseTerms(trust, model), discount)
    this.#priorLogOdds = logit(prior)
    this.#min = logOddsMin
    this.#max = logOddsMax
  }

  /** The probability for a sum of the balance. */
  p(nats: number): number {
    return sigmoid(clip(this.#priorLogOdds + nats, this.#min, this.#max))
  }
}

// Unknown is not negative: a look-up nobody made must not count against an honest person, nor for a
// dishonest one. So null adds no term, and a flag counts only if the model gives it a direction.
function abuseTerms(trust: Trust, { abuse, conf, factors }: EmailModel): readonly Term[] {
  const terms: Term[] = []
  const add = (name: string, nats: number, code: EmailReasonCode | null): void => {
    if (nats === 0) return
    terms.push({
      name,
      nats,
      code: nats < 0 || code === null ? ALWAYS : (places.get(code) ?? ALWAYS),
    })
  }
  const known = <T>(value: T | null | undefined): value is T => value != null

  if (known(trust.emailAge)) {
    add("email_age", interpolated(abuse.emailAge, trust.emailAge), "ID_NEW_EMAIL")
  }
  if (trust.disposable === true) {
    add("disposable", abuse.disposable, "ID_DISPOSABLE")
    if (isBurner(trust, abuse)) add("burner_domain", abuse.burnerDomain.nats, "ID_DISPOSABLE")
  } else if (trust.disposableLikely === true) {
    add("disposable_likely", abuse.disposableLikely ?? 0, "ID_DISPOSABLE")
  }
  if (trust.masked === true) add("masked", abuse.masked, "ID_MASKED")
  if (isCorporate(trust, abuse)) add("corporate", abuse.corporate.nats, null)
  if (known(trust.domainAge) && trust.free !== true) {
    add("domain_age", interpolated(abuse.domainAge, trust.domainAge), "ID_NEW_DOMAIN")
  }
  if (trust.mx === false || trust.deliverable === false) {
    add("undeliverable", abuse.undeliverable, "ID_UNDELIVERABLE")
  }
  if (trust.toxicDomain === true) add("toxic_domain", abuse.toxicDomain, "ID_TOXIC_DOMAIN")
  if (isHomograph(trust, abuse)) {
    add("homograph", abuse.homograph ?? 0, "ID_HOMOGRAPH")
  } else if (trust.typosquat === true) {
    add("typosquat", abuse.typosquat, "ID_TYPOSQUAT")
  }
  if (trust.role === true) add("role", abuse.role, "ID_ROLE")
  if (trust.catchAll === true) add("catch_all", abuse.catchAll, "ID_CATCH_ALL")
  if (trust.ownershipVerified === true) add("ownership_verified", abuse.ownershipVerified, null)
  if (trust.deliverable === true) add("deliverable", abuse.deliverable, null)
  if (known(trust.traces)) add("traces", traceNats(trust.traces, abuse.traces), "ID_NO_FOOTPRINT")
  if (known(trust.handle) && (trust.localLength ?? Infinity) >= (abuse.handle.lengthMin ?? 0)) {
    add("handle", clip(trust.handle, abuse.handle.min, abuse.handle.max), "BOT_HANDLE")
  }
  if (known(trust.velocity24h)) {
    add("velocity", steppedUp(abuse.velocity24h, trust.velocity24h), "BOT_VELOCITY")
  }
  if (known(trust.signupToActionSec)) {
    const nats = steppedDown(abuse.instantAction, trust.signupToActionSec)
    add("instant_action", nats, "BOT_INSTANT_ACTION")
  }
  if (known(trust.blocklist)) {
    const entries = blocklistEntries(trust, abuse)
    add("blocklist", blocklistNats(entries, abuse.blocklist, conf), "BOT_BLOCKLIST")
  }
  if (known(trust.anomaly)) add("anomaly", abuse.anomaly * clip(trust.anomaly, 0, 1), "BOT_ANOMALY")
  if (known(trust.clusterSize)) {
    add("cluster", steppedUp(abuse.cluster, trust.clusterSize), "BOT_CLUSTER")
  }
  if (trust.mailboxDied === true) add("mailbox_died", abuse.mailboxDied, "BOT_MAILBOX_DIED")
  if (known(trust.confirmedFraudAge)) {
    const { nats, halfLifeDays } = abuse.confirmedFraud
    const age = Math.max(0, trust.confirmedFraudAge)
    add("confirmed_fraud", nats * decayed(age, halfLifeDays), "FRAUD_CONFIRMED")
  }
  if (known(trust.goodHistoryDays)) {
    add("good_history", steppedUp(abuse.goodHistory, trust.goodHistoryDays), null)
  }
  factors?.forEach((row, place) => {
    const nats = rowNats(row, trust)
    if (nats === 0) return
    const code = nats < 0 ? ALWAYS : EMAIL_REASON_CODES.length + place
    terms.push({ name: row.code.toLowerCase(), nats, code })
  })
  return terms
}

/** Whether the disposable host is itself new, as hosts made to be thrown away are. */
export function isBurner(trust: Trust, abuse: EmailModel["abuse"]): boolean {
  const { disposable, disposableDomainAge: age } = trust
  return disposable === true && age != null && age < abuse.burnerDomain.daysBelow
}

/** Whether letters of another alphabet speak, beside which a slip of the keyboard is nothing. */
function isHomograph(trust: Trust, abuse: EmailModel["abuse"]): boolean {
  return trust.homograph === true && abuse.homograph !== undefined
}

/**
 * The entries that count: one list of disposable hosts counts once, by whichever name the model
 * knows it.
 */
export function blocklistEntries(
  { blocklist }: Trust,
  { disposableLikely }: EmailModel["abuse"],
): readonly BlocklistEntry[] {
  const entries = blocklist ?? []
  if (disposableLikely === undefined) return entries
  return entries.filter(({ likelyDisposable }) => likelyDisposable !== true)
}

function isCorporate(trust: Trust, abuse: EmailModel["abuse"]): boolean {
  const { free, disposable, masked, domainAge, mx } = trust
  const ownDomain = free === false && disposable !== true && masked !== true
  return ownDomain && mx === true && (domainAge ?? 0) > abuse.corporate.domainDaysAbove
}

function traceNats(count: number, byCount: readonly number[]): number {
  return byCount[clip(Math.floor(count), 0, byCount.length - 1)] ?? 0
}

function blocklistNats(
  entries: readonly BlocklistEntry[],
  { nats, halfLifeDays }: EmailModel["abuse"]["blocklist"],
  usualConf: number,
): number {
  let largest = 0
  for (const { conf, age } of entries) {
    const weight = (conf ?? usualConf) * decayed(Math.max(0, age ?? 0), halfLifeDays)
    largest = Math.max(largest, nats * weight)
  }
  return largest
}
