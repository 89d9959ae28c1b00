import {
  assessEmail,
  explainEmail,
  type Band,
  type Confidence,
  type EmailModel,
  type Label,
  type Stage,
} from "@assay/core/score"
import type { DomainClass } from "./simulator/person.ts"
import { identityAt } from "./simulator/identity.ts"

/** A simulated identity as the model saw it. `bad`: taken over within a year, or an abuser's. */
export interface ScoredIdentity extends Label {
  readonly takeover: boolean
  readonly abuse: boolean
  readonly pCredential: number
  readonly pAbuse: number
  readonly score: number
  readonly band: Band
  readonly stage: Stage
  readonly confidence: Confidence
  /** The probability under each of the other priors requested. */
  readonly atPriors: readonly { readonly p: number; readonly band: Band }[]
  readonly domain: DomainClass
  readonly emailAgeDays: number | null
  readonly disposable: boolean
  readonly masked: boolean
  readonly exposureCount: number
}

export interface Population {
  readonly seed: number
  readonly identities: number
  readonly priorsCredential: readonly number[]
}

/**
 * Simulates and scores a population with the public functions of the scorer, as any caller would.
 */
export function scoredIdentities(population: Population, model: EmailModel): ScoredIdentity[] {
  return Array.from({ length: population.identities }, (_, number) =>
    scoredIdentity(population, number, model),
  )
}

function scoredIdentity(
  { seed, priorsCredential }: Population,
  number: number,
  model: EmailModel,
): ScoredIdentity {
  const { input, domain, takeover, abuse } = identityAt(seed, number)
  const { p, p_credential, p_abuse, band, stage } = explainEmail(input, model)
  const { risk_score, confidence, exposure_count } = assessEmail(input, model)
  return {
    p,
    floor: stage.floor,
    bad: takeover || abuse,
    takeover,
    abuse,
    pCredential: p_credential,
    pAbuse: p_abuse,
    score: risk_score,
    band,
    stage: stage.name,
    confidence,
    atPriors: priorsCredential.map((prior_cred) => {
      const other = explainEmail({ ...input, settings: { prior_cred } }, model)
      return { p: other.p, band: other.band }
    }),
    domain,
    emailAgeDays: input.trust?.emailAge ?? null,
    disposable: input.trust?.disposable === true,
    masked: input.trust?.masked === true,
    exposureCount: exposure_count,
  }
}
