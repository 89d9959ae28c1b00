import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { assayProgram } from "../scripts/program.ts"
import { markdownTable } from "../scripts/table.ts"
import { openChromium } from "../tests/browser/chromium.ts"
import { type Bench, BenchError } from "./bench.ts"
import { startProgram } from "./child-program.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

/** Milliseconds from opening the first page to its field, and to the card after one click. */
interface Visit {
  readonly pageMs: number
  readonly cardMs: number
}

const FIRST_MUST_MS = 10_000
const SECOND_MUST_MS = 1_000

export const consoleBench: Bench<"rounds"> = {
  name: "console",
  summary: "a newcomer's first score in a browser: the first visit, and the second",
  options: {
    rounds: { fallback: 5, min: 1, max: 100, meaning: "rounds to take the median of" },
  },
  async run({ rounds }) {
    const machine = machineFacts()
    const browser = await openChromium()
    if (browser === null) throw new BenchError("there is no Chromium on this machine")
    const visits: [first: Visit, second: Visit][] = []
    try {
      for (let round = 0; round < rounds; round++) visits.push(await newcomer(browser))
    } finally {
      await browser.close()
    }
    const table = tableOf(visits)
    console.log(`\n${table}\n`)
    const page = `# A newcomer's first score

Printed by \`npm run bench -- console\`: a fresh service with demo data; a browser that was never there opens \`/\` and clicks one
identity, then does the same again. Medians of ${rounds} rounds, from the opening of the page.

${machineLines(machine)}

${table}
`
    const files = writeResults("console", { machine, rounds, visits }, page)
    console.log(`Written to ${files.join(" and ")}`)
  },
}

async function newcomer(browser: Browser): Promise<[Visit, Visit]> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"))
  const env = { ASSAY_DATA: join(folder, "data"), PORT: "0", DROP: "off", ASSAY_WORKERS: "1" }
  const program = await startProgram(
    [...assayProgram(), "serve"],
    env,
    /http:\/\/localhost:(\d+)\/docs\n.*API key/,
  )
  const context = await browser.newContext()
  try {
    const visit = async (): Promise<Visit> => {
      const page = await context.newPage()
      const openedAt = performance.now()
      await page.goto(`http://localhost:${program.ready[1]}/`)
      const identity = page.getByRole("button", { name: /ivan\.petrov/ })
      await identity.waitFor()
      const pageMs = performance.now() - openedAt
      await identity.click()
      await page.getByRole("img", { name: "Score 79 of 100, band high" }).waitFor()
      const cardMs = performance.now() - openedAt
      await page.close()
      return { pageMs, cardMs }
    }
    return [await visit(), await visit()]
  } finally {
    await context.close()
    await program.stop()
    rmSync(folder, { recursive: true })
  }
}

function tableOf(visits: readonly [Visit, Visit][]): string {
  const row = (name: string, which: 0 | 1, must: number): string[] => {
    const cardMs = median(visits.map((each) => each[which].cardMs))
    return [
      name,
      median(visits.map((each) => each[which].pageMs)).toFixed(0),
      cardMs.toFixed(0),
      `under ${must.toLocaleString("en")}`,
      cardMs < must ? "yes" : "NO",
    ]
  }
  return markdownTable(
    ["visit", "page drawn, ms", "card drawn, ms", "must", "met"],
    [row("first", 0, FIRST_MUST_MS), row("second", 1, SECOND_MUST_MS)],
  )
}
