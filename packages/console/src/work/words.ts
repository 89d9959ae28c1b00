import { duration } from "../ui/duration.ts"
import type { Kind, Lost, Work } from "./kinds.ts"

const count = new Intl.NumberFormat()
const DAY_MS = 86_400_000

/** What a kind of work is called in a sentence. */
export const NOUNS: Readonly<Record<Kind, string>> = {
  batch: "batch",
  "back-test": "back-test",
  shadow: "comparison",
}

export function titleOf(work: Work | Lost): string {
  if (work.kind === "shadow") return "Shadow comparison"
  if (work.kind === "batch") return work.state === "lost" ? "Batch" : `Batch of ${work.name}`
  if (work.state === "lost") return "Back-test"
  return `Back-test of ${count.format(work.days)} ${work.days === 1 ? "day" : "days"}`
}

/** How far it is, from 0 to 100; null: that cannot be said. */
export function percentOf(work: Work): number | null {
  if (work.kind === "batch") {
    if (work.total === null) return null
    return work.total === 0 ? 100 : (100 * work.done) / work.total
  }
  if (work.comparison.summary !== null) return 100
  const { reached } = work.comparison
  if (work.kind === "shadow" || reached === null) return null
  const backMs = work.begunAtMs - Date.parse(reached)
  return Math.min(100, Math.max(0, (100 * backMs) / (work.days * DAY_MS)))
}

/** How far it is, how fast, and how long it will take, or how it ended. */
export function progressOf(work: Work | Lost, nowMs: number): string {
  if (work.state === "lost")
    return work.wasRunning
      ? `The browser ended it before it was done. Nothing more was ${work.kind === "batch" ? "scored" : "compared"}, and what there was is lost.`
      : "It had ended, and the browser has discarded what came of it."
  const parts = work.kind === "batch" ? batchParts(work, nowMs) : comparisonParts(work)
  const end = { running: "", done: "", stopped: "stopped: ", failed: "broke off: " }[work.state]
  const text = `${end}${parts.join(", ")}`
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

function batchParts(work: Extract<Work, { kind: "batch" }>, nowMs: number): string[] {
  const { state, done, total, failed, begunAtMs, endedAtMs } = work
  if (total === null) return [state === "running" ? "reading the file" : "nothing was scored"]
  const seconds = Math.max(1, ((endedAtMs ?? nowMs) - begunAtMs) / 1000)
  const rate = done / seconds
  return [
    `${count.format(done - failed)} of ${count.format(total)} scored`,
    ...(failed > 0 ? [`${count.format(failed)} could not be`] : []),
    ...(rate >= 1 ? [`${count.format(Math.round(rate))} a second`] : []),
    ...(state === "running" && done > 0 ? [`${duration((total - done) / rate)} left`] : []),
  ]
}

function comparisonParts({ comparison }: Exclude<Work, { kind: "batch" }>): string[] {
  const { looked, reached, summary } = comparison
  if (summary !== null)
    return [
      `${count.format(summary.changed)} of ${count.format(summary.compared)} decisions would have had another action`,
    ]
  return [
    `${count.format(looked)} decisions looked at`,
    ...(reached === null ? [] : [`back to ${reached.slice(0, 10)}`]),
  ]
}
