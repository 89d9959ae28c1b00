import { assessEmail, type EmailInput, explainEmail } from "@assay/core/score"
import { currentModels } from "../packages/server/src/score/models.ts"
import { markdownTable } from "../scripts/table.ts"
import type { Bench } from "./bench.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { inputsWith } from "./model/inputs.ts"
import { phoneCases, PHONES } from "./model/phones.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

const model = currentModels.email

/** The aim of an assessment with its reasons, in microseconds, by number of exposures. */
const AIMS = [
  [0, 3],
  [4, 8],
  [15, 16],
  [60, 40],
] as const

type Work<Input> = (input: Input) => object
const assess: Work<EmailInput> = (input) => assessEmail(input, model)
const explain: Work<EmailInput> = (input) => explainEmail(input, model)

/** Microseconds of a call: of the processor for this thread, and by the clock on the wall. */
interface CallMicros {
  readonly processor: number
  readonly wall: number
}

/** One number of exposures, with what a call took in each round. */
interface Measured {
  readonly exposures: number
  readonly aimMicros: number
  readonly assess: CallMicros[]
  readonly explain: CallMicros[]
}

export const modelBench: Bench<"rounds" | "ms"> = {
  name: "model",
  summary:
    "the scorers alone, with reasons: e-mail for 0, 4, 15 and 60 exposures, and phone numbers",
  options: {
    rounds: { fallback: 9, min: 1, max: 1000, meaning: "rounds to take the median of" },
    ms: { fallback: 300, min: 10, max: 60_000, meaning: "milliseconds of each measurement" },
  },
  async run({ rounds, ms }) {
    const machine = machineFacts()
    const cases = AIMS.map(([exposures, aimMicros]) => {
      const measured: Measured = { exposures, aimMicros, assess: [], explain: [] }
      return { inputs: inputsWith(exposures), measured }
    })
    const places = Array.from({ length: PHONES }, (_, place) => place)
    const phones = phoneCases.map((each) => ({ ...each, measured: [] as CallMicros[] }))
    // All cases run before the first one is timed, because the optimising compiler serves all of
    // them with one version of the code.
    for (let round = 0; round < 3; round++) {
      for (const { inputs } of cases) {
        microsPerCall(assess, inputs, ms)
        microsPerCall(explain, inputs, ms)
      }
      for (const { work } of phones) microsPerCall(work, places, ms)
    }
    for (let round = 0; round < rounds; round++) {
      for (const { inputs, measured } of cases) {
        measured.assess.push(microsPerCall(assess, inputs, ms))
        measured.explain.push(microsPerCall(explain, inputs, ms))
      }
      for (const { work, measured } of phones) measured.push(microsPerCall(work, places, ms))
    }
    const measured = cases.map((each) => each.measured)
    const table = tableOf(measured)
    const phoneTable = phoneTableOf(phones)
    console.log(`\n${table}\n\n${phoneTable}\n`)
    const page = `# Model

Printed by \`npm run bench -- model\`: microseconds of one call of \`assessEmail\`, reasons included, and of
\`explainEmail\`, on 64 different inputs in turn. Every figure is the median of ${rounds} rounds of ${ms} ms. On a quiet
machine the processor's time and the wall's are the same; where other programs run, the wall's counts their turns too. The
aims are compared with the processor's.

${machineLines(machine)}

${table}

The same for phone numbers, ${PHONES} different ones in turn:

${phoneTable}
`
    const phoneFigures = phones.map(({ name, aimMicros, measured: calls }) => ({
      name,
      aimMicros,
      calls,
    }))
    const figures = { machine, options: { rounds, ms }, measured, phones: phoneFigures }
    console.log(`Written to ${writeResults("model", figures, page).join(" and ")}`)
  },
}

/** Kept where the compiler cannot see that nobody reads it, so that no work is left out. */
let kept: object = {}

function microsPerCall<Input>(work: Work<Input>, inputs: readonly Input[], ms: number): CallMicros {
  const before = process.threadCpuUsage()
  const startedAt = performance.now()
  let calls = 0
  let elapsedMs = 0
  do {
    for (const input of inputs) kept = work(input)
    calls += inputs.length
    elapsedMs = performance.now() - startedAt
  } while (elapsedMs < ms)
  const { user, system } = process.threadCpuUsage(before)
  if (Object.keys(kept).length === 0) throw new Error("The scorer answers nothing")
  return { processor: (user + system) / calls, wall: (elapsedMs * 1000) / calls }
}

const processor = ({ processor: micros }: CallMicros): number => micros
const wall = ({ wall: micros }: CallMicros): number => micros

function tableOf(measured: readonly Measured[]): string {
  return markdownTable(
    [
      "exposures",
      "assess, processor µs",
      "fastest to slowest",
      "aim µs",
      "met",
      "assess, wall µs",
      "explain, processor µs",
      "explain, wall µs",
    ],
    measured.map((each) => {
      const assessing = each.assess.map(processor)
      return [
        each.exposures,
        rounded(median(assessing)),
        spread(assessing),
        each.aimMicros,
        median(assessing) <= each.aimMicros ? "yes" : "NO",
        rounded(median(each.assess.map(wall))),
        rounded(median(each.explain.map(processor))),
        rounded(median(each.explain.map(wall))),
      ]
    }),
  )
}

function phoneTableOf(
  phones: readonly {
    readonly name: string
    readonly aimMicros: number | null
    readonly measured: readonly CallMicros[]
  }[],
): string {
  return markdownTable(
    ["work", "processor µs", "fastest to slowest", "aim µs", "met", "wall µs"],
    phones.map(({ name, aimMicros, measured }) => {
      const taken = measured.map(processor)
      return [
        name,
        rounded(median(taken)),
        spread(taken),
        aimMicros ?? "",
        aimMicros === null ? "" : median(taken) <= aimMicros ? "yes" : "NO",
        rounded(median(measured.map(wall))),
      ]
    }),
  )
}

function spread(values: readonly number[]): string {
  return `${rounded(Math.min(...values))} to ${rounded(Math.max(...values))}`
}

function rounded(micros: number): string {
  return micros.toFixed(1)
}
