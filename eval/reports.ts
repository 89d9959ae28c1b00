import { emailModels, type EmailModel } from "@assay/core/score"
import type { EmailEvaluation } from "../packages/server/src/model-tools/email-evaluation.ts"
import { emailModelCard, plotName } from "../packages/server/src/model-tools/model-card.ts"
import { formatted } from "../scripts/formatted.ts"
import { reliabilityPlot } from "./plots/reliability.ts"
import { rocPlot } from "./plots/roc.ts"
import { scoresPlot } from "./plots/scores.ts"

/** Oldest first: each is shown beside the one before it. */
export const evaluatedModels: readonly EmailModel[] = [emailModels["1.0"], emailModels["1.1"]]

/**
 * Where the program itself finds the results, so that `assay` can print a card wherever it is
 * installed.
 */
function shippedResults(version: string): string {
  return `packages/server/src/model-tools/email-${version}-evaluation.json`
}

/**
 * Every file a run leaves in the repository about one version, by its path, as the repository
 * formats it.
 */
export async function reports(
  model: EmailModel,
  results: EmailEvaluation,
  before: EmailEvaluation | null,
): Promise<ReadonlyMap<string, string>> {
  const { version } = model
  const json = await formatted(JSON.stringify(results), "results.json")
  const card = `<!-- Printed by \`npm run eval\` from the model document and the results; edit those, not this. -->\n\n${emailModelCard(model, results, before)}`
  const plots = [
    ["roc", rocPlot(results)],
    ["reliability", reliabilityPlot(results)],
    ["scores", scoresPlot(results)],
  ] as const
  return new Map([
    [shippedResults(version), json],
    [`docs/model-card/evaluation-${version}.json`, json],
    [`docs/model-card/email-${version}.md`, await formatted(card, "card.md")],
    ...plots.map(([name, text]) => [`docs/model-card/${plotName(name, results)}`, text] as const),
  ])
}
