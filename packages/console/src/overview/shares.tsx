import type { DecisionPeriod } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import { scaleLinear } from "@visx/scale"
import type { ReactElement, ReactNode } from "react"
import { Link } from "wouter"
import { actionWords, Band } from "../ui/band.tsx"
import { service } from "../ui/service.ts"
import { Answer, Empty } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"

const count = new Intl.NumberFormat()
const percent = new Intl.NumberFormat(undefined, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** What decisions of a period were, as the service counted them. */
export function Shares({ period }: { readonly period: DecisionPeriod }): ReactElement {
  const counts = useQuery({
    queryKey: ["decision-counts", period],
    queryFn: ({ signal }) => service.countDecisions({ period, signal }),
  })
  return (
    <Answer of={counts}>
      {({ total, complete, counted_from: since, subjects, actions, bands, stages }) =>
        total === 0 ? (
          <Empty action={<Link href="/console/playground">Score something</Link>}>
            Nothing was decided in this time.
          </Empty>
        ) : (
          <>
            <p className="soft">
              {complete ? (
                <>{total === 1 ? "1 decision" : `${count.format(total)} decisions`}</>
              ) : (
                <>
                  The last {count.format(total)} decisions, since <Moment at={since} /> (there are
                  more than are counted at a time)
                </>
              )}
              {subjects.map(({ subject, count: n }, place) => (
                <span key={subject}>
                  {place === 0 ? ": " : ", "}
                  {count.format(n)} about {subject === "email" ? "addresses" : "numbers"}
                </span>
              ))}
              .
            </p>
            <div className="grid-3">
              <ShareTable
                title="Actions"
                rows={actions.map((row) => ({
                  ...row,
                  name: row.action,
                  label: actionWords(row.action),
                  band: null,
                }))}
              />
              <ShareTable
                title="Bands"
                rows={bands.map((row) => ({
                  ...row,
                  name: row.band,
                  label: <Band name={row.band} />,
                  band: row.band,
                }))}
              />
              <ShareTable
                title="Stages of addresses"
                rows={stages.map((row) => ({
                  ...row,
                  name: row.stage,
                  label: row.stage,
                  band: null,
                }))}
              />
            </div>
          </>
        )
      }
    </Answer>
  )
}

interface ShareRow {
  readonly name: string
  readonly label: ReactNode
  readonly band: string | null
  readonly count: number
  readonly share: number | null
}

const bar = scaleLinear({ domain: [0, 1], range: [0, 100] })

/** Shares as bars within a table, which says the same in numbers. */
function ShareTable(props: {
  readonly title: string
  readonly rows: readonly ShareRow[]
}): ReactElement {
  return (
    <table className="shares">
      <caption>{props.title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th>{props.title}</th>
          <th colSpan={2}>Share</th>
          <th>Decisions</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ name, label, band, count: n, share }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td className="share">
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect width="100" height="10" fill="var(--line)" />
                <rect
                  width={bar(share ?? 0)}
                  height="10"
                  fill={band === null ? "var(--accent)" : `var(--${band})`}
                />
              </svg>
            </td>
            <td className="number">{share === null ? "none" : percent.format(share)}</td>
            <td className="number soft">{count.format(n)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
