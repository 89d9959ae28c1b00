import { phoneModels, type PhoneModel } from "@assay/core/score"
import { phoneModelCard } from "../packages/server/src/score/phone-model-card.ts"
import { formatted } from "./formatted.ts"
import { simChangePlot } from "./plots/sim-change.ts"

export const cardedModel: PhoneModel = phoneModels["1.0"]

/** What is reported of the phone model, by path. It was never compared with outcomes, so there is nothing to simulate. */
export async function phoneReports(): Promise<ReadonlyMap<string, string>> {
  const card = `<!-- Printed by \`npm run eval\` from the model document; edit that, not this. -->\n\n${phoneModelCard(cardedModel, true)}`
  return new Map([
    [`docs/model-card/phone-${cardedModel.version}.md`, await formatted(card, "markdown")],
    ["docs/model-card/phone-sim-change.svg", simChangePlot(cardedModel)],
  ])
}
