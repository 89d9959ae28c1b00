import { leading } from "./attribution.ts"
import { dateBefore, dateInWords } from "./date.ts"
import type { PhoneModel } from "./model-phone.ts"
import { firstChange, HORIZON_YEARS } from "./next-change.ts"
import type { PhoneInput, PhoneKnowledge } from "./phone-input.ts"
import { phonePass, type PhonePass } from "./phone-pass.ts"
import { missesSimHistory, phoneReasonSentence } from "./phone-reasons.ts"
import { filled } from "./sentence.ts"
import { bandOf } from "./vocabulary.ts"

/** An explanation in a sentence each, for somebody who does not know the model. */
export interface PhoneSummary {
  /** What holds the level. */
  readonly level: string
  /** When the level changes next if nothing arrives. */
  readonly next_change: string
  readonly not_looked_at: string
}

type Texts = NonNullable<PhoneModel["texts"]["summary"]>

/** null for a model that has no words for it. */
export function phoneSummary(
  pass: PhonePass,
  input: PhoneInput,
  model: PhoneModel,
): PhoneSummary | null {
  const { summary: texts } = model.texts
  if (texts === undefined) return null
  return {
    level: held(pass, input, model, texts),
    next_change: nextChange(pass, input, model, texts),
    not_looked_at: notLookedAt(pass.knowledge, input, model, texts),
  }
}

function levelOf(score: number): string {
  return bandOf(score).toUpperCase()
}

function held(pass: PhonePass, input: PhoneInput, model: PhoneModel, texts: Texts): string {
  const level = levelOf(pass.score)
  const [first] = leading(pass.contributions, model.reasons)
  if (first === undefined) return filled(texts.held.nothing, { level })
  const reason = phoneReasonSentence(first.code, pass, input, model).text
  const byFloor = pass.held !== null && pass.held.raw < pass.held.floor
  return filled(byFloor ? texts.held.floor : texts.held.reason, { level, reason })
}

function nextChange(pass: PhonePass, input: PhoneInput, model: PhoneModel, texts: Texts): string {
  const level = levelOf(pass.score)
  const after = (days: number) => levelOf(phonePass(inDays(input, days), model).score)
  const days = firstChange((ahead) => after(ahead) !== level)
  if (days === null) return filled(texts.next.never, { n: HORIZON_YEARS })
  const date = dateInWords(dateBefore(input.as_of, -days), texts)
  return filled(texts.next.level, { level: after(days), date })
}

// The client's context stays, and so does how long a handset was the same: only dated evidence
// ages. The proof of a number ages together with the change it is a proof against.
function inDays(input: PhoneInput, days: number): PhoneInput {
  const grown = (age: number | null | undefined): number | null => (age == null ? null : age + days)
  return {
    ...input,
    tenureDays: grown(input.tenureDays),
    simChangeAge: grown(input.simChangeAge),
    simChangeAgeMin: grown(input.simChangeAgeMin),
    simChangeAgeMax: grown(input.simChangeAgeMax),
    portAge: grown(input.portAge),
    confirmedFraudAge: grown(input.confirmedFraudAge),
    verifiedAge: grown(input.verifiedAge),
  }
}

function notLookedAt(
  knowledge: PhoneKnowledge,
  input: PhoneInput,
  model: PhoneModel,
  { unchecked: texts }: Texts,
): string {
  const families: string[] = []
  if (missesSimHistory(knowledge, input, model)) families.push(texts.sim)
  if (!knowledge.device) families.push(texts.device)
  if (!knowledge.network) families.push(texts.network)
  if (!knowledge.context) families.push(texts.context)
  if (families.length === 0) return texts.none
  return filled(texts.sentence, { families: families.join(", ") })
}
