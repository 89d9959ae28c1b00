import { AxisBottom, AxisLeft } from "@visx/axis"
import { scaleBand, scaleLinear } from "@visx/scale"
import type { ReactElement } from "react"

const count = new Intl.NumberFormat()
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [760, 220, 56, 28]

/** Counts of days as bars; several counts of one day are one bar. */
export function DayChart(props: {
  readonly days: readonly { readonly day: string; readonly count: number }[]
}): ReactElement {
  const days = new Map<string, number>()
  for (const { day, count: n } of props.days) days.set(day, (days.get(day) ?? 0) + n)
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
