import type { ComparedLine } from "@assay/client"
import { type ReactElement, useCallback, useRef, useState } from "react"
import { Link } from "wouter"
import { actionWords } from "../ui/band.tsx"
import { Table } from "../ui/table.tsx"
import { Flows } from "./flow.tsx"

export type Summary = Extract<ComparedLine, { type: "summary" }>
type Changed = Extract<ComparedLine, { type: "changed" }>

export interface Comparison {
  readonly looked: number
  readonly reached: string | null
  readonly changed: readonly Changed[]
  readonly summary: Summary | null
  readonly isRunning: boolean
  readonly error: unknown
}

const NOTHING: Comparison = {
  looked: 0,
  reached: null,
  changed: [],
  summary: null,
  isRunning: false,
  error: null,
}
/** Decisions that are listed one by one; the counts are of all. */
const LISTED = 100

/** Runs a comparison and shows it while its lines come. */
export function useComparison(): {
  comparison: Comparison
  run: (lines: (signal: AbortSignal) => AsyncGenerator<ComparedLine>) => Promise<void>
  stop: () => void
} {
  const [comparison, show] = useState<Comparison>(NOTHING)
  const ending = useRef<AbortController | null>(null)
  const run = useCallback(
    async (lines: (signal: AbortSignal) => AsyncGenerator<ComparedLine>): Promise<void> => {
      ending.current?.abort()
      const controller = new AbortController()
      ending.current = controller
      let now: Comparison = { ...NOTHING, isRunning: true }
      show(now)
      try {
        for await (const line of lines(controller.signal)) {
          if (line.type === "progress")
            now = { ...now, looked: line.decisions, reached: line.reached }
          else if (line.type === "summary") now = { ...now, summary: line, looked: line.decisions }
          else if (now.changed.length < LISTED) now = { ...now, changed: [...now.changed, line] }
          if (line.type !== "changed") show(now)
        }
        show({ ...now, isRunning: false })
      } catch (error) {
        show({ ...now, isRunning: false, error: controller.signal.aborted ? null : error })
      }
    },
    [],
  )
  return { comparison, run, stop: () => ending.current?.abort() }
}

const count = new Intl.NumberFormat()

/** What would have changed: counts by action before and after, and the decisions themselves. */
export function ComparisonTable({ of }: { readonly of: Comparison }): ReactElement | null {
  const { summary, changed } = of
  if (summary === null) return null
  const left = Object.entries(summary.left_out).filter(([, n]) => n > 0)
  return (
    <>
      <p role="status">
        {count.format(summary.changed)} of {count.format(summary.compared)} decisions would have had
        another action. {count.format(summary.decisions)} were looked at
        {left.length === 0
          ? "."
          : `; not compared: ${left.map(([why, n]) => `${count.format(n)} ${why.replaceAll("_", " ")}`).join(", ")}.`}
      </p>
      <Flows moves={summary.moves} />
      <Table label="Before and after" columns={["Kind", "Before", "After", "#Decisions"]}>
        {summary.moves.map(({ subject, before, after, count: n }) => (
          <tr key={`${subject} ${before} ${after}`} data-changed={before !== after}>
            <td>{subject}</td>
            <td>{actionWords(before)}</td>
            <td>{before === after ? "the same" : <strong>{actionWords(after)}</strong>}</td>
            <td className="number">{count.format(n)}</td>
          </tr>
        ))}
      </Table>
      {changed.length > 0 && (
        <details>
          <summary>
            Decisions that change
            {summary.changed > changed.length && `, the newest ${changed.length}`}
          </summary>
          <ul>
            {changed.map(({ id, before, after }) => (
              <li key={id}>
                <Link href={`/console/decisions/${id}`}>
                  <code>{id}</code>
                </Link>{" "}
                {before.risk_score} {actionWords(before.recommended_action)} → {after.risk_score}{" "}
                {actionWords(after.recommended_action)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
