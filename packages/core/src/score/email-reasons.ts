import { blocklistEntries, isBurner } from "./abuse.ts"
import { dateBefore } from "./date.ts"
import type { EmailInput, Trust } from "./email-input.ts"
import { codeOfKind, REUSE_CODE, type EmailPass } from "./email-pass.ts"
import { type FactorRow, rowText } from "./factor-rows.ts"
import type { Item } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { counted, daysAgo, filled } from "./sentence.ts"
import { EMAIL_REASON_CODES, SECRETS, type EmailReasonCode } from "./vocabulary.ts"

/** The sentence of a reason, and how long ago its newest evidence was, if that is known. */
export interface Told {
  readonly text: string
  readonly age: number | null
}

type Texts = EmailModel["texts"]
type TrustCode = keyof Texts["trust"] | "ID_HOMOGRAPH"

export function toldReason(
  code: number,
  pass: EmailPass,
  input: EmailInput,
  model: EmailModel,
): Told {
  const name = EMAIL_REASON_CODES[code]
  if (name === undefined) return { text: rowText(rowOf(code, model), input.trust ?? {}), age: null }
  if (code === REUSE_CODE) return toldReuse(pass, model.texts)
  if (isExposureCode(name, model.texts)) {
    return toldExposures(itemsOf(code, pass), model.texts, model.texts.exposures[name])
  }
  if (isSignalCode(name, model.texts)) {
    const { sources, age } = summary(itemsOf(code, pass))
    const ago = daysAgo(model.texts.ago, age)
    return { text: counted(model.texts.signals[name], sources, { ago }), age }
  }
  return toldTrust(name as TrustCode, input.trust ?? {}, model)
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
export function newestDate(told: Told, asOf: string): string | null {
  return told.age === null ? null : dateBefore(asOf, told.age)
}

function isExposureCode(name: EmailReasonCode, texts: Texts): name is keyof Texts["exposures"] {
  return name in texts.exposures
}

function isSignalCode(name: EmailReasonCode, texts: Texts): name is keyof Texts["signals"] {
  return name in texts.signals
}

function itemsOf(code: number, { evidence }: EmailPass): readonly Item[] {
  return evidence.items.filter(({ kind }) => codeOfKind(kind) === code)
}

/** Distinct sources and smallest age of some items. */
export function summary(items: readonly Item[]): { sources: number; age: number } {
  const sources = new Set<number>()
  let age = Infinity
  for (const item of items) {
    sources.add(item.source)
    age = Math.min(age, item.age)
  }
  return { sources: sources.size, age }
}

// The sentence claims the strongest secret only for the sources that leaked it.
function toldExposures(
  items: readonly Item[],
  texts: Texts,
  form: Texts["exposures"]["CRED_BREACH"],
): Told {
  const strongest = items.reduce((place, item) => Math.max(place, item.secret), 0)
  const { sources, age } = summary(items)
  const some = summary(items.filter(({ secret }) => secret === strongest)).sources
  const secret = texts.secrets[SECRETS[strongest] ?? "unknown"]
  const values = { secret, some, n: sources, ago: daysAgo(texts.ago, age) }
  const text = some < sources ? filled(form.part, values) : counted(form, sources, values)
  return { text, age }
}

function toldReuse({ credential }: EmailPass, texts: Texts): Told {
  const reused = credential.reuse.reused()
  if (reused === null) throw new RangeError("no password was reused")
  const { sources: n, age } = reused
  return { text: filled(texts.reuse, { n, ago: daysAgo(texts.ago, age) }), age }
}

function toldTrust(code: TrustCode, trust: Trust, model: EmailModel): Told {
  const { trust: texts, ago } = model.texts
  const undated = (text: string): Told => ({ text, age: null })
  // Days since a first sight date the address, not the evidence, so they give no newest date.
  const since = (text: string, days: number | null | undefined): Told =>
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
      return undated(counted(texts[code], Math.round(trust.signupToActionSec ?? 0)))
    case "BOT_BLOCKLIST":
      return toldBlocklists(trust, model)
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
function toldBlocklists(trust: Trust, { abuse, texts }: EmailModel): Told {
  const { named, ...unnamed } = texts.trust.BOT_BLOCKLIST
  const entries = blocklistEntries(trust, abuse)
  const ages = entries.map(({ age, listedAge }) =>
    named === undefined ? (age ?? 0) : (listedAge ?? age ?? 0),
  )
  const age = Math.max(0, Math.min(...ages))
  const ago = daysAgo(texts.ago, age)
  const names = entries.map(({ name }) => name).filter((name) => name != null)
  if (named === undefined || names.length < entries.length) {
    return { text: counted(unnamed, entries.length, { ago }), age }
  }
  return { text: counted(named, entries.length, { names: names.join(", "), ago }), age }
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
export function nothingFound(
  exposed: readonly Item[],
  input: EmailInput,
  model: EmailModel,
): string {
  const { nothing, faint, ago } = model.texts
  if (exposed.length > 0) {
    const { sources, age } = summary(exposed)
    return counted(faint, sources, { ago: daysAgo(ago, age) })
  }
  const unchecked = uncheckedExposure(input, model)
  if (unchecked !== null) return unchecked
  const { sources, newestImport, withheld } = input.checked
  if (withheld === true) return nothing.withheld
  if (sources === 0) return nothing.unloaded
  if (newestImport == null) return counted(nothing.undated, sources)
  return counted(nothing, sources, { date: newestImport })
}
