import {
  assessEmail,
  assessPhone,
  type EmailInput,
  lackingEmailMembers,
  lackingPhoneMembers,
  type PhoneInput,
} from "@assay/core/score"
import type { Model } from "../score/models.ts"
import { type Decision, DECISION_FORMAT } from "@assay/stores/decisions"
import { decisionsOfTenant, limitOf } from "./decisions.ts"
import { loadedModels, modelName, versionOrFile } from "./model.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface CompareOptions {
  readonly tenant: string
  readonly limit: string
}

const LIMIT_MAX = 100_000

interface Answer {
  readonly score: number
  readonly action: string
  /** As a person reads it: score, stage and confidence of an address, action. */
  readonly words: string
  /** Members of the input that the model reads and that were not looked for when it was written. */
  readonly lacking: readonly string[]
}

/**
 * Scores a tenant's past inputs with two models and prints whose answers differ. Both get the input
 * as it was recorded, with the tenant's settings of that time, so nothing but the model differs.
 */
export async function compareModels(
  name: string,
  from: string,
  to: string,
  options: CompareOptions,
  terminal: Terminal,
): Promise<void> {
  const limit = limitOf(options.limit, LIMIT_MAX)
  const identityType = modelName(name)
  const models = loadedModels(terminal)
  const before = versionOrFile(models, name, from)
  const after = versionOrFile(models, name, to)
  const decisions = await decisionsOfTenant(
    { tenant: options.tenant, limit, identityType },
    terminal,
  )
  if (decisions.length === 0)
    throw new CommandError(`${options.tenant} has no decisions by the ${name} model`)
  const compared = decisions.map((decision) => ({
    id: decision.id,
    before: answerBy(before, decision),
    after: answerBy(after, decision),
  }))
  const changed = compared.filter((each) => each.before.words !== each.after.words)
  const rows = changed.map((each) => [each.id, each.before.words, each.after.words])
  if (rows.length > 0)
    table(["ID", `BY ${before.version}`, `BY ${after.version}`], rows).forEach(terminal.print)
  const count = (is: (of: { before: Answer; after: Answer }) => boolean) =>
    changed.filter(is).length
  terminal.print(
    `${changed.length} of ${compared.length} answers differ: ` +
      `${count((of) => of.after.score > of.before.score)} scores rise, ` +
      `${count((of) => of.after.score < of.before.score)} fall, ` +
      `${count((of) => of.after.action !== of.before.action)} actions change.`,
  )
  const sides = new Map<Model, readonly Answer[]>([
    [before, compared.map((each) => each.before)],
    [after, compared.map((each) => each.after)],
  ])
  for (const [{ version }, answers] of sides) {
    const lacking = lackingOf(answers)
    if (lacking === null) continue
    terminal.print(
      `${lacking.inputs} of ${answers.length} inputs were recorded before members that ${version} reads ` +
        `and lack them, so ${version} takes them as unknown there: ${lacking.members.join(", ")}.`,
    )
  }
}

/** How many inputs lack anything, and what; null where none does. */
function lackingOf(
  answers: readonly Answer[],
): { readonly inputs: number; readonly members: string[] } | null {
  const inputs = answers.filter(({ lacking }) => lacking.length > 0)
  if (inputs.length === 0) return null
  return { inputs: inputs.length, members: [...new Set(inputs.flatMap((each) => each.lacking))] }
}

function answerBy(model: Model, { format, input: text }: Decision): Answer {
  // Written by a newer program; this one must not guess at it.
  if (format !== DECISION_FORMAT)
    throw new CommandError("A decision's input is written in a format this program does not know")
  if (model.name === "email") {
    const input = JSON.parse(text) as EmailInput
    const { risk_score, threat_stage, confidence, recommended_action } = assessEmail(input, model)
    return {
      score: risk_score,
      action: recommended_action,
      words: `${risk_score} ${threat_stage} ${confidence} ${recommended_action}`,
      lacking: lackingEmailMembers(input, model),
    }
  }
  const input = JSON.parse(text) as PhoneInput
  const { risk_score, recommendation } = assessPhone(input, model)
  return {
    score: risk_score,
    action: recommendation,
    words: `${risk_score} ${recommendation}`,
    lacking: lackingPhoneMembers(input, model),
  }
}
