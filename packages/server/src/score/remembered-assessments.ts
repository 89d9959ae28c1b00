import {
  assessEmail,
  type EmailAssessment,
  type EmailInput,
  type EmailModel,
} from "@assay/core/score"
import { jsonOnce } from "./json-once.ts"

const REMEMBERED_MAX = 10_000

type Assess = (input: EmailInput, json: () => string) => EmailAssessment

/**
 * One assessor for all models. Each remembers for itself: the same input means another answer under
 * another model. `json` gives the JSON of the input.
 */
export function rememberingAssessors(): (
  input: EmailInput,
  model: EmailModel,
  json?: () => string,
) => EmailAssessment {
  const byModel = new Map<EmailModel, Assess>()
  return (input, model, json = jsonOnce(input)) => {
    let assess = byModel.get(model)
    if (assess === undefined) byModel.set(model, (assess = rememberingAssessor(model)))
    return assess(input, json)
  }
}

/**
 * Assesses, and remembers assessments of inputs without evidence. Most identities a service is
 * asked about are in no source; their inputs differ only by the day, the catalogue and a few facts
 * about the address, so the same few inputs come again and again. The scorer is pure: remembering
 * it changes no answer.
 */
function rememberingAssessor(model: EmailModel): Assess {
  const remembered = new Map<string, EmailAssessment>()
  return (input, json) => {
    if (input.exposures?.length !== 0 || input.signals?.length !== 0)
      return assessEmail(input, model)
    const name = json()
    const known = remembered.get(name)
    if (known !== undefined) return known
    const assessment = assessEmail(input, model)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(name, assessment)
    return assessment
  }
}
