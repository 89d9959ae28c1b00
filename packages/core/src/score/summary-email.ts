import { dateBefore, dateInWords } from "./date.ts"
import type { EmailInput } from "./email-input.ts"
import { emailPass, type EmailPass } from "./email-pass.ts"
import type { ExplainedStage } from "./explain-stage.ts"
import { Evidence } from "./merge.ts"
import type { EmailModel } from "./model-email.ts"
import { firstChange, HORIZON_YEARS } from "./next-change.ts"
import { filled } from "./sentence.ts"
import { bandOf } from "./vocabulary.ts"

/** An explanation in a sentence each, for somebody who does not know the model. */
export interface EmailSummary {
  /** What holds the stage. */
  readonly stage: string
  /** When stage or band changes next if nothing arrives. */
  readonly next_change: string
  readonly not_looked_at: string
}

/** Not that of the pass that is explained, which is still being read. */
const room = new Evidence()

type Texts = NonNullable<EmailModel["texts"]["summary"]>

/** null for a model that has no words for it. */
export function emailSummary(
  pass: EmailPass,
  stage: ExplainedStage,
  input: EmailInput,
  model: EmailModel,
): EmailSummary | null {
  const { summary: texts } = model.texts
  if (texts === undefined) return null
  return {
    stage: held(stage, texts),
    next_change: nextChange(pass, input, model, texts),
    not_looked_at: notLookedAt(input, texts),
  }
}

function held({ name, evidence }: ExplainedStage, texts: Texts): string {
  if (evidence.length === 0) return texts.held.clean
  const items = evidence.map(({ kind, source, date }) =>
    filled(texts.held.item, { kind: texts.kinds[kind], source, date: dateInWords(date, texts) }),
  )
  return filled(texts.held.rests, { stage: name, items: items.join(", ") })
}

function nextChange(pass: EmailPass, input: EmailInput, model: EmailModel, texts: Texts): string {
  const band = bandOf(pass.score)
  const after = (days: number) => {
    const { stage, score } = emailPass(inDays(input, days), model, room)
    return { stage, band: bandOf(score) }
  }
  const days = firstChange((ahead) => {
    const then = after(ahead)
    return then.stage !== pass.stage || then.band !== band
  })
  if (days === null) return filled(texts.next.never, { n: HORIZON_YEARS })
  const then = after(days)
  const date = dateInWords(dateBefore(input.as_of, -days), texts)
  if (then.band === band) return filled(texts.next.stage, { stage: then.stage, date })
  if (then.stage === pass.stage) return filled(texts.next.band, { band: then.band, date })
  return filled(texts.next.both, { ...then, date })
}

// The client's context stays, and so does a good history: only dated evidence ages. A list that is
// in force does not age by itself.
function inDays(input: EmailInput, days: number): EmailInput {
  const older = <T extends { readonly age: number }>(told: T): T => ({
    ...told,
    age: told.age + days,
  })
  const grown = (age: number | null | undefined): number | null => (age == null ? null : age + days)
  const trust = input.trust ?? {}
  return {
    ...input,
    exposures: (input.exposures ?? []).map(older),
    signals: (input.signals ?? []).map(older),
    rotatedAge: grown(input.rotatedAge),
    trust: {
      ...trust,
      emailAge: grown(trust.emailAge),
      domainAge: grown(trust.domainAge),
      disposableDomainAge: grown(trust.disposableDomainAge),
      confirmedFraudAge: grown(trust.confirmedFraudAge),
      blocklist: (trust.blocklist ?? []).map((entry) =>
        entry.listedAge == null ? { ...entry, age: (entry.age ?? 0) + days } : entry,
      ),
    },
  }
}

function notLookedAt({ coverage, trust }: EmailInput, { unchecked: texts }: Texts): string {
  const families: string[] = []
  if ((coverage?.credential ?? 0) === 0) families.push(texts.credential)
  if ((coverage?.darkweb ?? 0) === 0) families.push(texts.darkweb)
  if (trust?.mx == null) families.push(texts.mx)
  if (trust?.domainAge == null && trust?.free !== true) families.push(texts.domainAge)
  if (trust?.deliverable == null && trust?.ownershipVerified == null) families.push(texts.mailbox)
  if (trust?.traces == null) families.push(texts.traces)
  if ((coverage?.bot ?? 0) === 0) families.push(texts.context)
  if (families.length === 0) return texts.none
  return filled(texts.sentence, { families: families.join(", ") })
}
