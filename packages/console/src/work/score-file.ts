import {
  AssayProblem,
  type EmailRiskResult,
  type PhoneRiskResult,
  type ScoredItem,
  type SessionClient,
} from "@assay/client"
import { csvLine, firstCells, textOf } from "./csv.ts"

/** Identities of a request. */
const PART = 500
/** What a plan's rate refused within a request is sent again after this. */
const PAUSE_MS = 1_000

export const HEAD = csvLine([
  "identity",
  "risk_score",
  "stage_or_level",
  "action",
  "reasons",
  "problem",
])

type Item = ScoredItem<EmailRiskResult> | ScoredItem<PhoneRiskResult>
type Scorer = Pick<SessionClient, "scoreEmails" | "scorePhones">

/** Some lines of the answer, in the order of the file. */
export interface Scored {
  readonly lines: string
  readonly done: number
  readonly failed: number
}

/** How many identities a file has. */
export async function countOf(file: Blob, signal: AbortSignal): Promise<number> {
  let count = 0
  for await (const _cell of firstCells(textOf(file))) {
    count++
    if (count % PART === 0) signal.throwIfAborted()
  }
  return count
}

/** Scores the first column of a CSV, a part after the other: numbers begin with a plus sign. */
export async function* scoreFile(
  service: Scorer,
  file: Blob,
  signal: AbortSignal,
): AsyncGenerator<Scored> {
  let part: string[] = []
  for await (const identity of firstCells(textOf(file))) {
    part.push(identity)
    if (part.length < PART) continue
    yield await scorePart(service, part, signal)
    part = []
  }
  if (part.length > 0) yield await scorePart(service, part, signal)
}

async function scorePart(
  service: Scorer,
  identities: readonly string[],
  signal: AbortSignal,
): Promise<Scored> {
  const lines = new Map<number, string>()
  let failed = 0
  let waiting = [...identities.keys()]
  while (waiting.length > 0) {
    const refused: number[] = []
    for (const isPhone of [false, true]) {
      const places = waiting.filter((place) => identities[place]?.startsWith("+") === isPhone)
      const asked = places.map((place) => identities[place] ?? "")
      const items = await patiently(signal, async (): Promise<readonly Item[]> =>
        isPhone
          ? await service.scorePhones(asked, { signal })
          : await service.scoreEmails(asked, { signal }),
      )
      for (const item of items) {
        const place = places[item.index] ?? 0
        if (item.problem?.code === "rate-limited") refused.push(place)
        else lines.set(place, lineOf(identities[place] ?? "", item))
        if (item.problem !== undefined && item.problem.code !== "rate-limited") failed++
      }
    }
    waiting = refused
    if (waiting.length > 0) await pause(PAUSE_MS, signal)
  }
  const text = identities.map((_identity, place) => lines.get(place) ?? "").join("")
  return { lines: text, done: identities.length, failed }
}

/** Nobody waits at a login for a batch: where the plan's rate is used up, it goes on later. */
async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const isRate = error instanceof AssayProblem && error.code === "rate-limited"
      if (!isRate || error.retryAfterSeconds === null) throw error
      await pause(error.retryAfterSeconds * 1_000, signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", giveUp)
      resolve()
    }, ms)
    signal.addEventListener("abort", giveUp, { once: true })
  })
}

function lineOf(identity: string, { result, problem }: Item): string {
  if (problem !== undefined) return csvLine([identity, "", "", "", "", problem.code])
  const { risk_score: score, risk_reasons: reasons } = result
  const [level, action] =
    "email" in result
      ? [result.threat_stage, result.recommended_action]
      : [result.risk_level, result.recommendation]
  return csvLine([identity, score, level, action, reasons.join("; "), ""])
}
