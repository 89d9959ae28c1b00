import { type FactorRow, rowText } from "./factor-rows.ts"
import type { PhoneModel } from "./model-phone.ts"
import { lineOf, type AgeSpan, type PhoneInput, type PhoneKnowledge } from "./phone-input.ts"
import type { PhonePass } from "./phone-pass.ts"
import { roundHalfUp } from "./scale.ts"
import { counted, filled, inLargestUnit, spanOf } from "./sentence.ts"
import { PHONE_REASON_CODES } from "./vocabulary.ts"

/** The sentence of a reason, and how long ago it happened, if that is known. */
export interface ToldPhone {
  readonly text: string
  readonly age: number | null
}

type Texts = PhoneModel["texts"]

/** The public code at a place: the program's codes come first, then the rows of the document. */
export function phoneCode(place: number, model: PhoneModel): string {
  return PHONE_REASON_CODES[place] ?? rowOf(place, model).code
}

function rowOf(place: number, { factors }: PhoneModel): FactorRow {
  const row = factors?.[place - PHONE_REASON_CODES.length]
  if (row === undefined) throw new RangeError("no such reason code")
  return row
}

export function phoneReasonSentence(
  place: number,
  { knowledge }: PhonePass,
  input: PhoneInput,
  model: PhoneModel,
): ToldPhone {
  const { reasons: texts } = model.texts
  const undated = (text: string): ToldPhone => ({ text, age: null })
  const dated = (text: string, age: number | null | undefined): ToldPhone => ({
    text: filled(text, { ago: hoursAgo(age ?? 0, model) }),
    age: age ?? null,
  })
  const spanned = (text: string, span: AgeSpan | null): ToldPhone => {
    const age = span?.from ?? knowledge.changeAge
    const ago = span === null ? null : between(span, model)
    return ago === null ? dated(text, age) : { text: filled(text, { ago }), age }
  }
  const code = PHONE_REASON_CODES[place]
  if (code === undefined) return undated(rowText(rowOf(place, model), input))
  switch (code) {
    case "SIM_CHANGED":
      return spanned(texts[code], knowledge.sim)
    case "SIM_PORTED":
      return dated(texts[code], input.portAge)
    case "DEVICE_CHANGED":
      return spanned(texts[code], knowledge.sim)
    case "LINE_TYPE":
      return undated(filled(texts[code], { line: lineName(input, model) }))
    case "FRAUD_CONFIRMED":
      return dated(texts[code] ?? texts.PHONE_BLOCKLIST, input.confirmedFraudAge)
    case "ROUTE_CHANGES":
      return undated(counted(texts[code], { n: input.routeChanges90d ?? 0 }))
    case "NEW_NUMBER": {
      const days = Math.floor(Math.max(0, input.tenureDays ?? 0))
      const { spanned: form } = texts[code]
      const { spans } = model.texts
      if (form === undefined || spans === undefined)
        return undated(counted(texts[code], { n: days }))
      return undated(filled(form, { span: spanOf(spans, days) }))
    }
    case "PHONE_VELOCITY":
      return undated(filled(texts[code], { n: input.accounts24h ?? 0 }))
    case "NUMBER_RESERVED":
      return undated(texts[code] ?? texts.NUMBER_INVALID)
    default:
      return undated(texts[code])
  }
}

/** When a change of which only two ends are known took place. */
function between({ from, to }: AgeSpan, { texts, fields }: PhoneModel): string | null {
  const { between: forms } = texts.ago
  if (forms === undefined || from >= to) return null
  const hours = to * 24
  if (hours < fields.windowInHoursBelowHours) {
    const ends = { from: Math.floor(from * 24), to: Math.max(1, roundHalfUp(hours)) }
    return filled(ends.from === 0 ? forms.lastHours : forms.hours, ends)
  }
  const ends = { from: Math.floor(from), to: Math.floor(to) }
  return filled(ends.from === 0 ? forms.lastDays : forms.days, ends)
}

// A line that was classed by its number's type is named by that type: a personal number is weighed
// like internet telephony, but is not called that.
function lineName(input: PhoneInput, model: PhoneModel): string {
  const { lines, numberTypes } = model.texts
  const line = input.line ?? "unknown"
  const type = line === lineOf(input.numberType, model) ? input.numberType : ""
  return numberTypes !== undefined && Object.hasOwn(numberTypes, type)
    ? (numberTypes[type] ?? lines[line])
    : lines[line]
}

/** Hours under two days, as a SIM change is judged by the hour, then whole days elapsed. */
export function hoursAgo(days: number, { texts, fields }: PhoneModel): string {
  const hours = Math.max(0, days) * 24
  if (hours >= fields.windowInHoursBelowHours) return inLargestUnit(texts.ago, Math.floor(days))
  const whole = roundHalfUp(hours)
  return whole <= 1 ? texts.ago.hour : filled(texts.ago.hours, { n: whole })
}

/** Whether SIM history could be known and is not: a freephone number has no SIM to ask about. */
export function missesSimHistory(
  { simHistory }: PhoneKnowledge,
  { numberType }: PhoneInput,
  { fields }: PhoneModel,
): boolean {
  return !simHistory && fields.simTypes?.includes(numberType) !== false
}

// The answer to most questions, and of sixteen kinds: made once for each document.
const sentencesOf = new WeakMap<Texts, string[]>()

/** The sentence for when nothing raises the score: what that rests on. */
export function nothingRaises(knowledge: PhoneKnowledge, texts: Texts): string {
  let sentences = sentencesOf.get(texts)
  if (sentences === undefined) sentencesOf.set(texts, (sentences = []))
  const kind =
    (knowledge.simHistory ? 1 : 0) |
    (knowledge.device ? 2 : 0) |
    (knowledge.network ? 4 : 0) |
    (knowledge.context ? 8 : 0)
  return (sentences[kind] ??= checkedSentence(knowledge, texts))
}

function checkedSentence(knowledge: PhoneKnowledge, { checked }: Texts): string {
  const families = [checked.number]
  if (knowledge.simHistory) families.push(checked.sim)
  if (knowledge.device) families.push(checked.device)
  if (knowledge.network) families.push(checked.network)
  if (knowledge.context) families.push(checked.context)
  return filled(checked.sentence, { families: families.join(", ") })
}
