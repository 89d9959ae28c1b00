import { blocklistEntries, isBurner } from "./abuse.ts"
import { dateBefore } from "./date.ts"
import type { EmailInput, Trust } from "./email-input.ts"
import { REUSE_CODE, type EmailPass } from "./email-pass.ts"
import type { ExposureTexts } from "./email-weights.ts"
import { type FactorRow, rowText } from "./factor-rows.ts"
import { type Evidence, NO_ITEM, NO_SECRET } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { counted, daysAgo, filled, type Counted } from "./sentence.ts"
import { EMAIL_REASON_CODES } from "./vocabulary.ts"

/** The sentence of a reason, and how long ago its newest evidence was, if that is known. */
export interface Sentence {
  readonly text: string
  readonly age: number | null
}

type Texts = EmailModel["texts"]
type TrustCode = keyof Texts["trust"] | "ID_HOMOGRAPH"

export function emailReasonSentence(
  code: number,
  pass: EmailPass,
  input: EmailInput,
  model: EmailModel,
): Sentence {
  const { texts } = pass.weights
  const exposure = texts.exposures[code]
  if (exposure !== undefined) return exposuresSentence(code, exposure, pass)
  if (code === REUSE_CODE) return reuseSentence(pass, model.texts)
  const signal = texts.signals[code - REUSE_CODE - 1]
  if (signal !== undefined) return signalsSentence(code, signal, pass)
  const name = EMAIL_REASON_CODES[code]
  if (name === undefined) return { text: rowText(rowOf(code, model), input.trust ?? {}), age: null }
  return trustSentence(name as TrustCode, input.trust ?? {}, model)
}

/** The public code at a place: the program's codes come first, then the rows of the document. */
export function emailCode(code: number, model: EmailModel): string {
  return EMAIL_REASON_CODES[code] ?? rowOf(code, model).code
}

function rowOf(code: number, { factors }: EmailModel): FactorRow {
  const row = factors?.[code - EMAIL_REASON_CODES.length]
  if (row === undefined) throw new RangeError("no such reason code")
  return row
}

/** The newest date behind a reason, as YYYY-MM-DD. */
export function newestDate(sentence: Sentence, asOf: string): string | null {
  return sentence.age === null ? null : dateBefore(asOf, sentence.age)
}

/** Some items in numbers. */
export interface Summary {
  /** Distinct sources. */
  readonly sources: number
  /** Of the newest. */
  readonly age: number
}

/** Sums up the items of some kinds, a bit mask. */
export function summary({ count, kinds, kindsBefore, ages }: Evidence, bits: number): Summary {
  let sources = 0
  let age = Infinity
  for (let item = 0; item < count; item++) {
    if ((bits & (1 << (kinds[item] as number))) === 0) continue
    if ((bits & (kindsBefore[item] as number)) === 0) sources++
    age = Math.min(age, ages[item] as number)
  }
  return { sources, age }
}

/** The same for the items of one kind. */
function summaryOf(evidence: Evidence, kind: number): Summary {
  const { lastOfKind, beforeOfKind, kindsBefore, ages } = evidence
  let sources = 0
  let age = Infinity
  for (let item = lastOfKind[kind] as number; item !== NO_ITEM;) {
    if (((kindsBefore[item] as number) & (1 << kind)) === 0) sources++
    age = Math.min(age, ages[item] as number)
    item = beforeOfKind[item] as number
  }
  return { sources, age }
}

/** The strongest secret among the items of a kind, and the distinct sources that leaked it. */
function strongestSecret(evidence: Evidence, kind: number): { secret: number; sources: number } {
  const { lastOfKind, beforeOfKind, secrets } = evidence
  let strongest = NO_SECRET
  let sources = 0
  for (let item = lastOfKind[kind] as number; item !== NO_ITEM;) {
    const secret = secrets[item] as number
    if (secret > strongest) {
      strongest = secret
      sources = 0
    }
    if (secret === strongest && !isRepeated(evidence, item)) sources++
    item = beforeOfKind[item] as number
  }
  return { secret: strongest, sources }
}

/** Whether an item before it from the same source is of the same kind with the same secret. */
function isRepeated({ kinds, secrets, before, kindsBefore }: Evidence, item: number): boolean {
  const kind = kinds[item] as number
  if (((kindsBefore[item] as number) & (1 << kind)) === 0) return false
  for (let other = before[item] as number; other !== NO_ITEM; other = before[other] as number) {
    if (kinds[other] === kind && secrets[other] === secrets[item]) return true
  }
  return false
}

// The sentence claims the strongest secret only for the sources that leaked it. The codes of
// exposures have the places of their kinds.
function exposuresSentence(
  kind: number,
  form: ExposureTexts,
  { evidence, weights: { texts } }: EmailPass,
): Sentence {
  const { sources: n, age } = summaryOf(evidence, kind)
  const { secret: strongest, sources: some } = strongestSecret(evidence, kind)
  const secret = texts.secrets[strongest] ?? ""
  const values = { secret, some, n, ago: texts.ago.at(age) }
  return { text: some < n ? filled(form.part, values) : counted(form, values), age }
}

function signalsSentence(
  code: number,
  form: Counted,
  { evidence, weights: { texts } }: EmailPass,
): Sentence {
  const { sources: n, age } = summaryOf(evidence, code - 1)
  return { text: counted(form, { n, ago: texts.ago.at(age) }), age }
}

