import { ALWAYS, Balance } from "./balance.ts"
import type { BlocklistEntry, Trust } from "./email-input.ts"
import { rowNats } from "./factor-rows.ts"
import type { EmailModel } from "./model-email.ts"
import { clip, decayed, interpolated, logit, sigmoid, steppedDown, steppedUp } from "./scale.ts"
import { EMAIL_REASON_CODES, type EmailReasonCode } from "./vocabulary.ts"

const CODES = Object.fromEntries(
  EMAIL_REASON_CODES.map((code, place) => [code, place]),
) as Readonly<Record<EmailReasonCode, number>>

/** The abuse side of an identity: what speaks for and against its owner being the abuser. */
export class AbuseTerms {
  readonly balance: Balance
  readonly #priorLogOdds: number
  readonly #min: number
  readonly #max: number

  constructor(trust: Trust, prior: number, model: EmailModel) {
    const { discount, logOddsMin, logOddsMax } = model.abuse
    this.balance = new Balance(discount)
    addAbuseTerms(this.balance, trust, model)
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
function addAbuseTerms(balance: Balance, trust: Trust, { abuse, conf, factors }: EmailModel): void {
  if (trust.emailAge != null) {
    balance.add("email_age", interpolated(abuse.emailAge, trust.emailAge), CODES.ID_NEW_EMAIL)
  }
  if (trust.disposable === true) {
    balance.add("disposable", abuse.disposable, CODES.ID_DISPOSABLE)
    if (isBurner(trust, abuse))
      balance.add("burner_domain", abuse.burnerDomain.nats, CODES.ID_DISPOSABLE)
  } else if (trust.disposableLikely === true) {
    balance.add("disposable_likely", abuse.disposableLikely ?? 0, CODES.ID_DISPOSABLE)
  }
  if (trust.masked === true) balance.add("masked", abuse.masked, CODES.ID_MASKED)
  if (isCorporate(trust, abuse)) balance.add("corporate", abuse.corporate.nats, ALWAYS)
  if (trust.domainAge != null && trust.free !== true) {
    balance.add("domain_age", interpolated(abuse.domainAge, trust.domainAge), CODES.ID_NEW_DOMAIN)
  }
  if (trust.mx === false || trust.deliverable === false) {
    balance.add("undeliverable", abuse.undeliverable, CODES.ID_UNDELIVERABLE)
  }
  if (trust.toxicDomain === true)
    balance.add("toxic_domain", abuse.toxicDomain, CODES.ID_TOXIC_DOMAIN)
  if (isHomograph(trust, abuse)) {
    balance.add("homograph", abuse.homograph ?? 0, CODES.ID_HOMOGRAPH)
  } else if (trust.typosquat === true) {
    balance.add("typosquat", abuse.typosquat, CODES.ID_TYPOSQUAT)
  }
  if (trust.role === true) balance.add("role", abuse.role, CODES.ID_ROLE)
  if (trust.catchAll === true) balance.add("catch_all", abuse.catchAll, CODES.ID_CATCH_ALL)
  if (trust.ownershipVerified === true)
    balance.add("ownership_verified", abuse.ownershipVerified, ALWAYS)
  if (trust.deliverable === true) balance.add("deliverable", abuse.deliverable, ALWAYS)
  if (trust.traces != null)
    balance.add("traces", traceNats(trust.traces, abuse.traces), CODES.ID_NO_FOOTPRINT)
  if (trust.handle != null && (trust.localLength ?? Infinity) >= (abuse.handle.lengthMin ?? 0)) {
    balance.add("handle", clip(trust.handle, abuse.handle.min, abuse.handle.max), CODES.BOT_HANDLE)
  }
  if (trust.velocity24h != null) {
    balance.add("velocity", steppedUp(abuse.velocity24h, trust.velocity24h), CODES.BOT_VELOCITY)
  }
  if (trust.signupToActionSec != null) {
    const nats = steppedDown(abuse.instantAction, trust.signupToActionSec)
    balance.add("instant_action", nats, CODES.BOT_INSTANT_ACTION)
  }
  if (trust.blocklist != null) {
    const entries = blocklistEntries(trust, abuse)
    balance.add("blocklist", blocklistNats(entries, abuse.blocklist, conf), CODES.BOT_BLOCKLIST)
  }
  if (trust.anomaly != null)
    balance.add("anomaly", abuse.anomaly * clip(trust.anomaly, 0, 1), CODES.BOT_ANOMALY)
  if (trust.clusterSize != null) {
    balance.add("cluster", steppedUp(abuse.cluster, trust.clusterSize), CODES.BOT_CLUSTER)
  }
  if (trust.mailboxDied === true)
    balance.add("mailbox_died", abuse.mailboxDied, CODES.BOT_MAILBOX_DIED)
  if (trust.confirmedFraudAge != null) {
    const { nats, halfLifeDays } = abuse.confirmedFraud
    const age = Math.max(0, trust.confirmedFraudAge)
    balance.add("confirmed_fraud", nats * decayed(age, halfLifeDays), CODES.FRAUD_CONFIRMED)
  }
  if (trust.goodHistoryDays != null) {
    balance.add("good_history", steppedUp(abuse.goodHistory, trust.goodHistoryDays), ALWAYS)
  }
  factors?.forEach((row, place) => {
    const nats = rowNats(row, trust)
    if (nats !== 0) balance.add(row.code.toLowerCase(), nats, EMAIL_REASON_CODES.length + place)
  })
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
