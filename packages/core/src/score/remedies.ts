import { bandOf, type Band, type Stage } from "./vocabulary.ts"

/** Something that can be done today, with the score it would lead to: never a higher one. */
export interface Remedy {
  readonly remedy: RemedyName
  readonly risk_score: number
  readonly band: Band
  /** For a person. */
  readonly text: string
}

export interface EmailRemedy extends Remedy {
  readonly threat_stage: Stage
}

// The words stand here and not in the documents of the models: a version that was published is
// never edited, and these sentences weigh nothing.
const WORDS = {
  password_change: "A password change today",
  ownership_proof: "A proof of ownership of the mailbox today",
  verification_by_phone: "A verification today by a code or call to the number",
  verification_by_other: "A verification today by other means than the number",
  forwarding_ended: "An end of call forwarding today",
} as const

export type RemedyName = keyof typeof WORDS

export function remedy(name: RemedyName, score: number, also = ""): Remedy {
  const text = `${WORDS[name]} would make it ${score}${also}`
  return { remedy: name, risk_score: score, band: bandOf(score), text }
}
