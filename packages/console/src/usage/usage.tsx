import { AxisBottom, AxisLeft } from "@visx/axis"
import { scaleBand, scaleLinear } from "@visx/scale"
import type { UsageReport } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { service } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"

const count = new Intl.NumberFormat()

/** What the tenant's keys looked up this month, and what is left. */
export default function Usage(): ReactElement {
  const usage = useQuery({
    queryKey: ["usage"],
    queryFn: ({ signal }) => service.getUsage({ signal }),
  })
  return (
    <>
      <PageHead title="Usage" />
      <Answer of={usage}>
        {(report) => (
          <>
            <Left report={report} />
            {report.usage.length === 0 ? (
              <Empty>Nothing was looked up this month.</Empty>
            ) : (
              <>
                <DayChart report={report} />
                <UsageTable report={report} />
              </>
            )}
          </>
        )}
      </Answer>
    </>
  )
}

function Left({ report }: { readonly report: UsageReport }): ReactElement {
  const { total, lookups_left: left, lookups_per_month: most } = report
  return (
    <p>
      {count.format(total)} lookups from {report.from} to {report.to}.{" "}
      {left === null || most === null
        ? "The plan has no limit."
        : `${count.format(left)} of ${count.format(most)} are left this month.`}
    </p>
  )
}

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [760, 220, 56, 28]

function DayChart({ report }: { readonly report: UsageReport }): ReactElement {
  const days = new Map<string, number>()
  for (const { day, count: n } of report.usage) days.set(day, (days.get(day) ?? 0) + n)
  const all = [...days].sort(([a], [b]) => (a < b ? -1 : 1))
  const most = Math.max(...all.map(([, n]) => n))
  const x = scaleBand({ domain: all.map(([day]) => day), range: [LEFT, WIDTH], padding: 0.25 })
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - BOTTOM, 10], nice: true })
  const barWidth = Math.min(40, x.bandwidth())
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="chart"
      role="img"
      aria-label={`Lookups a day: ${all.map(([day, n]) => `${day} ${n}`).join(", ")}`}
    >
      {all.map(([day, n]) => (
        <rect
          key={day}
          x={(x(day) ?? 0) + (x.bandwidth() - barWidth) / 2}
          y={y(n)}
          width={barWidth}
          height={HEIGHT - BOTTOM - y(n)}
          fill="var(--accent)"
        >
          <title>{`${day}: ${count.format(n)}`}</title>
        </rect>
      ))}
      <AxisBottom
        top={HEIGHT - BOTTOM}
        scale={x}
        tickFormat={(day) => day.slice(8)}
        stroke="var(--line)"
        tickStroke="var(--line)"
        tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle" }}
      />
      <AxisLeft
        left={LEFT}
        scale={y}
        numTicks={4}
        tickFormat={(n) => count.format(Number(n))}
        stroke="var(--line)"
        tickStroke="var(--line)"
        tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "end", dx: -4, dy: 4 }}
      />
    </svg>
  )
}

function UsageTable({ report }: { readonly report: UsageReport }): ReactElement {
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Usage by day, key and kind">
      <table>
        <thead>
          <tr>
            <th>Day (UTC)</th>
            <th>Key</th>
            <th>Kind</th>
            <th className="number">Lookups</th>
          </tr>
        </thead>
        <tbody>
          {report.usage.map(({ day, key_id: key, operation, count: n }) => (
            <tr key={`${day} ${key} ${operation}`}>
              <td>{day}</td>
              <td>
                <code>{key}</code>
              </td>
              <td>{operation}</td>
              <td className="number">{count.format(n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
