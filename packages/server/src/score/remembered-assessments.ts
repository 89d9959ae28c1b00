import {
  assessEmail,
  type EmailAssessment,
  type EmailInput,
  type EmailModel,
} from "@assay/core/score"

const REMEMBERED_MAX = 10_000

/**
 * One assessor for all models. Each remembers for itself: the same input means another answer under
 * another model.
 */
export function rememberingAssessors(): typeof assessEmail {
  const byModel = new Map<EmailModel, (input: EmailInput) => EmailAssessment>()
  return (input, model) => {
    let assess = byModel.get(model)
    if (assess === undefined) byModel.set(model, (assess = rememberingAssessor(model)))
    return assess(input)
  }
}

/**
 * Assesses, and remembers assessments of inputs without evidence. Most identities a service is
 * asked about are in no source; their inputs differ only by the day, the catalogue and a few facts
 * about the address, so the same few inputs come again and again. The scorer is pure: remembering
 * it changes no answer.
 */
function rememberingAssessor(model: EmailModel): (input: EmailInput) => EmailAssessment {
  const remembered = new Map<string, EmailAssessment>()
  return (input) => {
    if (input.exposures?.length !== 0 || input.signals?.length !== 0)
      return assessEmail(input, model)
    const name = JSON.stringify(input)
    const known = remembered.get(name)
    if (known !== undefined) return known
    const assessment = assessEmail(input, model)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(name, assessment)
    return assessment
  }
}
