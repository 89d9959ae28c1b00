import type { ReactElement } from "react"
import { Link } from "wouter"
import { actionWords } from "../ui/band.tsx"
import { Table } from "../ui/table.tsx"
import { subjectWords } from "../ui/words.ts"
import type { Comparison } from "../work/kinds.ts"
import { Flows } from "./flow.tsx"

const count = new Intl.NumberFormat()

/** What would have changed: counts by action before and after, and the decisions themselves. */
export function ComparisonTable({ of }: { readonly of: Comparison }): ReactElement | null {
  const { summary, changed } = of
  if (summary === null) return null
  const left = Object.entries(summary.left_out).filter(([, n]) => n > 0)
  return (
    <>
      <p role="status">
        {summary.compared === 0
          ? "No decision could be compared."
          : `${count.format(summary.changed)} of ${count.format(summary.compared)} decisions would have had another action.`}
        {left.length > 0 &&
          ` Of ${count.format(summary.decisions)} that were looked at, not compared: ${left.map(([why, n]) => `${count.format(n)} ${why.replaceAll("_", " ")}`).join(", ")}.`}
      </p>
      {summary.moves.length > 0 && <Moves of={summary.moves} />}
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

type Moved = NonNullable<Comparison["summary"]>["moves"]

/** How many decisions go from which action to which. */
function Moves({ of }: { readonly of: Moved }): ReactElement {
  return (
    <>
      <Flows moves={of} />
      <Table label="Before and after" columns={["Kind", "Before", "After", "#Decisions"]}>
        {of.map(({ subject, before, after, count: n }) => (
          <tr key={`${subject} ${before} ${after}`} data-changed={before !== after}>
            <td>{subjectWords(subject)}</td>
            <td>{actionWords(before)}</td>
            <td>{before === after ? "the same" : <strong>{actionWords(after)}</strong>}</td>
            <td className="number">{count.format(n)}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}
