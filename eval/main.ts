// npm run eval [-- --n COUNT --seed NUMBER]: simulates a population, scores it by every version,
// prints the card of the newest with both versions side by side and, at the counts the model cards
// are made with, writes the cards, the results and the plots. The cards of the phone model, which
// need no population, are written with them; npm run eval -- --phone writes them alone.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import type { EmailEvaluation } from "../packages/server/src/model-tools/email-evaluation.ts"
import { emailModelCard } from "../packages/server/src/model-tools/model-card.ts"
import { root } from "../scripts/repository.ts"
import { CARD_IDENTITIES, CARD_SEED } from "./card-run.ts"
import { evaluate } from "./evaluate.ts"
import { phoneReports } from "./phone-reports.ts"
import { evaluatedModels, reports } from "./reports.ts"

const { values } = parseArgs({
  options: { n: { type: "string" }, seed: { type: "string" }, phone: { type: "boolean" } },
})
if (values.phone === true) write(await phoneReports())
else await evaluateEmail()

async function evaluateEmail(): Promise<void> {
  const identities = integer("--n", values.n, CARD_IDENTITIES, 1_000, 10_000_000)
  const seed = integer("--seed", values.seed, CARD_SEED, 0, 2 ** 31 - 1)
  const files = new Map<string, string>()
  let before: EmailEvaluation | null = null
  let card = ""
  for (const model of evaluatedModels) {
    const results = evaluate(model, seed, identities)
    card = emailModelCard(model, results, before)
    for (const [path, text] of await reports(model, results, before)) files.set(path, text)
    before = results
  }
  console.log(card)
  if (identities === CARD_IDENTITIES && seed === CARD_SEED) {
    write(new Map([...files, ...(await phoneReports())]))
  } else {
    console.log(
      `Nothing is written: the model cards are of ${CARD_IDENTITIES} with seed ${CARD_SEED}.`,
    )
  }
}

function write(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  console.log(`Written: ${[...files.keys()].join(", ")}`)
}

function integer(
  name: string,
  text: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = Number(text ?? fallback)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  console.error(`${name} takes an integer from ${min} to ${max}`)
  process.exit(2)
}
