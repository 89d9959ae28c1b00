// npm run eval [-- --n COUNT --seed NUMBER]: simulates a population, scores it, prints what was found and,
// at the counts the model card is made with, writes the card, the results and the plots. The card of the phone
// model, which needs no population, is written with them; npm run eval -- --phone writes it alone.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { emailModelCard } from "../packages/server/src/score/model-card.ts"
import { root } from "../scripts/repository.ts"
import { CARD_IDENTITIES, CARD_SEED } from "./card-run.ts"
import { evaluate } from "./evaluate.ts"
import { phoneReports } from "./phone-reports.ts"
import { evaluatedModel, reports } from "./reports.ts"

const { values } = parseArgs({
  options: { n: { type: "string" }, seed: { type: "string" }, phone: { type: "boolean" } },
})
if (values.phone === true) write(await phoneReports())
else await evaluateEmail()

async function evaluateEmail(): Promise<void> {
  const identities = integer("--n", values.n, CARD_IDENTITIES, 1_000, 10_000_000)
  const seed = integer("--seed", values.seed, CARD_SEED, 0, 2 ** 31 - 1)
  const results = evaluate(evaluatedModel, seed, identities)
  console.log(emailModelCard(evaluatedModel, results))
  if (identities === CARD_IDENTITIES && seed === CARD_SEED) {
    write(new Map([...(await reports(results)), ...(await phoneReports())]))
  } else {
    console.log(
      `Nothing is written: the model card is of ${CARD_IDENTITIES} with seed ${CARD_SEED}.`,
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
