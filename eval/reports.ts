import { emailModels, type EmailModel } from "@assay/core/score"
import type { EmailEvaluation } from "../packages/server/src/score/email-evaluation.ts"
import { emailModelCard } from "../packages/server/src/score/model-card.ts"
import { formatted } from "./formatted.ts"
import { reliabilityPlot } from "./plots/reliability.ts"
import { rocPlot } from "./plots/roc.ts"
import { scoresPlot } from "./plots/scores.ts"

export const evaluatedModel: EmailModel = emailModels["1.0"]

/** Where the program itself finds the results, so that `assay` can print a card wherever it is installed. */
export const shippedResults = "packages/server/src/score/email-1.0-evaluation.json"

/** Every file a run leaves in the repository, by its path, as the repository formats it. */
export async function reports(results: EmailEvaluation): Promise<ReadonlyMap<string, string>> {
  const json = await formatted(JSON.stringify(results), "json")
  const card = `<!-- Printed by \`npm run eval\` from the model document and the results; edit those, not this. -->\n\n${emailModelCard(evaluatedModel, results)}`
  return new Map([
    [shippedResults, json],
    ["docs/model-card/evaluation-1.0.json", json],
    ["docs/model-card/email-1.0.md", await formatted(card, "markdown")],
    ["docs/model-card/roc.svg", rocPlot(results)],
    ["docs/model-card/reliability.svg", reliabilityPlot(results)],
    ["docs/model-card/scores.svg", scoresPlot(results)],
  ])
}