function reuseSentence({ reused }: EmailPass, texts: Texts): Sentence {
  if (reused === null) throw new RangeError("no password was reused")
  const { sources: n, age } = reused
  return { text: filled(texts.reuse, { n, ago: daysAgo(texts.ago, age) }), age }
}

function trustSentence(code: TrustCode, trust: Trust, model: EmailModel): Sentence {
  const { trust: texts, ago } = model.texts
  const undated = (text: string): Sentence => ({ text, age: null })
  // Days since a first sight date the address, not the evidence, so they give no newest date.
  const since = (text: string, days: number | null | undefined): Sentence =>
    undated(filled(text, { ago: daysAgo(ago, Math.max(0, days ?? 0)) }))
  switch (code) {
    case "ID_NEW_EMAIL":
      return since(texts[code], trust.emailAge)
    case "ID_NEW_DOMAIN":
      return since(texts[code], trust.domainAge)
    case "ID_DISPOSABLE":
      if (trust.disposable !== true) return undated(texts[code].likely ?? texts[code].plain)
      return isBurner(trust, model.abuse)
        ? since(texts[code].burner, trust.disposableDomainAge)
        : undated(texts[code].plain)
    case "ID_TYPOSQUAT":
      return undated(imitation(trust, model.texts, "typosquat") ?? texts[code])
    case "ID_HOMOGRAPH":
      return undated(imitation(trust, model.texts, "homograph") ?? texts.ID_TYPOSQUAT)
    case "ID_UNDELIVERABLE":
      return undated(trust.mx === false ? texts[code].domain : texts[code].mailbox)
    case "BOT_HANDLE": {
      const value = Math.min(trust.handle ?? 0, model.abuse.handle.max).toFixed(2)
      return undated(filled(texts[code], { value, max: model.abuse.handle.max.toFixed(2) }))
    }
    case "BOT_ANOMALY":
      return undated(filled(texts[code], { value: Math.min(trust.anomaly ?? 0, 1).toFixed(2) }))
    case "BOT_VELOCITY":
      return undated(filled(texts[code], { n: trust.velocity24h ?? 0 }))
    case "BOT_CLUSTER":
      return undated(filled(texts[code], { n: trust.clusterSize ?? 0 }))
    case "BOT_INSTANT_ACTION":
      return undated(counted(texts[code], { n: Math.round(trust.signupToActionSec ?? 0) }))
    case "BOT_BLOCKLIST":
      return blocklistsSentence(trust, model)
    case "FRAUD_CONFIRMED": {
      const age = Math.max(0, trust.confirmedFraudAge ?? 0)
      return { text: filled(texts[code], { ago: daysAgo(ago, age) }), age }
    }
    default:
      return undated(texts[code])
  }
}

/** What the domain imitates by name; null where the model or the input has no name for it. */
function imitation(
  { imitates }: Trust,
  { imitation: texts }: Texts,
  by: "typosquat" | "homograph",
): string | null {
  if (texts === undefined) return null
  if (imitates != null) return filled(texts[by], { domain: imitates })
  return by === "homograph" ? texts.mixed : null
}

// The age in the sentence is that of the entry or of the list's release: the day a list was loaded
// means nothing for the domain. A model without words for names uses the sentence of 1.0.
function blocklistsSentence(trust: Trust, { abuse, texts }: EmailModel): Sentence {
  const { named, ...unnamed } = texts.trust.BOT_BLOCKLIST
  const entries = blocklistEntries(trust, abuse)
  const ages = entries.map(({ age, listedAge }) =>
    named === undefined ? (age ?? 0) : (listedAge ?? age ?? 0),
  )
  const age = Math.max(0, Math.min(...ages))
  const ago = daysAgo(texts.ago, age)
  const names = entries.map(({ name }) => name).filter((name) => name != null)
  if (named === undefined || names.length < entries.length) {
    return { text: counted(unnamed, { n: entries.length, ago }), age }
  }
  return { text: counted(named, { n: entries.length, names: names.join(", "), ago }), age }
}

/**
 * The sentence that exposure was not looked at, for a model that adds it beside any other reason.
 */
export function uncheckedExposure(input: EmailInput, { texts }: EmailModel): string | null {
  const { nothing } = texts
  const { sources, withheld } = input.checked
  if (nothing.unchecked === undefined || (input.coverage?.credential ?? 0) > 0) return null
  if (withheld === true) return nothing.withheld
  return sources === 0 ? nothing.unloaded : nothing.unchecked
}

/** The sentence for when no reason is worth a point: what was searched, or why nothing could be. */
export function nothingFound(exposed: Summary, input: EmailInput, model: EmailModel): string {
  const { nothing, faint, ago } = model.texts
  if (exposed.sources > 0) {
    return counted(faint, { n: exposed.sources, ago: daysAgo(ago, exposed.age) })
  }
  const unchecked = uncheckedExposure(input, model)
  if (unchecked !== null) return unchecked
  const { sources: n, newestImport: date, withheld } = input.checked
  if (withheld === true) return nothing.withheld
  if (n === 0) return nothing.unloaded
  return date == null ? counted(nothing.undated, { n }) : counted(nothing, { n, date })
}
