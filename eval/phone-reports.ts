import { phoneModels, type PhoneModel } from "@assay/core/score"
import {
  phoneModelCard,
  simChangePlotName,
} from "../packages/server/src/model-tools/phone-model-card.ts"
import { formatted } from "../scripts/formatted.ts"
import { simChangePlot } from "./plots/sim-change.ts"

const cardedModels: readonly PhoneModel[] = [phoneModels["1.0"], phoneModels["1.1"]]

/**
 * The reports on the phone models, by path. These models were never compared with outcomes, so
 * there is nothing to simulate.
 */
export async function phoneReports(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const model of cardedModels) {
    const card = `<!-- Printed by \`npm run eval\` from the model document; edit that, not this. -->\n\n${phoneModelCard(model, true)}`
    files.set(`docs/model-card/phone-${model.version}.md`, await formatted(card, "card.md"))
    files.set(`docs/model-card/${simChangePlotName(model)}`, simChangePlot(model))
  }
  return files
}
