import { useElementSize } from "@mantine/hooks"
import { AxisBottom, AxisLeft } from "@visx/axis"
import { scaleBand, scaleLinear } from "@visx/scale"
import type { ReactElement } from "react"
import { dayWords } from "./time.tsx"

const count = new Intl.NumberFormat()
const [WIDTH_MIN, HEIGHT, LEFT, RIGHT, BOTTOM] = [240, 220, 56, 18, 28]
/** The room that a day needs below the bars. */
const LABEL = 52
const dayName = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
})
const DAY_MS = 86_400_000

/** Counts of days as bars, from a UTC day to another; several counts of one day are one bar. */
export function DayChart(props: {
  readonly days: readonly { readonly day: string; readonly count: number }[]
  readonly from: string
  readonly to: string
}): ReactElement {
  // As wide as there is room, so that letters keep their size.
  const { ref, width: room } = useElementSize()
  const width = Math.max(WIDTH_MIN, room)
  const days = new Map<string, number>()
  for (let at = Date.parse(props.from); at <= Date.parse(props.to); at += DAY_MS)
    days.set(new Date(at).toISOString().slice(0, 10), 0)
  for (const { day, count: n } of props.days) days.set(day, (days.get(day) ?? 0) + n)
  const all = [...days].sort(([a], [b]) => (a < b ? -1 : 1))
  const most = Math.max(...all.map(([, n]) => n))
  const x = scaleBand({
    domain: all.map(([day]) => day),
    range: [LEFT, width - RIGHT],
    padding: 0.25,
  })
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - BOTTOM, 10], nice: true })
  const barWidth = Math.min(40, x.bandwidth())
  const each = Math.ceil((all.length * LABEL) / (width - LEFT))
  const labelled = all.filter((_, n) => (all.length - 1 - n) % each === 0)
  return (
    <div ref={ref} className="chart">
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Lookups a day: ${all
          .filter(([, n]) => n > 0)
          .map(([day, n]) => `${dayWords(day)} ${count.format(n)}`)
          .join(", ")}`}
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
            <title>{`${dayWords(day)}, UTC: ${count.format(n)}`}</title>
          </rect>
        ))}
        <AxisBottom
          top={HEIGHT - BOTTOM}
          scale={x}
          tickValues={labelled.map(([day]) => day)}
          tickFormat={(day) => dayName.format(new Date(day))}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "middle" }}
        />
        <AxisLeft
          left={LEFT}
          scale={y}
          tickValues={y.ticks(4).filter(Number.isInteger)}
          tickFormat={(n) => count.format(Number(n))}
          stroke="var(--line)"
          tickStroke="var(--line)"
          tickLabelProps={{ fill: "var(--soft)", fontSize: 11, textAnchor: "end", dx: -4, dy: 4 }}
        />
      </svg>
    </div>
  )
}
