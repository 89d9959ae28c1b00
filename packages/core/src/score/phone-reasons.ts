import type { PhoneModel } from "./model-phone.ts"
import type { PhoneInput, PhoneKnowledge } from "./phone-input.ts"
import type { PhonePass } from "./phone-pass.ts"
import { roundHalfUp } from "./scale.ts"
import { counted, filled } from "./sentence.ts"
import type { PhoneReasonCode } from "./vocabulary.ts"

/** What a reason tells: its sentence, and how long ago it happened, if that is known. */
export interface ToldPhone {
  readonly text: string
  readonly age: number | null
}

type Texts = PhoneModel["texts"]

export function toldPhoneReason(
  code: PhoneReasonCode,
  { knowledge }: PhonePass,
  input: PhoneInput,
  model: PhoneModel,
): ToldPhone {
  const { reasons: texts, lines } = model.texts
  const undated = (text: string): ToldPhone => ({ text, age: null })
  const dated = (text: string, age: number | null | undefined): ToldPhone => ({
    text: filled(text, { ago: hoursAgo(age ?? 0, model) }),
    age: age ?? null,
  })
  switch (code) {
    case "SIM_CHANGED":
      return dated(texts[code], knowledge.changeAge)
    case "SIM_PORTED":
      return dated(texts[code], input.portAge)
    case "DEVICE_CHANGED":
      return dated(texts[code], input.simChangeAge ?? input.portAge)
    case "LINE_TYPE":
      return undated(filled(texts[code], { line: lines[input.line ?? "unknown"] }))
    case "ROUTE_CHANGES":
      return undated(counted(texts[code], input.routeChanges90d ?? 0))
    case "NEW_NUMBER":
      return undated(counted(texts[code], Math.floor(Math.max(0, input.tenureDays ?? 0))))
    case "PHONE_VELOCITY":
      return undated(filled(texts[code], { n: input.accounts24h ?? 0 }))
    default:
      return undated(texts[code])
  }
}

/** Hours under two days, as a SIM change is judged by the hour, then whole days elapsed. */
export function hoursAgo(days: number, { texts, fields }: PhoneModel): string {
  const hours = Math.max(0, days) * 24
  if (hours >= fields.windowInHoursBelowHours) {
    return filled(texts.ago.days, { n: Math.floor(days) })
  }
  const whole = roundHalfUp(hours)
  return whole <= 1 ? texts.ago.hour : filled(texts.ago.hours, { n: whole })
}

// The answer to most questions, and of sixteen kinds: made once for each document.
const sentencesOf = new WeakMap<Texts, string[]>()

/** Said when nothing raises the score: what that rests on. */
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
