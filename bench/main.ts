// npm run bench -- NAME: measures on this machine, prints a table and writes it to bench/results/.
import { parseArgs } from "node:util"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { consoleBench } from "./console.ts"
import { corpusBench } from "./corpus.ts"
import { decisionsBench } from "./decisions.ts"
import { decisionsTableBench } from "./decisions-table.ts"
import { dropBench } from "./drop.ts"
import { eventsBench } from "./events.ts"
import { httpBench } from "./http.ts"
import { modelBench } from "./model.ts"
import { phoneBench } from "./phone.ts"
import { policyBench } from "./policy.ts"
import { scaleBench } from "./scale.ts"
import { startBench } from "./start.ts"
import { watchBench } from "./watch.ts"

const benches: readonly Bench[] = [
  httpBench,
  startBench,
  modelBench,
  decisionsBench,
  decisionsTableBench,
  corpusBench,
  phoneBench,
  policyBench,
  consoleBench,
  dropBench,
  watchBench,
  eventsBench,
  scaleBench,
]

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof BenchError ? `bench: ${error.message}` : error)
  process.exitCode = 1
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === "--help" || name === "-h") {
    console.log(help())
    return
  }
  const bench = benches.find((one) => one.name === name)
  if (bench === undefined) throw new BenchError(`there is no bench ${name}\n\n${help()}`)
  const given = optionsOf(bench, args)
  if (given === null) console.log(help())
  else await bench.run(given)
}

/** The options of a bench with defaults filled in; null when help is requested. */
function optionsOf(
  { name, options }: Bench,
  args: readonly string[],
): Record<string, number> | null {
  const { help: wanted, ...texts } = texted(name, Object.keys(options), args)
  if (wanted === true) return null
  return Object.fromEntries(
    Object.entries(options).map(([option, { fallback, min, max }]) => {
      const text = texts[option] ?? String(fallback)
      const value = Number(text)
      if (!/^\d+$/.test(String(text)) || value < min || value > max)
        throw new BenchError(`--${option} takes an integer from ${min} to ${max}`)
      return [option, value]
    }),
  )
}

function texted(
  name: string,
  options: readonly string[],
  args: readonly string[],
): Record<string, string | boolean | undefined> {
  const known = Object.fromEntries(options.map((option) => [option, { type: "string" as const }]))
  try {
    return parseArgs({ args, options: { ...known, help: { type: "boolean", short: "h" } } }).values
  } catch (error) {
    throw new BenchError(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

function help(): string {
  const lines = benches.flatMap(({ name, summary, options }) => [
    [name, summary],
    ...Object.entries(options).map(([option, { fallback, meaning }]) => [
      `  --${option} <n>`,
      `${meaning} (default: ${fallback})`,
    ]),
  ])
  return `npm run bench -- NAME [OPTIONS]\n\n${markdownTable(["bench", "what it measures"], lines)}`
}
