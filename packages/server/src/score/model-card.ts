import type { EmailModel } from "@assay/core/score"

/** The model card in Markdown: what the model is for, what it rests on, and how it did where it was tried. */
export function emailModelCard(model: EmailModel, results: unknown): string {
  const { version, priors, exposure, confidence } = model
  const kinds = Object.entries(exposure.kinds).map(
    ([kind, { oddsRatio }]) => `- ${kind}: odds × ${oddsRatio}`,
  )
  return `# E-mail model ${version}

Scores how likely an e-mail identity is misused within a year: by somebody else with its stolen credentials, or by its
owner. For account protection, fraud prevention and step-up decisions; not for credit, employment, housing or insurance.

## What it rests on

Priors: ${priors.credential} for stolen credentials, ${priors.abuse} for an abusive owner. Exposures, by kind:

${kinds.join("\n")}

Confidence is medium from ${confidence.mediumFrom} and high from ${confidence.highFrom}; it says how much was looked at.

## How it did

**Not validated end to end**: no public data joins exposures and outcomes.

${results === null ? "No results of an evaluation are at hand." : `\`\`\`json\n${JSON.stringify(results, null, 2)}\n\`\`\``}
`
}
